import fc from 'fast-check'
import {
  foreignBodies,
  hostileBodies,
  strayBodies,
  validBodies,
  type Body,
  type ExpectedAnswer,
} from './generators/bodies.ts'
import type { FuzzTarget } from './document.ts'
import { hostileHeads, hostilePaths, steadyHeads, type Head } from './generators/hostile-headers.ts'
import { injectedValues, type Query } from './generators/filters.ts'
import { hostileQueries } from './generators/queries.ts'

export const callers = ['nobody', 'key', 'buyer', 'member'] as const
export type CallerName = (typeof callers)[number]

/** A request that is yet to be filled in with what is on the stage, and what its answer has to be. */
export interface Call {
  target: FuzzTarget
  what: string
  as: CallerName
  path: string
  headers: Readonly<Record<string, string>>
  body?: string
  bytes?: true
  wanted?: ExpectedAnswer
  rows?: Query['rows']
}

/** Whom the document lets call. */
export function isAllowed({ access }: FuzzTarget, who: CallerName): boolean {
  if (access === 'public') return true
  if (access === 'signedIn') return who !== 'nobody'
  if (access === 'endUser') return who === 'buyer'
  if (access === 'session') return who === 'buyer' || who === 'member'
  return access === 'member' ? who === 'member' : who === 'key' || who === 'member'
}

/** What a parameter of this name stands for: where it depends, what a read takes and what a write may spoil. */
const standingByName: Readonly<Record<string, string | readonly [read: string, write: string]>> = {
  appId: ['{{application}}', '{{spareApplication}}'],
  jobId: '{{mintJob}}',
  sha256: '{{context}}',
  gtin: '{{gtin}}',
  did: '{{issuer}}',
  integrationId: '{{integration}}',
  restaurantId: '{{restaurant}}',
  customerId: 'C-2041',
  channel: 'apple-wallet',
  memberId: '{{spareMember}}',
  invitationId: '{{spareInvitation}}',
}

/** What the parameters of other names stand for, by the first pattern that the path matches. */
const standingByPath: readonly (readonly [pattern: RegExp, read: string, write: string])[] = [
  [/^\/v1\/invitations\//, '{{spareInvitation}}', '{{spareInvitation}}'],
  [/^\/v1\/organizations\//, '{{organization}}', '{{organization}}'],
  [/\/points-of-sale\//, '{{pointOfSale}}', '{{sparePointOfSale}}'],
  [/\/campaigns\//, '{{campaign}}', '{{spareCampaign}}'],
  [/\{domain\}/, '{{slug}}.example.com', '{{slug}}.example.com'],
  [/\/status-lists\//, '{{statusList}}', '{{statusList}}'],
  [/\/dpp\/passports\/.*\/status$/, '{{certified}}', '{{certified}}'],
  [/\/certification-keys\//, '{{certificationKey}}', '{{certificationKey}}'],
  [/^\/v1\/imports\//, '{{import}}', '{{import}}'],
  [/^\/v1\/import\/mappers\//, '{{mapper}}', '{{spareMapper}}'],
  [/\/dpp\/products\/.*\/mint$/, '{{sheet}}', '{{sheet}}'],
  [/\/dpp\/products\//, '{{sheet}}', '{{spareSheet}}'],
  [/^/, '{{published}}', '{{draft}}'],
]

/** What on the stage a parameter of a path stands for: what a write may spoil is made for it. */
function standing({ path, method }: FuzzTarget, name: string): string {
  if (path.startsWith('/v1/dpp/claim/')) return '{{claimJob}}'
  // The member may delete the whole stage.
  if (method === 'DELETE' && path === '/v1/organizations/{id}') return '{{published}}'
  const [, ...byPath] = standingByPath.find(([pattern]) => pattern.test(path)) ?? []
  const [read = '', write = read] = [standingByName[name] ?? byPath].flat()
  return method === 'GET' ? read : write
}

function pathOf(target: FuzzTarget, values: Readonly<Record<string, string>> = {}): string {
  const path = target.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? standing(target, name))
  const stated = Object.entries(target.query).map(
    ([name, value]) => `${name}=${name === 'application' ? '{{application}}' : value}`,
  )
  // What would take the whole stage away takes nothing: all filters of a request have to match.
  const query = /\/passports\/(archive|delete)$/.test(target.path)
    ? [...stated, 'filters[reference][eq]=of-no-passport']
    : stated
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

/** The call as it should be. */
function plain(target: FuzzTarget, as: CallerName, body?: Body): Call {
  const first = body ?? (target.body ? validBodies(target.body).at(-1) : undefined)
  const headers = {
    ...(target.isStream && { accept: 'text/event-stream' }),
    ...(first && { 'content-type': 'application/json' }),
  }
  return {
    target,
    what: body?.what ?? 'as it should be',
    as,
    path: pathOf(target),
    headers,
    ...(first && { body: first.text }),
  }
}

/** Signing out ends a session: there the first call is the only one that is let in. */
export const endsSession = ({ target, as }: Call): boolean =>
  target.id === 'sign_out_v1' && (as === 'buyer' || as === 'member')

/** Who is not let in hears only that, whatever else is wrong. */
function gated(call: Call): Call {
  if (endsSession(call)) {
    const { wanted: _, ...rest } = call
    return rest
  }
  if (isAllowed(call.target, call.as)) return call
  const { rows: _, ...rest } = call
  const also = (call.wanted?.statuses ?? []).filter((status) => status === 404 || status === 431)
  return { ...rest, wanted: { statuses: [401, 403, ...also] } }
}

/** Some operations answer 400 for whatever is wrong with a body. */
const wantedBy = ({ codes }: FuzzTarget, wanted: ExpectedAnswer): ExpectedAnswer =>
  codes.has('VALIDATION_FAILED')
    ? wanted
    : { ...wanted, statuses: wanted.statuses.map((status) => (status === 422 ? 400 : status)) }

const withBody = (target: FuzzTarget, as: CallerName, one: Body): Call => ({
  ...plain(target, as, one),
  ...(one.bytes && { bytes: true }),
  // What is wrong with a row of a file its report says.
  ...(one.wanted
    && !target.takesFile
    && (one.text !== '' || target.needsBody) && { wanted: wantedBy(target, one.wanted) }),
})

const withQuery = (start: Call, { what, text, wanted, rows }: Query): Call => ({
  ...start,
  what,
  path: `${start.path}${start.path.includes('?') ? '&' : '?'}${text}`,
  ...(wanted && { wanted }),
  ...(rows && { rows }),
})

const withHead = (start: Call, { what, headers, unsigned }: Head): Call => ({
  ...start,
  what,
  as: unsigned ? 'nobody' : start.as,
  headers: { ...start.headers, ...headers },
})

function hostileOf(target: FuzzTarget, as: CallerName): fc.Arbitrary<Call> {
  const start = plain(target, as)
  const paths = hostilePaths(target)
  const bodies = target.body
    ? { weight: 8, arbitrary: hostileBodies(target.body).map((one) => withBody(target, as, one)) }
    : {
        weight: 1,
        arbitrary: strayBodies.map(({ what, text }): Call => ({
          ...start,
          what,
          headers: { ...start.headers, 'content-type': 'application/json' },
          body: text,
        })),
      }
  return fc.oneof(
    bodies,
    { weight: target.list ? 10 : 2, arbitrary: hostileQueries(target).map((one) => withQuery(start, one)) },
    {
      weight: 3,
      arbitrary: hostileHeads.map((one) => withHead(start, one)),
    },
    ...(paths
      ? [
          {
            weight: 2,
            arbitrary: paths.map(({ what, values, wanted }): Call => ({
              ...start,
              what,
              path: pathOf(target, values),
              wanted,
            })),
          },
        ]
      : []),
  )
}

/** Hostile calls of an operation, mostly by those whom it lets in. */
export function hostileCalls(target: FuzzTarget): fc.Arbitrary<Call> {
  const who = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...inside(target)) },
    { weight: 1, arbitrary: fc.constantFrom(...callers) },
  )
  const call = who.chain((as) => hostileOf(target, as)).map(gated)
  return call.map((one) => Object.assign(one, { [fc.toStringMethod]: () => describeCall(one) }))
}

const inside = (target: FuzzTarget) => callers.filter((who) => isAllowed(target, who))

/** The calls that an operation takes, by which the hostile ones are known to be wrong in one thing only. */
export function validCalls(target: FuzzTarget): readonly Call[] {
  const [first = 'key', ...others] = [...inside(target)].reverse()
  const bodies = target.body
    ? validBodies(target.body).map((body) => plain(target, first, body))
    : [plain(target, first)]
  return [...bodies, ...others.map((as) => plain(target, as))].map(gated)
}

/** Hostile calls that are always made, each by somebody who is let in. */
export function steadyCalls(target: FuzzTarget): readonly Call[] {
  const start = plain(target, inside(target).at(-1) ?? 'key')
  return [
    ...steadyHeads.map((head) => withHead(start, head)),
    ...(target.body ? foreignBodies(target.body).map((body) => withBody(target, start.as, body)) : []),
    ...(target.list ? injectedValues(target.list).map((query) => withQuery(start, query)) : []),
  ].map(gated)
}

const maxShownLength = 1_500
const cut = (text: string) =>
  text.length > maxShownLength ? `${text.slice(0, maxShownLength)}… (${text.length} characters)` : text

/** A call as a line to repeat it by. What is too long to be read is cut; the seed and the path bring the whole. */
export function describeCall({ target, what, as, path, headers, body }: Call): string {
  const fields = Object.entries(headers)
    .map(([name, value]) => ` -H ${JSON.stringify(cut(`${name}: ${value}`))}`)
    .join('')
  const data = body === undefined ? '' : ` -d ${cut(body)}`
  return `${target.id}, ${what}: ${as} ${target.method} ${cut(path)}${fields}${data}`
}
