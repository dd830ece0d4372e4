import { createContext, type ContextHandle } from '../../../core/app/context.ts'
import { readSettings } from '../../../core/app/settings.ts'
import { createApiClient, type Answer } from '../../support/client.ts'
import { closeAfterLastFile } from '../../support/suite/closing.ts'
import { platform } from '../../support/platform.ts'
import { enablePhoneSignIn } from '../../support/rows/identity/organization-settings.ts'

let built: Promise<ContextHandle> | undefined

/** The parts of a process of a test on any platform's database; who asks for them closes them. */
export function buildOperator(database: string): Promise<ContextHandle> {
  return createContext(
    readSettings({
      NODE_ENV: 'test',
      LOG_LEVEL: 'fatal',
      DATABASE_URL: database,
      KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    }),
    'test',
  )
}

/** The operator's side: the parts of a process of this test on the platform's database. */
export async function getOperator(): Promise<ContextHandle['context']> {
  built ??= buildOperator(platform.database)
  return (await built).context
}

closeAfterLastFile(async () => (await built)?.close())

let count = 0
/** A word that no other test uses. */
export const createUniqueName = (word: string) => `${word}-${process.pid}-${Date.now().toString(36)}-${count++}`
export const createEmail = (word = 'person') => `${createUniqueName(word)}@people.example`
/** A phone number that nobody has. */
export const createPhone = () => `333${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`

/** Lets buyers of an organization sign in by phone. */
export async function enablePhones(organization: string): Promise<void> {
  const { db } = await getOperator()
  await enablePhoneSignIn(db, organization)
}

export interface OutboxMessage {
  id: string
  to: string
  channel: string
  subject: string
  text: string
}

/** What was sent to an address, the newest first. @param outbox of another platform than that of the run */
export async function listMessagesTo(address: string, outbox = platform.outbox): Promise<OutboxMessage[]> {
  const { body } = await createApiClient({}, outbox).get('', { skipsDocumentCheck: true })
  return (body as unknown as OutboxMessage[]).filter(({ to }) => to === address.toLowerCase())
}

/** The newest code that was sent to an address. */
export async function readCodeFor(address: string): Promise<string> {
  const [message] = await listMessagesTo(address)
  const code = /\b\d{6}\b/.exec(message?.text ?? '')?.[0]
  if (code === undefined) throw new Error(`No code was sent to ${address}`)
  return code
}

/** A code that is not this one. */
export const createOtherCode = (code: string) => String((Number(code) + 1) % 1e6).padStart(6, '0')

export const requestCode = (application: string, email: string) =>
  createApiClient().post('/v1/auth/send-otp', { application, type: 'email-otp', email })
export const verifyOtp = (application: string, email: string, otp: string, headers: Record<string, string> = {}) =>
  createApiClient().post('/v1/auth/verify-otp', { application, type: 'email-otp', email, otp }, { headers })

/** Signs a buyer in, as their page would. */
export async function signInBuyer(
  application: string,
  email = createEmail('buyer'),
  headers: Record<string, string> = {},
): Promise<Answer> {
  await requestCode(application, email)
  return verifyOtp(application, email, await readCodeFor(email), headers)
}

/** Signs a member in, chooses an organization and accepts its documents. @returns the cookie */
export async function signInMember(email: string, organization?: string): Promise<string> {
  await createApiClient().post('/v1/auth/email-otp/send-verification-otp', { email, type: 'sign-in' })
  const { body } = await createApiClient().post('/v1/auth/sign-in/email-otp', { email, otp: await readCodeFor(email) })
  const cookie = `tessera.session=${body['token']}`
  if (organization !== undefined) {
    await getOwnClient(cookie).post('/v1/auth/organization/set-active', { organizationId: organization })
    await acceptDocuments(cookie)
  }
  return cookie
}

/** Accepts the documents that a member has to accept before the pages of the console. */
async function acceptDocuments(cookie: string): Promise<void> {
  const state = await getOwnClient(cookie).get('/v1/legal/me')
  const missing = state.body['missing'] as unknown as { id: string; version: string }[]
  if (missing.length > 0)
    await getOwnClient(cookie).post('/v1/legal/acceptances', {
      acceptances: missing.map(({ id, version }) => ({ document: id, version })),
    })
}

/** A page of ours with this cookie. */
export const getOwnClient = (cookie: string) => {
  const origin = new URL(platform.api).origin
  const { send } = createApiClient({ cookie })
  const sent =
    (method: string) =>
    (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send(method, path, body, { headers: { origin, ...headers } })
  return { get: sent('GET'), post: sent('POST'), patch: sent('PATCH'), delete: sent('DELETE') }
}

/** The Set-Cookie field of an answer in its parts. */
export function getCookies({ headers }: Answer): string[] {
  return String([headers['set-cookie']].flat()[0]).split('; ')
}

/** The status and the code of an answer. */
export const codeOf = ({ status, body }: Answer) => [status, body?.['code']]
