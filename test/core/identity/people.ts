import { contextOf, type Built } from '../../../core/context.ts'
import { createApplication } from '../../../core/features/applications/index.ts'
import { addMember, createKey, createOrganization, type CreatedKey } from '../../../core/features/identity/index.ts'
import { everyPermission, type PermissionMap, type Role } from '../../../core/kernel/permission.ts'
import { readSettings } from '../../../core/settings.ts'
import { client, type Answer } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'

let built: Promise<Built> | undefined

/** The parts of a process of a test on any platform's database; who asks for them closes them. */
export function operatorOf(database: string): Promise<Built> {
  return contextOf(readSettings({
    NODE_ENV: 'test', LOG_LEVEL: 'fatal', DATABASE_URL: database, KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  }), 'test')
}

/** The operator's side: the parts of a process of this test on the platform's database. */
export async function operator(): Promise<Built['context']> {
  built ??= operatorOf(platform.database)
  return (await built).context
}

after(async () => {
  await (await built)?.close()
  built = undefined
})

let count = 0
/** A word that no other test uses. */
export const unique = (word: string) => `${word}-${process.pid}-${Date.now().toString(36)}-${count++}`
export const newEmail = (word = 'person') => `${unique(word)}@people.example`
/** A phone number that nobody has. */
export const newPhone = () => `333${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`

export interface Tenant { organization: string; application: string; owner: string; key: string }

/** An organization with an application, an owner and a key that may do all. */
export async function newTenant(): Promise<Tenant> {
  const context = await operator()
  const owner = newEmail('owner')
  const { id: organization } = await createOrganization(context, { name: unique('Org'), owner })
  const application = await newApplication(organization)
  const { key } = await newKey(organization, everyPermission)
  return { organization, application, owner, key }
}

export async function newApplication(organization: string): Promise<string> {
  const context = await operator()
  const made = await context.db.transaction((trx) =>
    createApplication(trx, organization, { name: unique('Shop') }, { network: 'EthereumAnvil' }))
  return made.id
}

export async function newKey(organization: string, permissions: PermissionMap, expiresAt?: Date): Promise<CreatedKey> {
  return createKey(await operator(), { organization, name: 'Test', permissions, ...(expiresAt && { expiresAt }) })
}

export async function newMember(organization: string, role: Role): Promise<string> {
  const email = newEmail(role)
  await addMember(await operator(), organization, email, role)
  return email
}

/** Lets buyers of an organization sign in by phone. */
export async function enablePhones(organization: string): Promise<void> {
  const { db } = await operator()
  await db.raw(`update organizations set settings = jsonb_set(settings, '{authConfig,phone-otp,enabled}', 'true') where id = ?`, [organization])
}

interface Shown { to: string; channel: string; subject: string; text: string }

/** What was sent to an address, the newest first. */
export async function messagesTo(address: string): Promise<Shown[]> {
  const { body } = await client({}, platform.outbox).get('', { unjudged: true })
  return (body as unknown as Shown[]).filter(({ to }) => to === address.toLowerCase())
}

/** The newest code that was sent to an address. */
export async function codeFor(address: string): Promise<string> {
  const [message] = await messagesTo(address)
  const code = /\b\d{6}\b/.exec(message?.text ?? '')?.[0]
  if (code === undefined) throw new Error(`No code was sent to ${address}`)
  return code
}

/** A code that is not this one. */
export const otherThan = (code: string) => String((Number(code) + 1) % 1e6).padStart(6, '0')

export const sendOtp = (application: string, email: string) =>
  client().post('/v1/auth/send-otp', { application, type: 'email-otp', email })
export const verifyOtp = (application: string, email: string, otp: string, headers: Record<string, string> = {}) =>
  client().post('/v1/auth/verify-otp', { application, type: 'email-otp', email, otp }, { headers })

/** Signs a buyer in, as their page would. */
export async function signInBuyer(application: string, email = newEmail('buyer'), headers: Record<string, string> = {}): Promise<Answer> {
  await sendOtp(application, email)
  return verifyOtp(application, email, await codeFor(email), headers)
}

/** Signs a member in and chooses an organization. @returns the cookie */
export async function signInMember(email: string, organization?: string): Promise<string> {
  await client().post('/v1/auth/email-otp/send-verification-otp', { email, type: 'sign-in' })
  const { body } = await client().post('/v1/auth/sign-in/email-otp', { email, otp: await codeFor(email) })
  const cookie = `tessera.session=${body['token']}`
  if (organization !== undefined) await own(cookie).post('/v1/auth/organization/set-active', { organizationId: organization })
  return cookie
}

/** A page of ours with this cookie. */
export const own = (cookie: string) => {
  const origin = new URL(platform.api).origin
  const { send } = client({ cookie })
  const sent = (method: string) => (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(method, path, body, { headers: { origin, ...headers } })
  return { get: sent('GET'), post: sent('POST'), patch: sent('PATCH'), delete: sent('DELETE') }
}

/** The Set-Cookie field of an answer in its parts. */
export function cookieOf({ headers }: Answer): string[] {
  return String([headers['set-cookie']].flat()[0]).split('; ')
}
