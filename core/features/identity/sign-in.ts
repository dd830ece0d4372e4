import type { Knex } from 'knex'
import { invalid, problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { ensureAccount, showAccount } from '../accounts/index.ts'
import { enabledMethods, findAnyApplication, type Application } from '../applications/index.ts'
import { addressOf, emailAddress } from './addresses.ts'
import { openSession, type Realm } from './auth.ts'
import { sendCode } from './codes.ts'
import { isNetwork, type SendCode, type VerifyCode } from './identity.schema.ts'
import { membershipsOf, showUser } from './sessions.ts'

const memberRealm: Realm = { kind: 'member', application: null }
const realmOf = ({ id }: Application): Realm => ({ kind: 'endUser', application: id })

/** Sends a code to a buyer, known or not. */
export async function sendBuyerCode(context: Context, body: SendCode): Promise<void> {
  const address = await addressOf(body)
  const door = await openDoor(context.db, body)
  await sendCode(context, realmOf(door), address, door.name)
}

/**
 * Opens a buyer's session. User, account and wallet are made at the first time.
 * @param network what the header X-Network says; the application's default when it is absent
 */
export async function signInBuyer(context: Context, body: VerifyCode, network: string | undefined) {
  const address = await addressOf(body)
  if (network !== undefined && !isNetwork(network)) {
    throw problem('INVALID_REQUEST', 'X-Network names no network.', { path: 'X-Network' })
  }
  const door = await openDoor(context.db, body)
  const home = network ?? door.defaultNetwork
  if (!context.chains.hasWallets(home)) {
    // Before the code is used, so that it can still be used for another network.
    throw invalid([{ path: 'X-Network', code: 'unusable_network', message: `is ${home}, where nobody can have a wallet here` }])
  }
  const token = await openSession(context, realmOf(door), address, body.otp)
  const session = await sessionOf(context.db, token)
  const holder = { application: door.id, network: home, user: session.user }
  const { id } = await ensureAccount(context, holder)
  await context.db('sessions').where({ token }).update({ account: id })
  const account = await showAccount(context.db, id)
  if (!account) throw new Error('The account of a new session is gone')
  const user = await showUser(context.db, session.user, account.user.name)
  return { token, expiresAt: session.expiresAt, user, account }
}

/** Sends a code to a member, known or not. */
export async function sendMemberCode(context: Context, email: string): Promise<void> {
  await sendCode(context, memberRealm, emailAddress(email), 'Tessera')
}

/** Opens a member's session; no organization is active in it. */
export async function signInMember(context: Context, email: string, code: string) {
  const token = await openSession(context, memberRealm, emailAddress(email), code)
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

interface SessionRow { user_id: string; expires_at: Date }

/** Whose a new session is, and until when; older ones of the same person that have ended are forgotten. */
async function sessionOf(db: Knex, token: string): Promise<{ user: string; expiresAt: string }> {
  const row = await db('sessions').where({ token }).first<SessionRow | undefined>('user_id', 'expires_at')
  if (!row) throw new Error('A new session is gone')
  await db('sessions').where({ user_id: row.user_id }).where('expires_at', '<', db.fn.now()).delete()
  return { user: row.user_id, expiresAt: row.expires_at.toISOString() }
}
