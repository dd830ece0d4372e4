import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import type { RequestDetails } from '../../kernel/operation.ts'
import { createValidationProblem, createProblem, ProblemError } from '../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../kernel/text/languages.ts'
import type { Context } from '../../kernel/work.ts'
import type { Language } from '../../languages/index.ts'
import { ensureAccount, findPresentedAccount, holdAccount } from '../accounts/index.ts'
import {
  listEnabledSignInMethods,
  readAnyApplication,
  type Application,
  type SignInMethod,
} from '../applications/index.ts'
import { recordSessionAct, type ActRequest } from './acts/acts.ts'
import { parseAddress, parseEmailAddress } from './addresses.ts'
import type { Realm, SessionClient } from './auth.ts'
import { sendCode } from './codes.ts'
import { isNetwork, type SendCode, type VerifyCode } from './identity.schema.ts'
import { hashSecret } from './keys/keys.ts'
import { acceptIntent } from './legal/intent.ts'
import { readMemberships, readSessionUser } from './sessions.ts'
import { isReferenceLost } from './slugs.ts'
import { restoreOneTimeCode } from './sign-in/one-time-codes.ts'
import { openSession } from './sign-in/open-session.ts'
import { authorizeOrigin } from './sign-in/origin.ts'

const memberRealm: Realm = { kind: 'member', application: null }
/** Returns the realm of an application's buyers. */
export const createRealm = ({ id }: Application): Realm => ({ kind: 'endUser', application: id })

/** The parts of a request that a sign-in reads. */
export type SignInRequest = Pick<RequestDetails, 'address' | 'headers'>

/** Maximum number of stored characters of a user agent. */
const maxAgentLength = 300

/** Describes the client of a request, as the list of sessions shows it. */
export const createSessionClient = ({ address, headers }: SignInRequest): SessionClient => ({
  address,
  agent: [headers['user-agent']].flat().join(' ').slice(0, maxAgentLength) || null,
})

/**
 * Sends a code to a buyer, whether known or not.
 * @param language language of the message
 * @throws AUTH_ORIGIN_MISMATCH if the page is neither ours nor the application's
 */
export async function sendBuyerCode(
  context: Context,
  body: SendCode,
  request: SignInRequest,
  language: Language,
): Promise<void> {
  const recipient = await parseAddress(body)
  await authorizeOrigin(context, request.headers, body.application)
  const app = await readSignInApplication(context.db, body.application, body.type)
  const codeRequest = { realm: createRealm(app), organization: app.organization, address: request.address }
  await sendCode(context, codeRequest, recipient, {
    name: app.theme.title ?? app.name,
    language,
    application: app.id,
  })
}

/**
 * Opens a buyer's session. Creates user, account and wallet at the first sign-in.
 * @param network value of the header X-Network; if it is absent, the application's default network counts
 * @returns the session, and whether its token may also be sent as a cookie
 */
export async function signInBuyer(
  context: Context,
  body: VerifyCode,
  { network, request }: { network: string | undefined; request: SignInRequest },
) {
  const address = await parseAddress(body)
  assertNetworkName(network, 'X-Network')
  const carrier = await authorizeOrigin(context, request.headers, body.application)
  const app = await readSignInApplication(context.db, body.application, body.type)
  // This check runs before the code is used, so that the code stays valid for an attempt with another network.
  const accountNetwork = findAccountNetwork(context, app, network, 'X-Network')
  const realm = createRealm(app)
  const open = () => openSession(context, realm, { address, code: body.otp, visit: createSessionClient(request) })
  try {
    const session = await openBuyerSession(context, { application: app.id, network: accountNetwork }, open)
    return { session, carrier }
  } catch (cause) {
    // A part that was away, such as the signer, is no reason to ask for another code, of which there are few an hour.
    if (!(cause instanceof ProblemError)) await restoreOneTimeCode(context, realm, address, body.otp)
    throw cause
  }
}

/** Checks the name of a network. @throws INVALID_REQUEST at `path`, where it stood */
export function assertNetworkName(network: string | undefined, path: string): asserts network is Network | undefined {
  if (network === undefined || isNetwork(network)) return
  throw createProblem('INVALID_REQUEST', `${path} names no network.`, { path })
}

/**
 * Returns the network of a buyer's account: the one that was asked for, or else the application's default.
 * @throws VALIDATION_FAILED at `path` if nobody can have a wallet there
 */
export function findAccountNetwork(
  { chains }: Pick<Context, 'chains'>,
  { defaultNetwork }: Application,
  network: Network | undefined,
  path: string,
): Network {
  const found = network ?? defaultNetwork
  if (chains.hasWallets(found)) return found
  throw createValidationProblem([
    { path, code: 'unusable_network', message: `is ${found}, where nobody can have a wallet here` },
  ])
}

/**
 * Opens a session, and the account that it is for.
 * @throws AUTH_INVALID_OTP also if the person's account is deleted at the same time: the code is used up then
 */
export async function openBuyerSession(
  context: Context,
  { application, network }: { application: string; network: Network },
  open: () => Promise<string>,
) {
  const { db } = context
  const token = await throwIfDeleted(open())
  const { id: session, user, expiresAt } = await readNewSession(db, token)
  const account = await attachAccount(context, session, { application, network, user }).catch(
    async (cause: unknown) => {
      await db('sessions').where({ id: session }).delete()
      throw cause
    },
  )
  return { token, expiresAt, user: await readSessionUser(db, user, account.user.name), account }
}

/** Attaches the account of a person to a session. @throws AUTH_INVALID_OTP if it is deleted at the same time */
async function attachAccount(
  context: Context,
  session: string,
  holder: { application: string; network: Network; user: string },
) {
  const { db } = context
  const { id } = await throwIfDeleted(ensureAccount(context, holder))
  const isAttached = await db.transaction(
    async (trx) =>
      (await holdAccount(trx, id)) && (await trx('sessions').where({ id: session }).update({ account: id })) > 0,
  )
  const account = isAttached ? await findPresentedAccount(db, id) : null
  if (!account) throw createDeletedProblem()
  return account
}

const createDeletedProblem = () =>
  createProblem('AUTH_INVALID_OTP', 'The account was deleted while the code was used. Ask for another code.')

/** What is deleted at the same time: the person, or the organization of the application. */
const lostReferences = ['accounts_user_id_fkey', 'sessions_user_id_fkey', 'organization_deleted'] as const

/** Waits for what needs the row of a person. @throws AUTH_INVALID_OTP if that row is deleted at the same time */
async function throwIfDeleted<T>(work: PromiseLike<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw isReferenceLost(error, ...lostReferences) ? createDeletedProblem() : error
  }
}

/** Sends a code to a member, whether known or not. @throws AUTH_ORIGIN_MISMATCH if the page belongs to another site */
export async function sendMemberCode(
  context: Context,
  email: string,
  request: SignInRequest,
  language: ConsoleLanguage,
): Promise<void> {
  await authorizeOrigin(context, request.headers, null)
  const codeRequest = { realm: memberRealm, organization: null, address: request.address }
  await sendCode(context, codeRequest, parseEmailAddress(email), { name: 'Tessera', language, application: null })
}

/**
 * Opens a member's session, in which no organization is active. What the person accepted before they signed up is kept.
 * @throws AUTH_ORIGIN_MISMATCH if the page belongs to another site
 */
export async function signInMember(
  context: Context,
  { email, otp }: { email: string; otp: string },
  request: SignInRequest & ActRequest,
) {
  await authorizeOrigin(context, request.headers, null)
  const token = await openSession(context, memberRealm, {
    address: parseEmailAddress(email),
    code: otp,
    visit: createSessionClient(request),
    opened: (trx, { id, user }) =>
      recordSessionAct(trx, user, { action: 'session.sign-in', target: { kind: 'session', id } }, request),
  })
  const { user, expiresAt } = await readNewSession(context.db, token)
  await acceptIntent(context.db, context, { user, organization: null, headers: request.headers })
  const [sessionUser, organizations] = await Promise.all([
    readSessionUser(context.db, user),
    readMemberships(context.db, user),
  ])
  return { token, expiresAt, user: sessionUser, organizations }
}

/**
 * Reads the application to sign in to.
 * @param path the member that names the method
 * @throws NOT_FOUND if there is none, VALIDATION_FAILED for a method that its organization has not enabled
 */
export async function readSignInApplication(
  db: Knex,
  application: string,
  method: SignInMethod,
  path = 'type',
): Promise<Application> {
  const app = await readAnyApplication(db, application)
  const methods = await listEnabledSignInMethods(db, app.organization)
  if (!methods.includes(method)) {
    throw createValidationProblem([{ path, code: 'not_enabled', message: `${method} is not enabled here` }])
  }
  return app
}

interface SessionRow {
  id: string
  user_id: string
  expires_at: Date
}

/** Reads the user and the end of a new session, and deletes expired sessions of the same person. */
async function readNewSession(db: Knex, token: string): Promise<{ id: string; user: string; expiresAt: string }> {
  const row = await db('sessions')
    .where({ token: hashSecret(token) })
    .first<SessionRow | undefined>('id', 'user_id', 'expires_at')
  if (!row) throw createDeletedProblem()
  await db('sessions').where({ user_id: row.user_id }).where('expires_at', '<', db.fn.now()).delete()
  return { id: row.id, user: row.user_id, expiresAt: row.expires_at.toISOString() }
}
