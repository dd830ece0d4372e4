import {
  addSearch,
  findLink,
  hasNoNumbers,
  createLinkSet,
  linkSetContext,
  createLinkContext,
  parseDigitalLink,
  recordScan,
  resolveDigitalLink,
  findResolvedParents,
  createResolverDescription,
  collectLinkTypes,
  parseLinkType,
  type DigitalLink,
  type LinkContext,
  type PublishedPassports,
  type ResolvedPassport,
} from '../../features/dpp/index.ts'
import { negotiateMediaType } from '../../features/certification/index.ts'
import { answerJson, answerRedirect, answerText, type Answer } from '../../kernel/answer.ts'
import { getCallerOrganization, type Caller } from '../../kernel/caller.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../kernel/operation.ts'
import { ProblemError, createProblem } from '../../kernel/problem.ts'
import { getRequestHost } from '../../kernel/request/request-host.ts'
import { optional, string } from '../../kernel/schema.ts'
import type { Context, Work } from '../../kernel/work.ts'
import { detectReader } from '../site/reader.ts'
import { renderChoicesPage, renderContestedPage, renderLinksPage, renderRefusalPage } from './resolver.views.ts'

const linkSetType = 'application/linkset+json'
const contextLink = `<${linkSetContext}>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"`
const credentialForms = ['application/ld+json', 'application/vc', 'application/vc+jwt'] as const

/** A request to the resolver. */
interface ResolverRequest {
  context: Context
  link: DigitalLink
  accept: string | undefined
  linkType: string | undefined
  /** The query of the request, with the question mark, as it was sent. */
  search: string
  request: RequestDetails
}

/**
 * The operation that resolves a GS1 Digital Link. By default it redirects (307) to the default link, the public page:
 * the standard forbids an answer here that is not the default link. With `linkType` or Accept, callers request the link
 * set, one link, or the credential. The query is passed on. A scan is counted at the page to which it leads; a scan of
 * unregistered numbers is also counted here.
 * Source: GS1-Conformant Resolver 1.2, sections 2.2 to 2.13.
 */
const resolveOperation = declareOperation({
  id: 'resolve_digital_link_v1',
  method: 'GET',
  path: '/01/*path',
  access: { rule: 'public', isOpenToAllOrigins: true },
  params: { path: string('GTIN and qualifiers.') },
  query: { linkType: optional(string('`linkset`, or a link type as `gs1:pip`.', { maxLength: 200 })) },
  returns: { 200: { type: linkSetType, description: 'The link set.', isJson: true } },
  transport: {
    headers: {
      Vary: 'Accept, Accept-Language, Host',
      'Access-Control-Expose-Headers': 'Link, Location',
      'Cache-Control': 'public, max-age=60',
    },
    allowsUnknownQuery: true,
  },
  document: { tag: 'Pages', summary: 'Where a GS1 Digital Link leads', isHidden: true },
}).withReadHandler(async ({ caller, query: { linkType }, request, work }) => {
  const accept = [request.headers.accept].flat().filter(Boolean).join(', ') || undefined
  try {
    return await resolveLink(work, caller, request, accept, linkType)
  } catch (error) {
    if (error instanceof ProblemError && prefersPages(accept))
      return renderRefusalPage(error, detectReader(request, undefined))
    throw error
  }
})

async function resolveLink(
  { context }: Work,
  caller: Caller,
  request: RequestDetails,
  accept: string | undefined,
  linkType: string | undefined,
): Promise<Answer> {
  const at = request.target.indexOf('?')
  const [path, search] = at < 0 ? [request.target, ''] : [request.target.slice(0, at), request.target.slice(at)]
  const resolverRequest: ResolverRequest = { context, link: parseDigitalLink(path), accept, linkType, search, request }
  const published = await resolveDigitalLink(
    context,
    resolverRequest.link,
    getRequestHost(request, context.settings.trustProxy),
  )
  const found = published.flatMap((one) => one.passports)
  const [only] = found
  if (!only) throw createProblem('NOT_FOUND', 'No passport with these numbers is published here.')
  if (published.length > 1) return answerContested(resolverRequest, published)
  const unknown = found.every(({ unregistered }) => !hasNoNumbers(unregistered))
  if (unknown && getCallerOrganization(caller) !== only.organization)
    await recordScan(context, only.id, request.address, true)
  return found.length > 1 ? answerChoices(resolverRequest, found) : answerOnePassport(resolverRequest, only)
}

/** Returns whether a client prefers HTML pages to everything that programs read. */
const prefersPages = (accept: string | undefined) =>
  accept !== undefined && negotiateMediaType(accept, ['application/json', 'text/html']) === 'text/html'

/** Answers a request for a single passport. */
async function answerOnePassport(resolverRequest: ResolverRequest, only: ResolvedPassport): Promise<Answer> {
  const { context, accept, linkType, link } = resolverRequest
  const linkWish = parseLinkType(linkType)
  const preferredType = negotiateMediaType(accept, ['text/html', linkSetType, ...credentialForms])
  const usual = linkWish.kind === 'default' && (preferredType === null || preferredType === 'text/html')
  if (usual)
    return redirectTo(
      resolverRequest,
      only.anchor,
      createLinkContext(context, only).links['defaultLink']?.[0]?.href ?? '',
    )
  const all = [only, ...(await findResolvedParents(context, only, link.gtin))].map((one) =>
    createLinkContext(context, one),
  )
  if (linkWish.kind === 'linkset' || (linkWish.kind === 'default' && preferredType === linkSetType))
    return answerLinkSet(resolverRequest, only, all)
  const type = linkWish.kind === 'type' ? linkWish.type : 'dpp'
  const chosen = findLink(all, type, accept)
  if (!chosen)
    throw createProblem('NOT_FOUND', `There is no link of this type. There are ${collectLinkTypes(all).join(', ')}.`, {
      path: 'linkType',
    })
  return redirectTo(resolverRequest, only.anchor, chosen.href)
}

/**
 * Redirects to a link. Pages get the whole query; operations of the API get none, because they refuse parameters that
 * they do not know. Source: GS1-Conformant Resolver 1.2, section 2.12.
 */
const redirectTo = ({ context, search }: ResolverRequest, anchor: string, href: string): Answer =>
  answerRedirect(
    href.startsWith(`${context.settings.baseUrl}/v1/`) ? href : addSearch(href, search),
    { Link: `<${anchor}?linkType=linkset>; rel="linkset"; type="${linkSetType}"` },
    307,
  )

function answerLinkSet(
  { accept, request }: ResolverRequest,
  { unregistered, withdrawals }: ResolvedPassport,
  all: readonly LinkContext[],
): Answer {
  const type = negotiateType(accept)
  if (type === 'text/html') return renderLinksPage(all, { unregistered, withdrawals }, detectReader(request, undefined))
  return createLinkSetAnswer(all, type ?? linkSetType, 200)
}

function createLinkSetAnswer(all: readonly LinkContext[], type: string, status: number): Answer {
  const set = createLinkSet(all)
  const body = type === 'application/ld+json' ? { '@context': linkSetContext, ...set } : set
  return answerText(JSON.stringify(body), type, { Link: contextLink }, status)
}

/**
 * Answers with all passports of one organization, because the request does not say which is meant. Source:
 * GS1-Conformant Resolver 1.2, section 2.6.3.
 */
function answerChoices({ accept, context, request }: ResolverRequest, found: readonly ResolvedPassport[]): Answer {
  const all = found.map((one) => createLinkContext(context, one))
  const type = negotiateType(accept)
  return type === 'text/html'
    ? renderChoicesPage(found, all, detectReader(request, undefined))
    : createLinkSetAnswer(all, type ?? linkSetType, 300)
}

/** Answers for a GTIN whose owner is undecided: it redirects to no publisher and shows who publishes what. */
function answerContested(
  { accept, context, link, request }: ResolverRequest,
  published: readonly PublishedPassports[],
): Answer {
  const all = published.map(({ passports }) => passports.map((one) => createLinkContext(context, one)))
  const type = negotiateType(accept)
  if (type !== 'text/html') return createLinkSetAnswer(all.flat(), type ?? linkSetType, 300)
  const publishers = published.map(({ publisher }, at) => ({ publisher, contexts: all[at] ?? [] }))
  return renderContestedPage(link.gtin, publishers, detectReader(request, undefined))
}

const negotiateType = (accept: string | undefined) =>
  negotiateMediaType(accept, [linkSetType, 'application/json', 'application/ld+json', 'text/html'])

const describeOperation = declareOperation({
  id: 'describe_resolver_v1',
  method: 'GET',
  path: '/.well-known/gs1resolver',
  access: { rule: 'public', isOpenToAllOrigins: true },
  returns: { 200: { type: 'application/json', description: 'The description.', isJson: true } },
  transport: { headers: { 'Cache-Control': 'public, max-age=3600' }, allowsUnknownQuery: true },
  document: { tag: 'Pages', summary: 'What the resolver can do', isHidden: true },
}).withReadHandler(async ({ work }) => answerJson(createResolverDescription(work.context)))

/** The operations of the resolver of GS1 Digital Links. */
export const resolverOperations: Operation[] = [resolveOperation, describeOperation]
