import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac, hkdfSync } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import { roles, type PermissionMap, type Role } from '../../kernel/permission.ts'
import type { Context } from '../../kernel/work.ts'
import {
  allStatements, credentialTable, keyTable, organizationTables, phoneColumns, sessionTable, statementsOf, userTable,
  verificationTable,
} from './auth.tables.ts'
import type { OrganizationSettings } from './organizations.settings.ts'
import { hashOf } from './keys.ts'

/** What the library needs of a process. */
export type AuthParts = Pick<Context, 'db' | 'log' | 'settings'>

/** Who a session or code is for. A code of one realm is worth nothing in another. */
export interface Realm { kind: 'member' | 'endUser'; application: string | null }

/** What one call hands to the library's callbacks and takes back from them; they have no other way to meet. */
interface Call {
  realm?: Realm
  visit?: Visit
  /** The library makes a code and keeps none. */
  makesCode?: true
  code?: string
  secret?: string
  token?: string
}

/** Runs what calls the library, beside what its callbacks are to know. */
export const inCall = <T>(call: Call, work: () => Promise<T>): Promise<T> => calls.run(call, work)

/** Where a session begins: what its owner sees in the list of sessions. */
export interface Visit { address: string | null; agent: string | null }

const calls = new AsyncLocalStorage<Call>()

const day = 24 * 60 * 60

/** How long a session is good, in seconds, however it is used. Buyers sign in rarely, members hold more power. */
const sessionLife = { member: 7 * day, endUser: 30 * day } as const

export type Auth = Awaited<ReturnType<typeof build>>

const built = new WeakMap<Knex, Promise<Auth>>()

/** The library, loaded and built at first use because it costs more than the rest of a cold start. One a pool. */
export function authOf(parts: AuthParts): Promise<Auth> {
  let auth = built.get(parts.db)
  if (!auth) built.set(parts.db, auth = build(parts))
  return auth
}

async function build(parts: AuthParts) {
  const [{ betterAuth }, { bearer, emailOTP, organization, phoneNumber }, { createAccessControl }, { apiKey }] =
    await Promise.all([
      import('better-auth'), import('better-auth/plugins'), import('better-auth/plugins/access'),
      import('@better-auth/api-key'),
    ])
  const secret = secretOf(parts.settings)
  const access = createAccessControl(allStatements)
  return betterAuth({
    appName: 'Tessera',
    baseURL: parts.settings.baseUrl,
    basePath: '/v1/auth',
    secrets: [{ version: 1, value: secret }],
    database: poolOf(parts.db),
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { level: 'debug', log: (level, message) => { parts.log[level]({ part: 'sign-in' }, message) } },
    emailAndPassword: { enabled: false },
    user: userTable,
    session: { ...sessionTable, disableSessionRefresh: true },
    account: credentialTable,
    verification: verificationTable,
    advanced: {
      database: { generateId: () => newId() },
      disableCSRFCheck: true,
      disableOriginCheck: true,
    },
    databaseHooks: {
      session: { create: { before: async (session) => ({ data: { ...session, ...sessionOf(session.token) } }) } },
      // Codes are kept by one-time-codes.ts: the library takes a code out while it judges a guess, and puts it back.
      verification: { create: { before: async () => calls.getStore()?.makesCode !== true } },
    },
    plugins: [
      bearer(),
      emailOTP({
        otpLength: 6, storeOTP: 'hashed',
        sendVerificationOTP: async ({ otp }) => { takeCode(otp) },
      }),
      phoneNumber({
        otpLength: 6, schema: phoneColumns,
        sendOTP: ({ code }) => { takeCode(code) },
      }),
      organization({
        creatorRole: 'owner', schema: organizationTables, membershipLimit: 10_000, ac: access,
        roles: Object.fromEntries(roles.map((role) => [role, access.newRole(statementsOf(role) as never)])),
      }),
      apiKey({
        references: 'organization', enableMetadata: true, requireName: true, maximumNameLength: 100, schema: keyTable,
        rateLimit: { enabled: false },
        keyExpiration: { minExpiresIn: 0, maxExpiresIn: 36_500 },
        startingCharactersConfig: { shouldStore: false },
        customKeyGenerator: () => called('secret'),
      }),
    ],
  })
}

function called<K extends keyof Call>(name: K): NonNullable<Call[K]> {
  const value = calls.getStore()?.[name]
  if (value === undefined) throw new Error(`The sign-in library was called without ${name}`)
  return value as NonNullable<Call[K]>
}

function takeCode(code: string): void {
  const call = calls.getStore()
  if (!call) throw new Error('The sign-in library made a code that nobody waits for')
  call.code = code
}

/** Members of a new session beside the library's. Of its token only the hash is kept: a stolen table opens nothing. */
function sessionOf(token: string) {
  const { kind, application } = called('realm')
  const { address, agent } = called('visit')
  const call = calls.getStore()
  if (call) call.token = token
  return {
    kind, application, token: hashOf(token), ipAddress: address, userAgent: agent,
    expiresAt: new Date(Date.now() + sessionLife[kind] * 1000),
  }
}

/** The keyed hash of a text for one realm: what is stored of codes and addresses, so that a stolen table opens nothing. */
export function sealFor({ settings }: AuthParts, { kind, application }: Realm, text: string): string {
  return createHmac('sha256', secretOf(settings)).update(JSON.stringify([kind, application, text])).digest('base64url')
}

/** SESSION_SECRET, else one derived from KEY_ENCRYPTION_KEY. Source: RFC 5869. */
function secretOf({ sessionSecret, keyEncryptionKey }: AuthParts['settings']): string {
  if (sessionSecret !== undefined) return sessionSecret
  if (keyEncryptionKey === undefined) throw new Error('Sign-in needs SESSION_SECRET or KEY_ENCRYPTION_KEY')
  const derived = hkdfSync('sha256', Buffer.from(keyEncryptionKey, 'base64'), '', 'tessera sessions', 32)
  return Buffer.from(derived).toString('base64url')
}

interface Client { query(...args: unknown[]): unknown }

/** The process's own pool in the shape the library expects, so that there is one pool to size and to close. */
function poolOf(db: Knex) {
  const pool = {
    async connect() {
      const client = await db.client.acquireConnection() as Client
      return { query: client.query.bind(client), release: () => { void db.client.releaseConnection(client) } }
    },
    async end() { /* whoever made the pool closes it */ },
  }
  return pool as unknown as import('pg').Pool
}

/** The library knows sessions by what is stored of their tokens. */
const bearing = (token: string) => new Headers({ authorization: `Bearer ${hashOf(token)}` })

/** Ends a session. One that has ended already stays ended. */
export async function endSession(parts: AuthParts, token: string): Promise<void> {
  const { api } = await authOf(parts)
  await api.signOut({ headers: bearing(token) })
}

/** Makes the organization the active one of a member's session. The caller has checked the membership. */
export async function activateOrganization(parts: AuthParts, token: string, organizationId: string): Promise<void> {
  const { api } = await authOf(parts)
  await api.setActiveOrganization({ headers: bearing(token), body: { organizationId } })
}

/** The user with this e-mail address, made unverified when there is none. @returns the id */
export async function ensureUser(parts: AuthParts, email: string): Promise<string> {
  const { internalAdapter } = await (await authOf(parts)).$context
  const known = await internalAdapter.findUserByEmail(email)
  if (known) return known.user.id
  return (await internalAdapter.createUser({ email, emailVerified: false, name: '' }, { method: 'admin' })).id
}

export interface NewOrganizationRow {
  name: string
  slug: string
  customerType: string
  settings: OrganizationSettings
  /** A user's id. */
  owner: string
}

/** A new organization with its first owner. @throws the driver's unique violation, or the library's own, for a slug */
export async function insertOrganization(parts: AuthParts, values: NewOrganizationRow): Promise<string> {
  const { owner, settings, ...row } = values
  const { api } = await authOf(parts)
  const made = await api.createOrganization({ body: { ...row, userId: owner, settings: settings as never } })
  return made.id
}

/** Gives a user a role in an organization that they have none in yet. */
export async function insertMember(
  parts: AuthParts, organizationId: string, userId: string, role: Role,
): Promise<void> {
  const { api } = await authOf(parts)
  await api.addMember({ body: { organizationId, userId, role: role as never } })
}

export interface NewKeyRow {
  organization: string
  name: string
  permissions: PermissionMap
  expiresAt: Date | null
  secret: string
  /** A member who may create keys. */
  user: string
}

/** Stores a key's hash. @returns the id */
export async function insertKey(parts: AuthParts, row: NewKeyRow): Promise<string> {
  const { organization, name, permissions, expiresAt, secret, user } = row
  const auth = await authOf(parts)
  const { id } = await calls.run({ secret }, () => auth.api.createApiKey({
    body: {
      organizationId: organization, userId: user, name, permissions: permissions as Record<string, string[]>,
      metadata: { lastFour: secret.slice(-4) },
      ...(expiresAt && { expiresIn: Math.max(1, Math.ceil((expiresAt.getTime() - Date.now()) / 1000)) }),
    },
  }))
  // The library counts in seconds from its own now; a key ends at the instant that was asked for.
  const { adapter } = await auth.$context
  if (expiresAt) await adapter.update({ model: 'apikey', where: [{ field: 'id', value: id }], update: { expiresAt } })
  return id
}

/** Revokes a key; its row stays for the record. @param user a member who may update keys */
export async function disableKey(parts: AuthParts, id: string, user: string): Promise<void> {
  const { api } = await authOf(parts)
  await api.updateApiKey({ body: { keyId: id, userId: user, enabled: false } })
}

/** Every route that the library would open if its handler were mounted, below `/v1/auth`. */
export async function libraryRoutes(parts: AuthParts): Promise<{ method: string; path: string }[]> {
  const { api } = await authOf(parts)
  const endpoints = Object.values(api) as unknown as { path?: string; options: { method: string | string[] } }[]
  return endpoints.flatMap(({ path, options }) =>
    path === undefined ? [] : [options.method].flat().map((method) => ({ method, path })))
}
