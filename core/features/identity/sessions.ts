import type { Knex } from 'knex'
import type { Caller, EndUserCaller, MemberCaller } from '../../kernel/caller.ts'
import type { RequestFacts } from '../../kernel/operation.ts'
import { notFound, problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { showAccount } from '../accounts/index.ts'
import { activateOrganization, endSession } from './auth.ts'
import { cookieNames, invalidSession, type SessionKind } from './credentials.ts'
import type { Membership, SessionUser, SetActive } from './identity.schema.ts'

/** Who is signed in, or the refusal of those who are not. */
export async function currentSession({ db }: Context, caller: Caller) {
  if (caller.kind === 'endUser') return buyerSession(db, caller)
  if (caller.kind === 'member') return memberSession(db, caller)
  if (caller.kind === 'key') throw problem('AUTH_INSUFFICIENT_PERMISSIONS', 'A key has no session.')
  throw invalidSession('Nobody is signed in.')
}

async function buyerSession(db: Knex, { session, user }: EndUserCaller) {
  const row = await db('sessions').where({ id: session }).first<{ account: string | null } | undefined>('account')
  const account = row?.account ? await showAccount(db, row.account) : null
  if (!account) throw invalidSession()
  return { user: await showUser(db, user, account.user.name), account, application: account.application }
}

async function memberSession(db: Knex, { user, organization }: MemberCaller) {
  const memberships = organization === null ? [] : await membershipsOf(db, user)
  const active = memberships.find(({ id }) => id === organization)
  return { user: await showUser(db, user), account: null, application: null, organization: active ?? null }
}

interface UserRow { id: string; name: string; email: string | null; phone_number: string | null }

/** A person as they see themselves. @param name what they are called in an application, where they have another name */
export async function showUser(db: Knex, id: string, name?: string | null): Promise<SessionUser> {
  const row = await db('users').where({ id }).first<UserRow | undefined>(
    'id', 'name', db.raw('case when email_verified then email end as email'),
    db.raw('case when phone_number_verified then phone_number end as phone_number'))
  if (!row) throw invalidSession()
  return { id, name: name === undefined ? row.name || null : name, email: row.email, phoneNumber: row.phone_number }
}

/** The organizations of a person, by name. */
export async function membershipsOf(db: Knex, user: string): Promise<Membership[]> {
  return db('members as m').join('organizations as o', 'o.id', 'm.organization_id').where('m.user_id', user)
    .orderBy(['o.name', 'o.id']).select<Membership[]>('o.id', 'o.name', 'o.slug', 'm.role')
}

/** Makes an organization the active one of a member's session. @throws NOT_FOUND for one the member is not in */
export async function chooseOrganization(
  context: Context, { user }: MemberCaller, token: string, wanted: SetActive,
): Promise<Membership> {
  const id = wanted.organizationId?.toLowerCase()
  const slug = wanted.organizationSlug
  if (id === undefined && slug === undefined) {
    const errors = [{ path: 'organizationId', code: 'required', message: 'is missing' }]
    throw problem('INVALID_REQUEST', 'Name the organization.', { errors })
  }
  const chosen = (await membershipsOf(context.db, user)).find((membership) =>
    (id ?? membership.id) === membership.id && (slug ?? membership.slug) === membership.slug)
  if (!chosen) throw notFound()
  await activateOrganization(context, token, chosen.id)
  return chosen
}

/** Ends the session that was presented, if one was. @returns the Set-Cookie field that takes its cookie back */
export async function signOut(context: Context, caller: Caller, request: RequestFacts): Promise<string> {
  if (caller.kind === 'key') throw problem('AUTH_INSUFFICIENT_PERMISSIONS', 'A key has no session to end.')
  if (request.credential !== null) await endSession(context, request.credential)
  return expiredCookie(context, caller.kind === 'anonymous' ? staleKind(request) : caller.kind)
}

/** The Set-Cookie field that takes a cookie back. */
export const expiredCookie = (context: Context, kind: SessionKind): string => cookie(context, kind, '', 0)

/** Whose cookie a request carries that nobody is signed in by. */
const staleKind = ({ headers }: RequestFacts): SessionKind =>
  String(headers['cookie']).includes(`${cookieNames.member}=`) ? 'member' : 'endUser'

/** The Set-Cookie field of a new session. @param expiresAt the session's end, RFC 3339 */
export function sessionCookie(context: Context, kind: SessionKind, token: string, expiresAt: string): string {
  return cookie(context, kind, token, Math.floor((Date.parse(expiresAt) - Date.now()) / 1000))
}

/** Not for scripts, not from other sites' forms, and over https only where we have it. Source: RFC 6265, section 4.1. */
function cookie({ settings }: Context, kind: SessionKind, token: string, seconds: number): string {
  const secure = settings.baseUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieNames[kind]}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}
