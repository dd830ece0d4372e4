import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac, hkdfSync } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import { roles, type PermissionMap, type Role } from '../../kernel/permission.ts'
import { invalid, problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import {
  allStatements, credentialTable, keyTable, organizationTables, phoneColumns, sessionTable, statementsOf, userTable,
  verificationTable,
} from './auth.tables.ts'
import type { OrganizationSettings } from './organizations.settings.ts'
import { isDuplicate } from './words.ts'

/** What the library needs of a process. */
export type AuthParts = Pick<Context, 'db' | 'log' | 'settings'>

/** Who a session or code is for. A code of one realm is worth nothing in another. */
export interface Realm { kind: 'member' | 'endUser'; application: string | null }

/** What one call hands to the library's callbacks and takes back from them; they have no other way to meet. */
interface Call { realm?: Realm; code?: string; secret?: string }

const calls = new AsyncLocalStorage<Call>()

/** How long a code is good, in seconds. */
export const codeLife = 600
const wrongTries = 5
const day = 24 * 60 * 60

/** How long a session is good, in seconds, however it is used. Buyers sign in rarely, members hold more power. */
const sessionLife = { member: 7 * day, endUser: 30 * day } as const

/** Domain of the made-up addresses of people known by phone only: it never receives mail. Source: RFC 2606, section 2. */
const noMail = 'phone.invalid'

/** Whether this is an address made up for a phone user: never shown, never verified, never matched. */
export const isMadeUp = (email: string) => email.endsWith(`@${noMail}`)

type Auth = Awaited<ReturnType<typeof build>>

const built = new WeakMap<Knex, Promise<Auth>>()

/** The library, loaded and built at first use because it costs more than the rest of a cold start. One a pool. */
function authOf(parts: AuthParts): Promise<Auth> {
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
    verification: { ...verificationTable, storeIdentifier: { hash: async (address) => seal(secret, address) } },
    advanced: {
      database: { generateId: () => newId() },
      disableCSRFCheck: true,
      disableOriginCheck: true,
    },
    databaseHooks: { session: { create: { before: async (session) => ({ data: { ...session, ...sessionOf() } }) } } },
    plugins: [
      bearer(),
      emailOTP({
        otpLength: 6, expiresIn: codeLife, allowedAttempts: wrongTries,
        storeOTP: { hash: async (code) => seal(secret, code) },
        sendVerificationOTP: async ({ otp }) => { takeCode(otp) },
      }),
      phoneNumber({
        otpLength: 6, expiresIn: codeLife, allowedAttempts: wrongTries, schema: phoneColumns,
        sendOTP: ({ code }) => { takeCode(code) },
        signUpOnVerification: { getTempEmail: () => `${newId()}@${noMail}`, getTempName: () => '' },
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

function sessionOf() {
  const { kind, application } = called('realm')
  return { kind, application, expiresAt: new Date(Date.now() + sessionLife[kind] * 1000) }
}

/** Codes and the addresses they are for are kept as keyed hashes over their realm: a stolen table opens nothing. */
function seal(secret: string, text: string): string {
  const { kind, application } = called('realm')
  return createHmac('sha256', secret).update(JSON.stringify([kind, application, text])).digest('base64url')
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

/** Where a code goes: an e-mail address in small letters, or a phone number in E.164 form. */
export interface Address { channel: 'email' | 'sms'; to: string }

/** A new code for the address in this realm; it takes the place of an older one. @throws VALIDATION_FAILED */
export async function makeCode(parts: AuthParts, realm: Realm, { channel, to }: Address): Promise<string> {
  const { api } = await authOf(parts)
  const call: Call = { realm }
  await calls.run(call, async () => {
    if (channel === 'email') await api.sendVerificationOTP({ body: { email: to, type: 'sign-in' } })
    else await api.sendPhoneNumberOTP({ body: { phoneNumber: to } })
  }).catch((error: unknown) => {
    if (!isRefusal(error, unmailable)) throw error
    throw invalid([{ path: 'email', code: 'format', message: 'is no e-mail address' }])
  })
  if (call.code === undefined) throw new Error('The sign-in library made no code')
  return call.code
}

/** The library is stricter about addresses than the schema of a body. */
const unmailable = new Set(['INVALID_EMAIL'])

/** Codes by which the library says that a one-time code does not open anything. */
const spent = new Set(['INVALID_OTP', 'OTP_EXPIRED', 'OTP_NOT_FOUND', 'TOO_MANY_ATTEMPTS'])

/**
 * A new session for whoever holds the code, who becomes a user at the first time.
 * @returns the token of the session. @throws AUTH_INVALID_OTP when the code is wrong, used, expired or tried too often
 */
export async function openSession(parts: AuthParts, realm: Realm, address: Address, code: string): Promise<string> {
  const auth = await authOf(parts)
  return calls.run({ realm }, async () => {
    try {
      return await tokenFor(auth, address, code)
    } catch (error) {
      if (isRefusal(error, spent)) throw problem('AUTH_INVALID_OTP', 'The code is wrong, used or expired.')
      if (!isDuplicate(error, 'users_email_key', 'users_phone_number_key')) throw error
      return tokenBeside(auth, address)
    }
  })
}

async function tokenFor({ api }: Auth, { channel, to }: Address, code: string): Promise<string> {
  const { token } = channel === 'email'
    ? await api.signInEmailOTP({ body: { email: to, otp: code } })
    : await api.verifyPhoneNumber({ body: { phoneNumber: to, code } })
  if (token === null) throw new Error('The sign-in library made no session')
  return token
}

/**
 * The code was right, but while it was judged the same person became a user elsewhere (two applications at the same
 * time): the session is for that user. Only a user who was verified there counts.
 */
async function tokenBeside(auth: Auth, { channel, to }: Address): Promise<string> {
  const { adapter, internalAdapter } = await auth.$context
  const [field, verified] = channel === 'email' ? ['email', 'emailVerified'] : ['phoneNumber', 'phoneNumberVerified']
  const where = [{ field, value: to }, { field: verified, value: true }]
  const user = await adapter.findOne<{ id: string }>({ model: 'user', where })
  if (!user) throw new Error('A user is neither new nor known')
  return (await internalAdapter.createSession(user.id)).token
}

function isRefusal(error: unknown, codes: ReadonlySet<string>): boolean {
  const { body } = error as { body?: { code?: unknown } }
  return error instanceof Error && typeof body?.code === 'string' && codes.has(body.code)
}

const bearing = (token: string) => new Headers({ authorization: `Bearer ${token}` })

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
