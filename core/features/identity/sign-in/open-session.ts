import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import { getAuth, runInCall, userSource, type Auth, type AuthContext, type Realm, type SessionClient } from '../auth.ts'
import { isDuplicate } from '../slugs.ts'
import { verifyOneTimeCode, type CodeRecipient } from './one-time-codes.ts'
import { findUserByEmail, findUserByPhone } from './users.ts'

/** Domain of the placeholder addresses of phone users: it never receives mail. Source: RFC 2606, section 2. */
const placeholderDomain = 'phone.invalid'

/**
 * Checks whether an address is the placeholder of a phone user. Such an address is never shown, verified or matched.
 */
export const isPlaceholderEmail = (email: string) => email.endsWith(`@${placeholderDomain}`)

/** Who opens a session, with what. */
interface SessionRequest {
  address: CodeRecipient
  code: string
  visit: SessionClient
  /** What else is done in the transaction that opens the session. */
  opened?: (trx: Knex, session: { id: string; user: string }) => Promise<void>
}

/**
 * Opens a session for the person who holds the code, and creates the user at the first sign-in.
 * @returns the token of the session, which is not stored
 * @throws AUTH_INVALID_OTP
 */
export async function openSession(
  parts: AuthContext,
  realm: Realm,
  { address, code, visit, opened }: SessionRequest,
): Promise<string> {
  await verifyOneTimeCode(parts, realm, address, code)
  const proven = { address, organization: null, visit, isByCode: true, ...(opened && { opened }) }
  return openProvenSession(parts, realm, proven)
}

/** A contact that somebody has just proven. */
interface ProvenContact {
  address: CodeRecipient
  /** The organization that alone vouches for it, within its applications; null if it is proven for everybody. */
  organization: string | null
  /** Whether a one-time code proved it. */
  isByCode?: boolean
}

/**
 * Opens a session for the person who has just proven a contact, and creates the user at the first sign-in.
 * @returns the token of the session, which is not stored
 */
export async function openProvenSession(
  parts: AuthContext,
  realm: Realm,
  { visit, opened, isByCode = false, ...contact }: ProvenContact & Pick<SessionRequest, 'visit' | 'opened'>,
): Promise<string> {
  const auth = await getAuth(parts)
  const user = await ensureVerifiedUser(parts.db, auth, contact)
  const call: Parameters<typeof runInCall>[0] = { realm, visit, isByCode }
  const { internalAdapter } = await auth.$context
  const createSession = () => runInCall(call, () => internalAdapter.createSession(user))
  if (opened)
    await parts.db.transaction(async (trx) => {
      call.trx = trx
      const { id } = await createSession()
      await opened(trx, { id, user })
    })
  else await createSession()
  if (call.token === undefined) throw new Error('The sign-in library made no session')
  return call.token
}

/** Finds or creates the user who has just proven this contact. @returns the user's id */
async function ensureVerifiedUser(
  db: Knex,
  auth: Auth,
  { address: { channel, to }, organization }: ProvenContact,
): Promise<string> {
  const { internalAdapter } = await auth.$context
  const find = () => (channel === 'email' ? findUserByEmail(db, to, organization) : findUserByPhone(db, to))
  const known = await find()
  if (known) {
    if (channel === 'email' && !known.emailVerified) await markEmailVerified(db, known.id)
    return known.id
  }
  const values =
    channel === 'email'
      ? { email: to, emailVerified: true, name: '', ...(organization !== null && { organization }) }
      : {
          email: `${newId()}@${placeholderDomain}`,
          emailVerified: false,
          name: '',
          phoneNumber: to,
          phoneNumberVerified: true,
        }
  try {
    return (await internalAdapter.createUser(values, userSource)).id
  } catch (error) {
    if (!isDuplicate(error, 'users_email_key', 'users_phone_number_key')) throw error
    // The same person signed in elsewhere at the same time: in two applications, or in an application and the console.
    const concurrent = await find()
    if (!concurrent) throw error
    return concurrent.id
  }
}

/**
 * Marks an address as proven. Deletes the user's earlier sessions and sign-in methods: nobody had proven the address
 * when they were created, so they may belong to somebody else. The library's email-OTP plug-in does the same.
 */
async function markEmailVerified(db: Knex, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    const proven = await trx('users')
      .where({ id, email_verified: false })
      .update({ email_verified: true, updated_at: trx.fn.now() })
    if (proven === 0) return
    await trx('credentials').where({ user_id: id }).delete()
    await trx('sessions').where({ user_id: id }).delete()
  })
}
