import type { Knex } from 'knex'
import type { MemberCaller } from '../../../kernel/caller.ts'
import type { ActRequest } from '../acts/acts.ts'
import { createInvalidSessionProblem } from '../keys/credentials.ts'
import { hashSecret } from '../keys/keys.ts'
import type { Context } from '../../../kernel/work.ts'
import { readSessionUser } from '../sessions.ts'
import { signInMember, type SignInRequest } from '../sign-in.ts'

/** Hours for which a sign-in is fresh enough for acts that cannot be undone, or that move money. */
const freshHours = 12

/** Checks whether the member signed in within the last 12 hours, by the clock of the database. */
export async function isSignInFresh(db: Knex, { session }: MemberCaller): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `select from sessions where id = ? and created_at > now() - interval '${freshHours} hours'`,
    [session],
  )
  return rows.length > 0
}

/**
 * Signs a member in again with a new code. The new session takes the place of the present one, with the same active
 * organization. @returns the new session
 * @throws AUTH_INVALID_OTP, AUTH_UNAUTHENTICATED for a session that has ended
 */
export async function renewSignIn(
  context: Context,
  member: MemberCaller,
  otp: string,
  request: SignInRequest & ActRequest,
) {
  const { db } = context
  const { email } = await readSessionUser(db, member.user)
  if (email === null) throw createInvalidSessionProblem()
  const renewed = await signInMember(context, { email, otp }, request)
  await db.transaction(async (trx) => {
    const [present] = await trx('sessions')
      .where({ id: member.session })
      .delete()
      .returning<{ active_organization_id: string | null }[]>('active_organization_id')
    if (present) await moveOrganization(trx, renewed.token, present.active_organization_id)
  })
  return renewed
}

const moveOrganization = async (trx: Knex, token: string, organization: string | null): Promise<unknown> =>
  trx('sessions')
    .where({ token: hashSecret(token) })
    .update({ active_organization_id: organization })
