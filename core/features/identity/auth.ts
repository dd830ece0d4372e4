import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac, hkdfSync } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import { roles, type PermissionMap, type Role } from '../../kernel/permission.ts'
import type { Context } from '../../kernel/work.ts'
import {
  credentialTable,
  keyTable,
  organizationTables,
  phoneColumns,
  sessionTable,
  getAllStatements,
  getStatements,
  userTable,
  verificationTable,
} from './auth.tables.ts'
import type { StoredSettings } from './organizations/organizations.settings.ts'
import { hashSecret } from './keys/keys.ts'
import { findUserByEmail } from './sign-in/users.ts'

/** The parts of the process context that the library needs. */
export type AuthContext = Pick<Context, 'db' | 'log' | 'settings'>

/** The audience of a session or a code. A code of one realm is not valid in another. */
export interface Realm {
  kind: 'member' | 'endUser'
  application: string | null
}

/** Values that one call exchanges with the library's callbacks, which can receive them in no other way. */
interface LibraryCall {
  realm?: Realm
  visit?: SessionClient
  /** Whether a one-time code opens the session. */
  isByCode?: boolean
  code?: string
  secret?: string
  token?: string
  /** The transaction that the library's statements belong to; without it each is one by itself. */
  trx?: Knex
}

/**
 * Runs a function that calls the library, with the values that the library's callbacks need. What the library goes on to
 * do after the call, such as its own cleaning, is no part of the transaction.
 */
export async function runInCall<T>(call: LibraryCall, work: () => Promise<T>): Promise<T> {
  try {
    return await callStorage.run(call, work)
  } finally {
    delete call.trx
  }
}

/** The client that opened a session, as the session's owner sees it in the list of sessions. */
export interface SessionClient {
  address: string | null
  agent: string | null
}

const callStorage = new AsyncLocalStorage<LibraryCall>()

const daySeconds = 24 * 60 * 60

/** Lifetime of a session in seconds; use does not prolong it. Buyers sign in rarely, members hold more power. */
const sessionLifetimeSeconds = { member: 7 * daySeconds, endUser: 30 * daySeconds } as const

export type Auth = Awaited<ReturnType<typeof createAuth>>

const authByPool = new WeakMap<Knex, Promise<Auth>>()

/**
 * Returns the library, one instance for each pool. Loads it at first use, because it costs more than the rest of a cold
 * start.
 */
export function getAuth(parts: AuthContext): Promise<Auth> {
  let auth = authByPool.get(parts.db)
  if (!auth) authByPool.set(parts.db, (auth = createAuth(parts)))
  return auth
}

async function createAuth(parts: AuthContext) {
  const [{ betterAuth }, { bearer, emailOTP, organization, phoneNumber }, { createAccessControl }, { apiKey }] =
    await Promise.all([
      import('better-auth'),
      import('better-auth/plugins'),
      import('better-auth/plugins/access'),
      import('@better-auth/api-key'),
    ])
  const secret = getSessionSecret(parts.settings)
  const access = createAccessControl(getAllStatements())
  return betterAuth({
    baseURL: parts.settings.baseUrl,
    basePath: '/v1/auth',
    secrets: [{ version: 1, value: secret }],
    database: createPoolAdapter(parts.db),
    telemetry: { enabled: false },
    logger: {
      level: 'debug',
      log: (level, message) => {
        parts.log[level]({ part: 'sign-in' }, message)
      },
    },
    user: userTable,
    session: { ...sessionTable, disableSessionRefresh: true },
    account: credentialTable,
    verification: verificationTable,
    advanced: { database: { generateId: () => newId() } },
    databaseHooks: {
      session: {
        create: { before: async (session) => ({ data: { ...session, ...createSessionFields(session.token) } }) },
      },
      // The library stores nothing but codes here. one-time-codes.ts stores them instead, because the library removes a
      // code while it verifies a guess and then restores it.
      verification: { create: { before: async () => false } },
    },
    plugins: [
      bearer(),
      emailOTP({
        otpLength: 6,
        storeOTP: 'hashed',
        sendVerificationOTP: async ({ otp }) => {
          setCallCode(otp)
        },
      }),
      phoneNumber({
        otpLength: 6,
        schema: phoneColumns,
        sendOTP: ({ code }) => {
          setCallCode(code)
        },
      }),
      organization({
        schema: organizationTables,
        membershipLimit: 10_000,
        ac: access,
        roles: Object.fromEntries(roles.map((role) => [role, access.newRole(getStatements(role) as never)])),
      }),
      apiKey({
        references: 'organization',
        enableMetadata: true,
        maximumNameLength: 100,
        schema: keyTable,
        rateLimit: { enabled: false },
        keyExpiration: { minExpiresIn: 0, maxExpiresIn: 36_500 },
        startingCharactersConfig: { shouldStore: false },
        customKeyGenerator: () => readCallValue('secret'),
      }),
    ],
  })
}

function readCallValue<K extends keyof LibraryCall>(name: K): NonNullable<LibraryCall[K]> {
  const value = callStorage.getStore()?.[name]
  if (value === undefined) throw new Error(`The sign-in library was called without ${name}`)
  return value as NonNullable<LibraryCall[K]>
}

function setCallCode(code: string): void {
  const call = callStorage.getStore()
  if (!call) throw new Error('The sign-in library made a code that nobody waits for')
  call.code = code
}

/**
 * Returns the fields of a new session that the library does not set. Only the token's hash is stored, so that a stolen
 * table opens no session.
 */
function createSessionFields(token: string) {
  const { kind, application } = readCallValue('realm')
  const { address, agent } = readCallValue('visit')
  const call = callStorage.getStore()
  if (call) call.token = token
  return {
    kind,
    application,
    token: hashSecret(token),
    ipAddress: address,
    userAgent: agent,
    codeAt: call?.isByCode === true ? new Date() : null,
    expiresAt: new Date(Date.now() + sessionLifetimeSeconds[kind] * 1000),
  }
}

/**
 * Returns the keyed hash of a text for one realm. Codes and addresses are stored as such hashes, so that a stolen table
 * reveals nothing.
 */
export function hashForRealm(
  { settings }: Pick<AuthContext, 'settings'>,
  { kind, application }: Realm,
  text: string,
): string {
  return createHmac('sha256', getSessionSecret(settings))
    .update(JSON.stringify([kind, application, text]))
    .digest('base64url')
}

/**
 * Returns the keyed hash of a contact of a person in an application. It tells whether a contact came before, and nothing
 * about whose it is. @param contact e-mail address in small letters, or phone number in E.164 form
 */
export const hashContact = (parts: Pick<AuthContext, 'settings'>, application: string, contact: string): string =>
  hashForRealm(parts, { kind: 'endUser', application }, `contact:${contact}`)

/** Returns SESSION_SECRET, or else a secret derived from KEY_ENCRYPTION_KEY. Source: RFC 5869. */
function getSessionSecret({ sessionSecret, keyEncryptionKey }: AuthContext['settings']): string {
  if (sessionSecret !== undefined) return sessionSecret
  if (keyEncryptionKey === undefined) throw new Error('Sign-in needs SESSION_SECRET or KEY_ENCRYPTION_KEY')
  const derived = hkdfSync('sha256', Buffer.from(keyEncryptionKey, 'base64'), '', 'tessera sessions', 32)
  return Buffer.from(derived).toString('base64url')
}

interface PoolClient {
  query(...args: unknown[]): unknown
}

interface ConnectionOwner {
  acquireConnection(): Promise<PoolClient>
  releaseConnection(client: PoolClient): Promise<unknown>
}

/**
 * Wraps the process's own pool in the shape that the library expects, so that only one pool has to be sized and closed.
 */
function createPoolAdapter(db: Knex) {
  const pool = {
    async connect() {
      // A transaction gives its own connection, and keeps it when the library releases it.
      const owner = (callStorage.getStore()?.trx ?? db).client as ConnectionOwner
      const client = await owner.acquireConnection()
      return {
        query: client.query.bind(client),
        release: () => {
          void owner.releaseConnection(client)
        },
      }
    },
    async end() {
      /* The creator of the pool closes it. */
    },
  }
  return pool as unknown as import('pg').Pool
}

/** Creates the headers that identify a session to the library: it knows a session by the stored hash of its token. */
const createBearerHeaders = (token: string) => new Headers({ authorization: `Bearer ${hashSecret(token)}` })

/** Ends a session in a transaction. Does nothing if the session has already ended. */
export async function endSession(parts: AuthContext, trx: Knex, token: string): Promise<void> {
  const { api } = await getAuth(parts)
  await runInCall({ trx }, () => api.signOut({ headers: createBearerHeaders(token) }))
}

/** Makes an organization the active one of a member's session. The caller must have checked the membership. */
export async function activateOrganization(parts: AuthContext, token: string, organizationId: string): Promise<void> {
  const { api } = await getAuth(parts)
  await api.setActiveOrganization({ headers: createBearerHeaders(token), body: { organizationId } })
}

/** Where new users come from: the library asks, and gives it only to a check of new users that is not set here. */
export const userSource = { method: 'admin' } as const

/** Finds the user with this e-mail address, or creates an unverified one. @returns the user's id */
export async function ensureUser(parts: AuthContext, email: string): Promise<string> {
  const known = await findUserByEmail(parts.db, email)
  if (known) return known.id
  const { internalAdapter } = await (await getAuth(parts)).$context
  return (await internalAdapter.createUser({ email, emailVerified: false, name: '' }, userSource)).id
}

export interface NewOrganizationRow {
  name: string
  slug: string
  customerType: string
  settings: StoredSettings
  /** Identifier of a user. */
  owner: string
}

/**
 * Creates an organization with its first owner, in a transaction.
 * @throws the unique violation of the driver or of the library if the slug is taken
 */
export async function insertOrganization(
  parts: AuthContext,
  trx: Knex,
  { owner, settings, ...row }: NewOrganizationRow,
): Promise<string> {
  const { api } = await getAuth(parts)
  const body = { ...row, userId: owner, settings: settings as never }
  const made = await runInCall({ trx }, () => api.createOrganization({ body }))
  return made.id
}

/** Gives a user a role in an organization in which the user has no role yet, in a transaction. @returns the member's id */
export async function insertMember(
  parts: AuthContext,
  trx: Knex,
  { organizationId, userId, role }: { organizationId: string; userId: string; role: Role },
): Promise<string> {
  const { api } = await getAuth(parts)
  const body = { organizationId, userId, role: role as never }
  const made = await runInCall({ trx }, () => api.addMember({ body }))
  if (!made) throw new Error('The sign-in library made no member')
  return made.id
}

export interface NewApiKeyRow {
  organization: string
  name: string
  permissions: PermissionMap
  expiresAt: Date | null
  secret: string
  /** Identifier of a member who may create keys. */
  user: string
}

/** Stores a key's hash in a transaction. @returns the key's id */
export async function insertApiKey(parts: AuthContext, trx: Knex, row: NewApiKeyRow): Promise<string> {
  const { organization, name, permissions, expiresAt, secret, user } = row
  const auth = await getAuth(parts)
  return runInCall({ secret, trx }, async () => {
    const { id } = await auth.api.createApiKey({
      body: {
        organizationId: organization,
        userId: user,
        name,
        permissions: permissions as Record<string, string[]>,
        metadata: { lastFour: secret.slice(-4) },
        ...(expiresAt && { expiresIn: Math.max(1, Math.ceil((expiresAt.getTime() - Date.now()) / 1000)) }),
      },
    })
    // The library computes the expiry in whole seconds from its own clock; this update sets the exact time.
    const { adapter } = await auth.$context
    if (expiresAt) await adapter.update({ model: 'apikey', where: [{ field: 'id', value: id }], update: { expiresAt } })
    return id
  })
}

/** Revokes a key in a transaction but keeps its row as a record. @param user a member who may update keys */
export async function disableApiKey(parts: AuthContext, trx: Knex, id: string, user: string): Promise<void> {
  const { api } = await getAuth(parts)
  await runInCall({ trx }, () => api.updateApiKey({ body: { keyId: id, userId: user, enabled: false } }))
}

/** Lists every route below `/v1/auth` that the library would open if its handler were mounted. */
export async function getLibraryRoutes(parts: AuthContext): Promise<{ method: string; path: string }[]> {
  const { api } = await getAuth(parts)
  const endpoints = Object.values(api) as unknown as { path?: string; options: { method: string | string[] } }[]
  return endpoints.flatMap(({ path, options }) =>
    path === undefined ? [] : [options.method].flat().map((method) => ({ method, path })),
  )
}
