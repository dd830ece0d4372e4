import type { Context } from '../../kernel/work.ts'
import { credentialAddress, credentialTypes, negotiate, passportAddress } from '../certification/index.ts'
import type { Resolved } from './gs1.resolve.ts'
import { isEmpty, searchOfNumbers } from './gtins/scanned.ts'

/** A link of a link set. Source: RFC 9264, section 4.2.4. */
export interface Link {
  href: string
  title: string
  type?: string
  hreflang?: string[]
}

/** All links of one product: its own address, and link types of the GS1 vocabulary without their namespace. */
export interface LinkContext {
  anchor: string
  /** Name of the product. */
  description: string
  links: Record<string, Link[]>
  /** False where the numbers of the link that was asked for are not registered by the maker: this is the nearest known level. */
  registered?: false
  /** What the maker has withdrawn of the product, of its batch or of its model. */
  status?: 'revoked' | 'suspended'
}

const vocabulary = 'https://ref.gs1.org/voc/'
const languages = ['en', 'fr']
/** Makes JSON-LD of a link set. Source: GS1-Conformant Resolver 1.2, section 2.10. */
export const linkSetContext = 'https://ref.gs1.org/standards/resolver/linkset-context'

/**
 * Where more about a passport is: its page (the default link, and `pip`), the passport itself in every form (`dpp`),
 * its receipt on chain (`certificationInfo`). Of an archived one only the page is left.
 * Source: GS1-Conformant Resolver 1.2, section 2.5; GS1 Web Vocabulary, link types.
 */
export function linksOf(
  context: Context, { id, anchor, certified, product, status, unregistered, scanned, withdrawals: [withdrawal] }: Resolved,
): LinkContext {
  const name = String(product['name'])
  const [href, credential] = [`${passportAddress(context, id)}${searchOfNumbers(scanned)}`, credentialAddress(context, id)]
  const page = { href, title: name, type: 'text/html', hreflang: languages }
  const forms = credentialTypes.filter((type) => certified || type !== 'application/vc+jwt')
    .map((type) => ({ href: credential, title: `${name}: credential`, type }))
  const open = status !== 'archived'
  const receipt = {
    href: `${credential.replace(/[^/]+$/, '')}anchor`, title: `${name}: receipt on chain`, type: 'application/json',
  }
  return {
    anchor, description: name,
    ...(!isEmpty(unregistered) && { registered: false }),
    ...(withdrawal && { status: withdrawal.purpose === 'revocation' ? 'revoked' : 'suspended' }),
    links: {
      defaultLink: [{ href, title: name }], pip: [page], dpp: [page, ...(open ? forms : [])],
      ...(open && certified && { certificationInfo: [receipt] }),
    },
  }
}

/**
 * The link set of products, the most specific one first, as JSON. `registered` and `status` stand beside `description`,
 * which the standard of resolvers adds to a context in the same way. Source: RFC 9264, section 4.2.
 */
export const linkSet = (contexts: readonly LinkContext[]) => ({
  linkset: contexts.map(({ links, ...context }) => ({
    ...context,
    ...Object.fromEntries(Object.entries(links).map(([type, list]) => [`${vocabulary}${type}`, list])),
  })),
})

/** Names of the link type that stands for the link set itself; `all` is what it was called before. */
const wholeSet = new Set(['linkset', 'all'])

/** What a request wants to be led to: the link set, links of one type, or whatever is usual. */
export type Wish = { kind: 'linkset' } | { kind: 'type'; type: string } | { kind: 'default' }

/**
 * What the parameter `linkType` asks for. A type is a CURIE or an address of the GS1 vocabulary.
 * Source: GS1-Conformant Resolver 1.2, sections 2.6, 2.9 and 2.14.
 */
export function wishOf(linkType: string | undefined): Wish {
  if (linkType === undefined || linkType === '') return { kind: 'default' }
  if (wholeSet.has(linkType)) return { kind: 'linkset' }
  return { kind: 'type', type: linkType.replace(/^(?:gs1:|https?:\/\/(?:ref\.)?gs1\.org\/voc\/)/, '') }
}

/**
 * The link of this type that suits the reader: of the most specific product that has any, the first in the form it
 * likes best, else the first. @returns undefined where no product has one
 */
export function chosenLink(
  contexts: readonly LinkContext[], type: string, accept: string | undefined,
): Link | undefined {
  const links = contexts.find((one) => Object.hasOwn(one.links, type))?.links[type] ?? []
  const liked = negotiate(accept, links.flatMap((link) => link.type ?? []))
  return links.find((link) => link.type === liked) ?? links[0]
}

/** Link types that products have, as CURIEs. */
export const typesOf = (contexts: readonly LinkContext[]): string[] =>
  [...new Set(contexts.flatMap(({ links }) => Object.keys(links)))].map((type) => `gs1:${type}`)

/**
 * What this resolver can do, for `/.well-known/gs1resolver`. Source: GS1-Conformant Resolver 1.2, section 3, and its
 * schema of description files.
 */
export const resolverDescription = ({ settings: { publicUrl } }: Pick<Context, 'settings'>) => ({
  name: 'Tessera',
  resolverRoot: publicUrl,
  supportedPrimaryKeys: ['01'],
  supportedLinkType: [{ namespace: vocabulary, prefix: 'gs1:' }],
  linkTypeDefaultCanBeLinkset: false,
  jsonLdContextLocation: linkSetContext,
})
