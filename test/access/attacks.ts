import { hash, randomUUID } from 'node:crypto'
import { hashRequest } from '../../core/http/idempotency/keys.ts'
import { leaseKey } from '../../core/http/idempotency/leases.ts'
import type { ProblemCode } from '../../core/kernel/problem-codes.ts'
import { allPermissions } from '../../core/kernel/permission.ts'
import { createEmail, getOperator, getOwnClient, signInBuyer, signInMember } from '../core/identity/people.ts'
import { buildKey, buildMember } from '../support/world.ts'
import { createApiClient, type Client, type ClientCredential, type RequestOptions } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { signBodies } from '../support/pos/signing.ts'
import { namesRestaurant, webhookSecret } from '../support/pos/restaurants.ts'
import type { Stage } from './tenants.ts'
import {
  createMinimalBody,
  isWriteOperation,
  createOperationPath as pathWith,
  mayHaveUnknownMembers,
  type DocumentOperation,
} from './operations.ts'

/** Who attacks: one of each kind, with what the idempotency of their requests is scoped by. */
export interface Attackers {
  stage: Stage
  key: Client
  powerless: Client
  /** Sessions as cookies, and one of a member who has not chosen an organization. */
  member: string
  buyer: string
  homeless: Client
  scopes: { key: string; member: string; user: string }
}

export async function createAttackers(stage: Stage): Promise<Attackers> {
  const { organization, application } = stage.shop
  const session = await signInBuyer(application)
  const email = createEmail('homeless')
  const homeless = await signInMember(email)
  const member = await signInMember(await buildMember(organization, 'owner'), organization)
  const { body: memberSession } = await getOwnClient(member).get('/v1/auth/session')
  const used = await buildKey(organization, allPermissions)
  return {
    stage,
    key: createApiClient(used.key),
    powerless: createApiClient((await buildKey(organization, {})).key),
    member,
    buyer: `tessera.user=${session.body['token']}`,
    homeless: createApiClient({ bearer: homeless.split('=')[1] ?? '' }),
    scopes: {
      key: `organization:${organization}:key:${used.id}`,
      member: `person:${memberSession['user']?.['id']}`,
      user: `user:${application}:${session.body['user']?.['id']}`,
    },
  }
}

/** What is sent, and the code that has to come back, at this path where one is to blame. */
export interface Attack {
  what: string
  as: Client
  path: string
  body?: unknown
  options?: RequestOptions
  at?: string
  /** The code that comes instead, because a body that nobody can read does not name who signs it. */
  instead?: ProblemCode
}

/** A client whose writes come from our own pages. */
function ofPage(credential: ClientCredential): Client {
  const plain = createApiClient(credential)
  const origin = new URL(platform.api).origin
  return {
    ...plain,
    send: (method, path, body, options = {}) =>
      plain.send(method, path, body, { ...options, headers: { origin, ...options.headers } }),
  }
}

/** Somebody whom the operation lets in. */
export function getAllowedClient({ access, isSigned }: DocumentOperation, { key, member, buyer }: Attackers): Client {
  if (isSigned) return signBodies(key, webhookSecret)
  if (access === 'endUser') return ofPage({ cookie: buyer })
  return access === 'member' || access === 'session' ? ofPage({ cookie: member }) : key
}

const accepts = ({ isStream }: DocumentOperation): RequestOptions =>
  isStream ? { headers: { accept: 'text/event-stream' } } : {}
const pathOf = (operation: DocumentOperation, { stage }: Attackers, ids: Record<string, string> = {}) =>
  pathWith(operation, {
    application: stage.shop.application,
    ...(operation.isSigned && stage.ids(operation.path)),
    // Of another organization nothing is told, so what is below it is looked for in the own one.
    ...(operation.path.startsWith('/v1/organizations/') && { id: stage.shop.organization }),
    ...ids,
  })

/** The least body, of whoever signs it: a body may name its sender where the path does not. */
function bodyOf(operation: DocumentOperation, { stage }: Attackers): unknown {
  const body = createMinimalBody(operation)
  if (!operation.isSigned) return body
  const ids = Object.entries(stage.ids(operation.path)).filter(([name]) => Object.hasOwn(body as object, name))
  return { ...(body as object), ...Object.fromEntries(ids) }
}
const withQuery = (operation: DocumentOperation, attackers: Attackers, query: string) => {
  const path = pathOf(operation, attackers, operation.hasList ? attackers.stage.ids(operation.path) : {})
  return `${path}${path.includes('?') ? '&' : '?'}${query}`
}
const namesOf = ({ path }: DocumentOperation) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

type Provocation = (operation: DocumentOperation, attackers: Attackers) => Attack[] | Promise<Attack[]>

const byQuery =
  (rows: Record<string, string>) =>
  (operation: DocumentOperation, attackers: Attackers): Attack[] =>
    Object.entries(rows).map(([query, at]) => ({
      what: query,
      as: getAllowedClient(operation, attackers),
      path: withQuery(operation, attackers, query),
      body: bodyOf(operation, attackers),
      options: accepts(operation),
      at,
    }))

type BodyAttack = Omit<Attack, 'what' | 'as' | 'path'>

const byBody =
  (rows: (operation: DocumentOperation, attackers: Attackers) => Record<string, BodyAttack>): Provocation =>
  (operation, attackers) =>
    Object.entries(rows(operation, attackers)).map(([what, one]) => ({
      what,
      as: getAllowedClient(operation, attackers),
      path: pathOf(operation, attackers),
      ...one,
    }))

/**
 * Bodies that are read only if it is known who signs them. Where the path names nobody, and the body names nobody who is
 * known, the signature is refused.
 */
const byReadBody = (rows: (operation: DocumentOperation, attackers: Attackers) => Record<string, BodyAttack>) =>
  byBody((operation, attackers) => {
    const all = rows(operation, attackers)
    if (!operation.isSigned || operation.path.includes('{')) return all
    return Object.fromEntries(
      Object.entries(all).map(([what, one]) => [what, namesSender(one, attackers) ? one : refuseSigner(one)]),
    )
  })

const namesSender = ({ body, options }: BodyAttack, { stage }: Attackers): boolean =>
  namesRestaurant(String(options?.raw ?? JSON.stringify(body ?? null)), stage.restaurant)

const refuseSigner = ({ at: _at, ...attack }: BodyAttack): BodyAttack => ({
  ...attack,
  instead: 'WEBHOOK_INVALID_SIGNATURE',
})

const byCaller =
  (callers: (operation: DocumentOperation, attackers: Attackers) => Record<string, Client>): Provocation =>
  (operation, attackers) =>
    Object.entries(callers(operation, attackers)).map(([what, as]) => ({
      what,
      as,
      path: pathOf(operation, attackers),
      body: bodyOf(operation, attackers),
      options: accepts(operation),
    }))

const tooLarge: Provocation = byBody(({ maxBodyBytes }) => ({
  'one byte more than the limit': { options: { raw: Buffer.alloc(maxBodyBytes + 1, ' ') } },
}))

const json = (raw: string | Buffer): Pick<Attack, 'options'> => ({ options: { raw } })

/** A key that an earlier request holds while it runs. */
async function holdKey(operation: DocumentOperation, { scopes }: Attackers, hash: Buffer): Promise<string> {
  const key = randomUUID()
  const isPersonal = operation.access === 'member' || operation.access === 'session'
  const scope = operation.access === 'endUser' ? scopes.user : isPersonal ? scopes.member : scopes.key
  const request = { key, scope, share: scope, seconds: 86_400, operation: operation.id, isTransaction: true }
  await leaseKey(await getOperator(), request, hash)
  return key
}

const withHeldKey =
  (hashOf: (target: string, body: Buffer) => Buffer): Provocation =>
  async (operation, attackers) => {
    const body = bodyOf(operation, attackers)
    const sent = Buffer.from(body === undefined ? '' : JSON.stringify(body))
    const raw = operation.takesFile ? hash('sha256', sent, 'buffer') : sent
    const path = pathOf(operation, attackers)
    const key = await holdKey(
      operation,
      attackers,
      hashOf(`${operation.method} ${path}${path.includes('?') ? '' : '?'}`, raw),
    )
    return [
      {
        what: 'a key that is held',
        as: getAllowedClient(operation, attackers),
        path,
        body,
        options: { headers: { 'idempotency-key': key } },
      },
    ]
  }

/** How each code that the pipeline brings by an operation's shape is provoked, whatever the operation. */
export const provocations: Record<string, Provocation> = {
  INVALID_REQUEST: (operation, attackers) => [
    ...byQuery({
      'nonsense=1': 'nonsense',
      '__proto__=1': '__proto__',
      'constructor[prototype]=1': 'constructor[prototype]',
      'a=%00': 'query',
      'a=%ff': 'query',
      'a=%ED%A0%80': 'query',
    })(operation, attackers),
    ...namesOf(operation).map((name) => ({
      what: `${name} is nonsense`,
      as: getAllowedClient(operation, attackers),
      path: pathOf(operation, attackers, { [name]: operation.invalidParams[name] ?? 'nonsense' }),
      body: bodyOf(operation, attackers),
      options: accepts(operation),
      at: name,
    })),
    ...(isWriteOperation(operation) && operation.codes.has('IDEMPOTENCY_IN_PROGRESS')
      ? [
          {
            what: 'an idempotency key that is too long',
            as: getAllowedClient(operation, attackers),
            path: pathOf(operation, attackers),
            body: bodyOf(operation, attackers),
            options: { headers: { 'idempotency-key': 'k'.repeat(256) } },
            at: 'Idempotency-Key',
          },
        ]
      : []),
    // Some operations answer 400 for whatever is wrong with a body.
    ...(operation.body && !operation.codes.has('VALIDATION_FAILED')
      ? (byBody(hostileBodies)(operation, attackers) as Attack[])
      : []),
  ],
  INVALID_JSON: byReadBody((operation, attackers) =>
    operation.takesFile
      ? {
          'a word': json('nonsense'),
          'a text': json('"nonsense"'),
        }
      : {
          'half an object': json('{"name"'),
          ...(operation.needsBody && { 'no body': {} }),
          'bytes that are no UTF-8': json(Buffer.from([0x22, 0xff, 0x22])),
          'a member named twice': operation.isSigned
            ? withMember(bodyOf(operation, attackers) as object, '"nonsense":1,"nonsense":2')
            : json('{"nonsense":1,"nonsense":2}'),
          'single quotes': json("{'a':1}"),
        },
  ),
  UNSUPPORTED_MEDIA_TYPE: byBody((operation, attackers) => ({
    'plain text': { body: bodyOf(operation, attackers), options: { headers: { 'content-type': 'text/plain' } } },
    'a form': {
      body: bodyOf(operation, attackers),
      options: { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    },
    'a coding that is not undone': {
      body: bodyOf(operation, attackers),
      options: { headers: { 'content-encoding': 'zstd' } },
    },
  })),
  PAYLOAD_TOO_LARGE: tooLarge,
  MINT_BATCH_TOO_LARGE: tooLarge,
  VALIDATION_FAILED: byReadBody((operation, attackers) =>
    operation.body === null ? {} : hostileBodies(operation, attackers),
  ),
  INVALID_FILTER: (operation, attackers) =>
    byQuery({
      'filters[nonsense][eq]=1': 'filters[nonsense][eq]',
      [`filters[${operation.idFilter}][matches]=1`]: `filters[${operation.idFilter}][matches]`,
      [`filters[${operation.idFilter}][eq]=1`]: `filters[${operation.idFilter}][eq]`,
      'filters[__proto__][eq]=1': 'filters[__proto__][eq]',
      'filters=[': 'filters',
      [`filters[0][field]=${operation.idFilter}&filters[0][operator]=eq&filters[0][value]=1`]: 'filters[0].value',
    })(operation, attackers),
  INVALID_SORTER: byQuery({
    'sorters[0][field]=nonsense': 'sorters[0].field',
    'sorters[0][field]=id&sorters[0][order]=up': 'sorters[0].order',
    'sorters=1': 'sorters',
  }),
  INVALID_PAGINATION: byQuery({
    'pageSize=0': 'pageSize',
    // More than any route takes, of rows or of results.
    'pageSize=1001': 'pageSize',
    'currentPage=0': 'currentPage',
    'cursor=!': 'cursor',
    'cursor=bm9uc2Vuc2U': 'cursor',
  }),
  AUTH_UNAUTHENTICATED: byCaller(({ access }) => ({
    'a stale token': createApiClient({ bearer: 'nonsense' }),
    ...(access !== 'public' && { nobody: createApiClient() }),
  })),
  AUTH_INVALID_API_KEY: byCaller(() => ({
    'a wrong key': createApiClient('tsr_test_nonsense'),
    'a wrong key as a token': createApiClient({ bearer: 'tsr_live_nonsense' }),
  })),
  AUTH_INSUFFICIENT_PERMISSIONS: byCaller(({ access }, { powerless, buyer }) =>
    access === 'keyOrMember' ? { 'a buyer': ofPage({ cookie: buyer }) } : { 'a key that may do nothing': powerless },
  ),
  AUTH_MISSING_ORG_ID: byCaller((_, { homeless }) => ({ 'a member without an organization': homeless })),
  AUTH_ORIGIN_MISMATCH: (operation, attackers) => {
    const { member, buyer } = attackers
    const as = createApiClient({ cookie: operation.access === 'endUser' ? buyer : member })
    const foreign = { what: 'another site', headers: { origin: 'https://evil.example' } }
    const opaque = { what: 'an opaque origin', headers: { origin: 'null' } }
    // A program signs in without one, whatever cookie it has.
    const none = signsIn(operation) ? [] : [{ what: 'no Origin', headers: {} }]
    return [...none, foreign, opaque].map(({ what, headers }) => ({
      what,
      as,
      path: pathOf(operation, attackers),
      body: bodyOf(operation, attackers),
      options: { headers },
    }))
  },
  NOT_FOUND: (operation, attackers) =>
    namesOf(operation).length === 0
      ? []
      : [
          {
            what: 'nothing has this id',
            as: getAllowedClient(operation, attackers),
            path: pathOf(operation, attackers),
            body: bodyOf(operation, attackers),
            options: accepts(operation),
          },
        ],
  NOT_ACCEPTABLE: (operation, attackers) =>
    ['application/json', 'text/html, application/xml;q=0.9']
      .filter((accept) => !operation.mediaTypes.includes(accept))
      .map((accept) => ({
        what: accept,
        as: getAllowedClient(operation, attackers),
        path: pathOf(operation, attackers),
        options: { headers: { accept } },
      })),
  PRECONDITION_FAILED: (operation, attackers) =>
    ['"nonsense"', 'W/"nonsense"', '"a", "b"'].map((match) => ({
      what: match,
      as: getAllowedClient(operation, attackers),
      path: pathOf(operation, attackers, attackers.stage.ids(operation.path)),
      body: bodyOf(operation, attackers),
      options: { headers: { 'if-match': match } },
    })),
  IDEMPOTENCY_IN_PROGRESS: withHeldKey(hashRequest),
  IDEMPOTENCY_KEY_REUSED: withHeldKey((target, body) => hashRequest(`${target}another`, body)),
}

const signsIn = ({ access, path, body }: DocumentOperation) =>
  access === 'public' && path.startsWith('/v1/auth/') && body !== null

/** The body with one member more, written as text. */
function withMember(plain: object, member: string): Pick<Attack, 'options'> {
  const [open, inside, close] = Array.isArray(plain)
    ? ['[', `{${member}}`, ']']
    : ['{', JSON.stringify(plain).slice(1, -1), '}']
  return json(
    Array.isArray(plain)
      ? `${open}${inside}${close}`
      : `${open}${[inside, member].filter((part) => part !== '').join(',')}${close}`,
  )
}

function hostileBodies(operation: DocumentOperation, attackers: Attackers): Record<string, BodyAttack> {
  // What is wrong with a single row of a file its report says.
  if (operation.takesFile) return { 'an object for an array': { body: {}, at: 'body' } }
  const plain = bodyOf(operation, attackers) as object
  const everywhere = {
    'nesting without end': withMember(plain, `"nonsense":${'['.repeat(10_000)}${']'.repeat(10_000)}`),
    'a character that is not text': withMember(plain, '"nonsense":"\\u0000"'),
    'half a surrogate pair': withMember(plain, '"nonsense":"\\ud800"'),
    'half a surrogate pair as a name': withMember(plain, '"\\ud800":1'),
    'a number past the range': withMember(plain, '"nonsense":1e400'),
    'a text for all of it': { body: 'text', at: 'body' },
    'null for all of it': { body: null, at: 'body' },
  }
  if (Array.isArray(plain)) return { ...everywhere, 'an object for an array': { body: {}, at: 'body' } }
  const ofObjects = { ...everywhere, 'an array for an object': { body: [plain], at: 'body' } }
  if (mayHaveUnknownMembers(operation)) return ofObjects
  return {
    ...ofObjects,
    'an unknown member': { body: { ...plain, nonsense: 1 }, at: 'nonsense' },
    'a prototype': { ...withMember(plain, '"__proto__":{"polluted":true}'), at: '__proto__' },
    'a constructor': { body: { ...plain, constructor: { prototype: { polluted: true } } }, at: 'constructor' },
  }
}
