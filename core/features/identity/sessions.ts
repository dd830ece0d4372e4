import type { Knex } from 'knex'
import type { Caller, EndUserCaller, MemberCaller } from '../../kernel/caller.ts'
import type { RequestDetails } from '../../kernel/operation.ts'
import { createNotFoundProblem, createProblem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { findPresentedAccount } from '../accounts/index.ts'
import { recordSessionAct } from './acts/acts.ts'
import { activateOrganization, endSession } from './auth.ts'
import { cookieNames, createInvalidSessionProblem, type SessionKind } from './keys/credentials.ts'
import type { Membership, SessionUser, SetActive } from './identity.schema.ts'

/**
 * Reads the session of the caller.
 * @throws AUTH_UNAUTHENTICATED if nobody is signed in, AUTH_INSUFFICIENT_PERMISSIONS for a key
 */
export async function readCurrentSession({ db }: Context, caller: Caller) {
  if (caller.kind === 'endUser') return readBuyerSession(db, caller)
  if (caller.kind === 'member') return readMemberSession(db, caller)
  if (caller.kind === 'key') throw createProblem('AUTH_INSUFFICIENT_PERMISSIONS', 'A key has no session.')
  throw createInvalidSessionProblem('Nobody is signed in.')
}

async function readBuyerSession(db: Knex, { session, user }: EndUserCaller) {
  const row = await db('sessions').where({ id: session }).first<{ account: string | null } | undefined>('account')
  const account = row?.account ? await findPresentedAccount(db, row.account) : null
  if (!account) throw createInvalidSessionProblem()
  return { user: await readSessionUser(db, user, account.user.name), account, application: account.application }
}

async function readMemberSession(db: Knex, { user, organization }: MemberCaller) {
  const memberships = organization === null ? [] : await readMemberships(db, user)
  const active = memberships.find(({ id }) => id === organization)
  return { user: await readSessionUser(db, user), account: null, application: null, organization: active ?? null }
}

interface UserRow {
  name: string
  email: string | null
  phone_number: string | null
}

/** Reads a person as that person may see it. @param name the person's name in an application, if it differs there */
export async function readSessionUser(db: Knex, id: string, name?: string | null): Promise<SessionUser> {
  const row = await db('users')
    .where({ id })
    .first<UserRow | undefined>(
      'name',
      db.raw('case when email_verified then email end as email'),
      db.raw('case when phone_number_verified then phone_number end as phone_number'),
    )
  if (!row) throw createInvalidSessionProblem()
  return { id, name: name === undefined ? row.name || null : name, email: row.email, phoneNumber: row.phone_number }
}

/** Lists the organizations of a person by name, without those that were deleted. */
export async function readMemberships(db: Knex, user: string): Promise<Membership[]> {
  return db('members as m')
    .join('organizations as o', 'o.id', 'm.organization_id')
    .where('m.user_id', user)
    .whereNull('o.deleted_at')
    .orderBy(['o.name', 'o.id'])
    .select<Membership[]>('o.id', 'o.name', 'o.slug', 'm.role')
}

/**
 * Makes an organization the active one of a member's session.
 * @throws INVALID_REQUEST if the choice names none, NOT_FOUND if the member does not belong to it
 */
export async function chooseOrganization(
  context: Context,
  { user }: MemberCaller,
  token: string,
  choice: SetActive,
): Promise<Membership> {
  const id = choice.organizationId?.toLowerCase()
  const slug = choice.organizationSlug
  if (id === undefined && slug === undefined) {
    const errors = [{ path: 'organizationId', code: 'required', message: 'is missing' }]
    throw createProblem('INVALID_REQUEST', 'Name the organization.', { errors })
  }
  const chosen = (await readMemberships(context.db, user)).find(
    (membership) => (id ?? membership.id) === membership.id && (slug ?? membership.slug) === membership.slug,
  )
  if (!chosen) throw createNotFoundProblem()
  await activateOrganization(context, token, chosen.id)
  return chosen
}

/** Ends the session of the request, if it has one. @returns the Set-Cookie field that deletes its cookie */
export async function signOut(context: Context, caller: Caller, request: RequestDetails): Promise<string> {
  if (caller.kind === 'key') throw createProblem('AUTH_INSUFFICIENT_PERMISSIONS', 'A key has no session to end.')
  const { credential } = request
  if (credential !== null)
    await context.db.transaction(async (trx) => {
      await endSession(context, trx, credential)
      if (caller.kind !== 'member') return
      const target = { kind: 'session', id: caller.session }
      await recordSessionAct(trx, caller.user, { action: 'session.sign-out', target }, request)
    })
  return createExpiredCookie(context, caller.kind === 'anonymous' ? getStaleCookieKind(request) : caller.kind)
}

/** Creates the Set-Cookie field that deletes a cookie. */
export const createExpiredCookie = (context: Context, kind: SessionKind): string =>
  formatCookie(context, cookieNames[kind], '', 0)

/** Returns the kind of the stale cookie that an anonymous request carries. */
const getStaleCookieKind = ({ headers }: RequestDetails): SessionKind =>
  String(headers['cookie']).includes(`${cookieNames.member}=`) ? 'member' : 'endUser'

/** Creates the Set-Cookie field of a new session. @param expiresAt the end of the session, RFC 3339 */
export function createSessionCookie(context: Context, kind: SessionKind, token: string, expiresAt: string): string {
  return formatCookie(context, cookieNames[kind], token, Math.floor((Date.parse(expiresAt) - Date.now()) / 1000))
}

/**
 * Formats a cookie that scripts cannot read, that forms of other sites do not send and that, if our address is https,
 * travels over https only. Source: RFC 6265, section 4.1.
 */
export function formatCookie(
  { settings }: Pick<Context, 'settings'>,
  name: string,
  value: string,
  seconds: number,
  path = '/',
): string {
  const secure = settings.baseUrl.startsWith('https:') ? '; Secure' : ''
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}
