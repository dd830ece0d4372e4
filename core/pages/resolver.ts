import {
  addSearch, chosenLink, isEmpty, linkSet, linkSetContext, linksOf, parseDigitalLink, recordScan, resolveDigitalLink, resolvedParents,
  resolverDescription, typesOf, wishOf, type DigitalLink, type LinkContext, type Published, type Resolved,
} from '../features/dpp/index.ts'
import { negotiate } from '../features/certification/index.ts'
import { json, redirect, text, type Answer } from '../kernel/answer.ts'
import { organizationOf, type Caller } from '../kernel/caller.ts'
import { operation, type Operation, type RequestFacts } from '../kernel/operation.ts'
import { Problem, problem } from '../kernel/problem.ts'
import { requestHost } from '../kernel/request-host.ts'
import { optional, string } from '../kernel/schema.ts'
import type { Context, Work } from '../kernel/work.ts'
import { readerOf } from './reader.ts'
import { choicesPage, contestedPage, linksPage, refusalPage } from './resolver.views.ts'

const setType = 'application/linkset+json'
const contextLink = `<${linkSetContext}>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"`
const credentialForms = ['application/ld+json', 'application/vc', 'application/vc+jwt'] as const

/** A request to the resolver. */
interface Asked {
  context: Context
  link: DigitalLink
  accept: string | undefined
  linkType: string | undefined
  /** Its query, with the question mark, as it came. */
  search: string
  request: RequestFacts
}

/**
 * Resolves a GS1 Digital Link. Without a wish it leads (307) to the default link, the public page: a page of its own
 * under this address would be what the standard forbids, an answer that is not the default link. `linkType`, or Accept,
 * asks for the link set, for one link, or for the credential. The query goes along. A scan is counted where it ends.
 * Source: GS1-Conformant Resolver 1.2, sections 2.2 to 2.13.
 */
const resolver = operation({
  id: 'resolve_digital_link_v1', method: 'GET', path: '/01/*path', summary: 'Where a GS1 Digital Link leads',
  tag: 'Pages', access: 'public', hidden: true, cors: true, openQuery: true,
  params: { path: string('GTIN and qualifiers.') },
  query: { linkType: optional(string('`linkset`, or a link type as `gs1:pip`.', { maxLength: 200 })) },
  returns: { 200: { type: setType, description: 'The link set.', json: true } },
  headers: {
    Vary: 'Accept, Accept-Language, Host', 'Access-Control-Expose-Headers': 'Link, Location', 'Cache-Control': 'public, max-age=60',
  },
}).readBy(async ({ caller, query: { linkType }, request, work }) => {
  const accept = [request.headers.accept].flat().filter(Boolean).join(', ') || undefined
  try {
    return await resolve(work, caller, request, accept, linkType)
  } catch (error) {
    if (error instanceof Problem && likesPages(accept)) return refusalPage(error, readerOf(request, undefined))
    throw error
  }
})

async function resolve(
  { context }: Work, caller: Caller, request: RequestFacts, accept: string | undefined, linkType: string | undefined,
): Promise<Answer> {
  const at = request.target.indexOf('?')
  const [path, search] = at < 0 ? [request.target, ''] : [request.target.slice(0, at), request.target.slice(at)]
  const asked: Asked = { context, link: parseDigitalLink(path), accept, linkType, search, request }
  const published = await resolveDigitalLink(context, asked.link, requestHost(request, context.settings.trustProxy))
  const found = published.flatMap((one) => one.found)
  const [only] = found
  if (!only) throw problem('NOT_FOUND', 'No passport with these numbers is published here.')
  if (published.length > 1) return contested(asked, published)
  const unknown = found.every(({ unregistered }) => !isEmpty(unregistered))
  if (unknown && organizationOf(caller) !== only.organization) await recordScan(context, only.id, request.address, true)
  return found.length > 1 ? choices(asked, found) : lead(asked, only)
}

/** A reader that names pages before anything that programs read. */
const likesPages = (accept: string | undefined) =>
  accept !== undefined && negotiate(accept, ['application/json', 'text/html']) === 'text/html'

/** One passport is meant. */
async function lead(asked: Asked, only: Resolved): Promise<Answer> {
  const { context, accept, linkType, link } = asked
  const wish = wishOf(linkType)
  const liked = negotiate(accept, ['text/html', setType, ...credentialForms])
  const usual = wish.kind === 'default' && (liked === null || liked === 'text/html')
  if (usual) return leadTo(asked, only.anchor, linksOf(context, only).links['defaultLink']?.[0]?.href ?? '')
  const all = [only, ...await resolvedParents(context, only, link.gtin)].map((one) => linksOf(context, one))
  if (wish.kind === 'linkset' || (wish.kind === 'default' && liked === setType)) return wholeSet(asked, only, all)
  const type = wish.kind === 'type' ? wish.type : 'dpp'
  const chosen = chosenLink(all, type, accept)
  if (!chosen) throw problem('NOT_FOUND', `There is no link of this type. There are ${typesOf(all).join(', ')}.`, { path: 'linkType' })
  return leadTo(asked, only.anchor, chosen.href)
}

/**
 * The whole query goes along to pages; operations of the API refuse what they do not know, so not to them.
 * Source: GS1-Conformant Resolver 1.2, section 2.12.
 */
const leadTo = ({ context, search }: Asked, anchor: string, href: string): Answer =>
  redirect(href.startsWith(`${context.settings.baseUrl}/v1/`) ? href : addSearch(href, search), { Link: `<${anchor}?linkType=linkset>; rel="linkset"; type="${setType}"` }, 307)

function wholeSet({ accept, request }: Asked, { unregistered, withdrawals }: Resolved, all: readonly LinkContext[]): Answer {
  const type = chosenType(accept)
  if (type === 'text/html') return linksPage(all, { unregistered, withdrawals }, readerOf(request, undefined))
  return setAnswer(all, type ?? setType, 200)
}

function setAnswer(all: readonly LinkContext[], type: string, status: number): Answer {
  const set = linkSet(all)
  const body = type === 'application/ld+json' ? { '@context': linkSetContext, ...set } : set
  return text(JSON.stringify(body), type, { Link: contextLink }, status)
}

/** One organization has several, and nothing in the request says which. Source: GS1-Conformant Resolver 1.2, section 2.6.3. */
function choices({ accept, context, request }: Asked, found: readonly Resolved[]): Answer {
  const all = found.map((one) => linksOf(context, one))
  const type = chosenType(accept)
  return type === 'text/html' ? choicesPage(found, all, readerOf(request, undefined)) : setAnswer(all, type ?? setType, 300)
}

/** It is not decided whose GTIN it is: nobody is led to, and everybody is told who says what. */
function contested({ accept, context, link, request }: Asked, published: readonly Published[]): Answer {
  const all = published.map(({ found }) => found.map((one) => linksOf(context, one)))
  const type = chosenType(accept)
  if (type !== 'text/html') return setAnswer(all.flat(), type ?? setType, 300)
  const publishers = published.map(({ publisher }, at) => ({ publisher, contexts: all[at] ?? [] }))
  return contestedPage(link.gtin, publishers, readerOf(request, undefined))
}

const chosenType = (accept: string | undefined) =>
  negotiate(accept, [setType, 'application/json', 'application/ld+json', 'text/html'])

const description = operation({
  id: 'describe_resolver_v1', method: 'GET', path: '/.well-known/gs1resolver', summary: 'What the resolver can do',
  tag: 'Pages', access: 'public', hidden: true, cors: true, openQuery: true,
  returns: { 200: { type: 'application/json', description: 'The description.', json: true } },
  headers: { 'Cache-Control': 'public, max-age=3600' },
}).readBy(async ({ work }) => json(resolverDescription(work.context)))

/** The resolver of GS1 Digital Links. */
export const resolverOperations: Operation[] = [resolver, description]
