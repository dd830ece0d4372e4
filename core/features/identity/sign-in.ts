import type { Knex } from 'knex'
import type { RequestFacts } from '../../kernel/operation.ts'
import { invalid, problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { ensureAccount, showAccount } from '../accounts/index.ts'
import { enabledMethods, findAnyApplication, type Application } from '../applications/index.ts'
import { addressOf, emailAddress } from './addresses.ts'
import type { Realm, Visit } from './auth.ts'
import { sendCode } from './codes.ts'
import { isNetwork, type SendCode, type VerifyCode } from './identity.schema.ts'
import { hashOf } from './keys.ts'
import { membershipsOf, showUser } from './sessions.ts'
import { openSession } from './sign-in/open-session.ts'
import { judgeOrigin } from './sign-in/origin.ts'

const memberRealm: Realm = { kind: 'member', application: null }
const realmOf = ({ id }: Application): Realm => ({ kind: 'endUser', application: id })

/** What of a request a sign-in looks at. */
export type SignInRequest = Pick<RequestFacts, 'address' | 'headers'>

/** Characters of a user agent that are kept. */
const maxAgentLength = 300

const visitOf = ({ address, headers }: SignInRequest): Visit =>
  ({ address, agent: [headers['user-agent'] ?? []].flat().join(' ').slice(0, maxAgentLength) || null })

/** Sends a code to a buyer, known or not. @throws AUTH_ORIGIN_MISMATCH for a page that is neither ours nor the application's */
export async function sendBuyerCode(context: Context, body: SendCode, request: SignInRequest): Promise<void> {
  const to = await addressOf(body)
  await judgeOrigin(context, request.headers, body.application)
  const door = await openDoor(context.db, body)
  const asking = { realm: realmOf(door), organization: door.organization, address: request.address }
  await sendCode(context, asking, to, door.name)
}

/**
 * Opens a buyer's session. User, account and wallet are made at the first time.
 * @param network what the header X-Network says; the application's default when it is absent
 * @returns the session, and whether its token may also go out as a cookie
 */
export async function signInBuyer(
  context: Context, body: VerifyCode, { network, request }: { network: string | undefined; request: SignInRequest },
) {
  const address = await addressOf(body)
  if (network !== undefined && !isNetwork(network)) {
    throw problem('INVALID_REQUEST', 'X-Network names no network.', { path: 'X-Network' })
  }
  const carrier = await judgeOrigin(context, request.headers, body.application)
  const door = await openDoor(context.db, body)
  const home = network ?? door.defaultNetwork
  if (!context.chains.hasWallets(home)) {
    // Before the code is used, so that it can still be used for another network.
    throw invalid([{ path: 'X-Network', code: 'unusable_network', message: `is ${home}, where nobody can have a wallet here` }])
  }
  const token = await openSession(context, realmOf(door), { address, code: body.otp, visit: visitOf(request) })
  const { id: session, user: signedIn, expiresAt } = await sessionOf(context.db, token)
  const { id } = await ensureAccount(context, { application: door.id, network: home, user: signedIn })
  await context.db('sessions').where({ id: session }).update({ account: id })
  const account = await showAccount(context.db, id)
  if (!account) throw new Error('The account of a new session is gone')
  const user = await showUser(context.db, signedIn, account.user.name)
  return { session: { token, expiresAt, user, account }, carrier }
}

/** Sends a code to a member, known or not. @throws AUTH_ORIGIN_MISMATCH for another site's page */
export async function sendMemberCode(context: Context, email: string, request: SignInRequest): Promise<void> {
  await judgeOrigin(context, request.headers, null)
  const asking = { realm: memberRealm, organization: null, address: request.address }
  await sendCode(context, asking, emailAddress(email), 'Tessera')
}

/** Opens a member's session; no organization is active in it. @throws AUTH_ORIGIN_MISMATCH for another site's page */
export async function signInMember(context: Context, { email, otp }: { email: string; otp: string }, request: SignInRequest) {
  await judgeOrigin(context, request.headers, null)
  const token = await openSession(context, memberRealm, {
    address: emailAddress(email), code: otp, visit: visitOf(request),
  })
  const { user, expiresAt } = await sessionOf(context.db, token)
  const [shown, organizations] = await Promise.all([showUser(context.db, user), membershipsOf(context.db, user)])
  return { token, expiresAt, user: shown, organizations }
}

/** @throws NOT_FOUND for no such application, VALIDATION_FAILED for a way in that its organization has not enabled */
async function openDoor(db: Knex, { application, type }: SendCode): Promise<Application> {
  const door = await findAnyApplication(db, application)
  const methods = await enabledMethods(db, door.organization)
  if (!methods.includes(type)) {
    throw invalid([{ path: 'type', code: 'not_enabled', message: `${type} is not enabled here` }])
  }
  return door
}

interface SessionRow { id: string; user_id: string; expires_at: Date }

/** Whose a new session is, and until when; older ones of the same person that have ended are forgotten. */
async function sessionOf(db: Knex, token: string): Promise<{ id: string; user: string; expiresAt: string }> {
  const row = await db('sessions').where({ token: hashOf(token) }).first<SessionRow | undefined>('id', 'user_id', 'expires_at')
  if (!row) throw new Error('A new session is gone')
  await db('sessions').where({ user_id: row.user_id }).where('expires_at', '<', db.fn.now()).delete()
  return { id: row.id, user: row.user_id, expiresAt: row.expires_at.toISOString() }
}
