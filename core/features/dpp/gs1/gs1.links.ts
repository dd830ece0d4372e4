import type { Context } from '../../../kernel/work.ts'
import { languages } from '../../../languages/index.ts'
import {
  getCredentialAddress,
  credentialMediaTypes,
  negotiateMediaType,
  getPassportAddress,
} from '../../certification/index.ts'
import type { ResolvedPassport } from './gs1.resolve.ts'
import { hasNoNumbers, formatScannedSearch } from './scanned-numbers.ts'

/** A link of a link set. Source: RFC 9264, section 4.2.4. */
export interface Link {
  href: string
  title: string
  type?: string
  hreflang?: string[]
}

/**
 * All links of one product: its own address, and its links by the link types of the GS1 vocabulary without their
 * namespace.
 */
export interface LinkContext {
  anchor: string
  /** Name of the product. */
  description: string
  links: Record<string, Link[]>
  /**
   * False if the maker has not registered some numbers of the requested link; then the product is the nearest known
   * level.
   */
  registered?: false
  /** Whether the maker has revoked or suspended the product, its batch or its model. */
  status?: 'revoked' | 'suspended'
}

const vocabularyUrl = 'https://ref.gs1.org/voc/'
/** The JSON-LD context of link sets. Source: GS1-Conformant Resolver 1.2, section 2.10. */
export const linkSetContext = 'https://ref.gs1.org/standards/resolver/linkset-context'

/**
 * Creates the links of a passport: its page (the default link, and `pip`), the passport itself in every form (`dpp`)
 * and its receipt on chain (`certificationInfo`). An archived passport has only its page.
 * Source: GS1-Conformant Resolver 1.2, section 2.5; GS1 Web Vocabulary, link types.
 */
export function createLinkContext(
  context: Context,
  { id, anchor, certified, product, status, unregistered, scanned, withdrawals: [withdrawal] }: ResolvedPassport,
): LinkContext {
  const name = String(product['name'])
  const [href, credential] = [
    `${getPassportAddress(context, id)}${formatScannedSearch(scanned)}`,
    getCredentialAddress(context, id),
  ]
  const page = { href, title: name, type: 'text/html', hreflang: [...languages] }
  const forms = credentialMediaTypes
    .filter((type) => certified || type !== 'application/vc+jwt')
    .map((type) => ({ href: credential, title: `${name}: credential`, type }))
  const open = status !== 'archived'
  const receipt = {
    href: `${credential.replace(/[^/]+$/, '')}anchor`,
    title: `${name}: receipt on chain`,
    type: 'application/json',
  }
  return {
    anchor,
    description: name,
    ...(!hasNoNumbers(unregistered) && { registered: false }),
    ...(withdrawal && { status: withdrawal.purpose === 'revocation' ? 'revoked' : 'suspended' }),
    links: {
      defaultLink: [{ href, title: name }],
      pip: [page],
      dpp: [page, ...(open ? forms : [])],
      ...(open && certified && { certificationInfo: [receipt] }),
    },
  }
}

/**
 * Creates the link set of products as JSON, the most specific product first. `registered` and `status` stand beside
 * `description`, which the standard of resolvers adds to a context in the same way.
 * Source: RFC 9264, section 4.2.
 */
export const createLinkSet = (contexts: readonly LinkContext[]) => ({
  linkset: contexts.map(({ links, ...context }) => ({
    ...context,
    ...Object.fromEntries(Object.entries(links).map(([type, list]) => [`${vocabularyUrl}${type}`, list])),
  })),
})

/** The values of `linkType` that stand for the link set itself; `all` is the former name. */
const linkSetTypes = new Set(['linkset', 'all'])

/** The target of a request: the link set, links of one type, or the default link. */
export type LinkRequest = { kind: 'linkset' } | { kind: 'type'; type: string } | { kind: 'default' }

/**
 * Parses the parameter `linkType`. A type is a CURIE or an address of the GS1 vocabulary.
 * Source: GS1-Conformant Resolver 1.2, sections 2.6, 2.9 and 2.14.
 */
export function parseLinkType(linkType: string | undefined): LinkRequest {
  if (linkType === undefined || linkType === '') return { kind: 'default' }
  if (linkSetTypes.has(linkType)) return { kind: 'linkset' }
  return { kind: 'type', type: linkType.replace(/^(?:gs1:|https?:\/\/(?:ref\.)?gs1\.org\/voc\/)/, '') }
}

/**
 * Finds the link of a type that suits the reader, from the most specific product that has links of the type: the link
 * in the media type that the reader prefers, otherwise the first link.
 * @returns undefined if no product has a link of the type
 */
export function findLink(contexts: readonly LinkContext[], type: string, accept: string | undefined): Link | undefined {
  const links = contexts.find((one) => Object.hasOwn(one.links, type))?.links[type] ?? []
  const liked = negotiateMediaType(
    accept,
    links.flatMap((link) => link.type ?? []),
  )
  return links.find((link) => link.type === liked) ?? links[0]
}

/** Collects the link types of products, as CURIEs. */
export const collectLinkTypes = (contexts: readonly LinkContext[]): string[] =>
  [...new Set(contexts.flatMap(({ links }) => Object.keys(links)))].map((type) => `gs1:${type}`)

/**
 * Creates the description of what this resolver supports, for `/.well-known/gs1resolver`.
 * Source: GS1-Conformant Resolver 1.2, section 3, and its schema of description files.
 */
export const createResolverDescription = ({ settings: { publicUrl } }: Pick<Context, 'settings'>) => ({
  name: 'Tessera',
  resolverRoot: publicUrl,
  supportedPrimaryKeys: ['01'],
  supportedLinkType: [{ namespace: vocabularyUrl, prefix: 'gs1:' }],
  linkTypeDefaultCanBeLinkset: false,
  jsonLdContextLocation: linkSetContext,
})
