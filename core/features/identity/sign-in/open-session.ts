import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import { authOf, inCall, type Auth, type AuthParts, type Realm, type Visit } from '../auth.ts'
import { isDuplicate } from '../words.ts'
import { judgeCode, type Address } from './one-time-codes.ts'

/** Domain of the made-up addresses of people known by phone only: it never receives mail. Source: RFC 2606, section 2. */
const noMail = 'phone.invalid'

/** Tells whether an address was made up for a phone user: it is never shown, never verified, never matched. */
export const isMadeUp = (email: string) => email.endsWith(`@${noMail}`)

/**
 * Opens a session for whoever holds the code, who becomes a user at the first time.
 * @returns the token of the session, which is not kept. @throws AUTH_INVALID_OTP
 */
export async function openSession(
  parts: AuthParts, realm: Realm, { address, code, visit }: { address: Address; code: string; visit: Visit },
): Promise<string> {
  await judgeCode(parts, realm, address, code)
  const auth = await authOf(parts)
  const user = await verifiedUser(parts.db, auth, address)
  const call: Parameters<typeof inCall>[0] = { realm, visit }
  await inCall(call, async () => (await auth.$context).internalAdapter.createSession(user))
  if (call.token === undefined) throw new Error('The sign-in library made no session')
  return call.token
}

/** Finds or makes the user who has just proven this address. @returns the id */
async function verifiedUser(db: Knex, auth: Auth, { channel, to }: Address): Promise<string> {
  const { adapter, internalAdapter } = await auth.$context
  const where = [{ field: channel === 'email' ? 'email' : 'phoneNumber', value: to }]
  const find = () => adapter.findOne<{ id: string; emailVerified: boolean }>({ model: 'user', where })
  const known = await find()
  if (known) {
    if (channel === 'email' && !known.emailVerified) await proveEmail(db, known.id)
    return known.id
  }
  const values = channel === 'email'
    ? { email: to, emailVerified: true, name: '' }
    : { email: `${newId()}@${noMail}`, emailVerified: false, name: '', phoneNumber: to, phoneNumberVerified: true }
  try {
    return (await internalAdapter.createUser(values, { method: channel === 'email' ? 'email-otp' : 'phone-number' })).id
  } catch (error) {
    if (!isDuplicate(error, 'users_email_key', 'users_phone_number_key')) throw error
    // The same person signed in elsewhere at this moment: two applications, or an application and the console.
    const beside = await find()
    if (!beside) throw error
    return beside.id
  }
}

/**
 * Marks an address as proven. Whatever the user had before nobody had proven the address by, so it ends: sessions and
 * ways in that somebody else may have made. The library's email-OTP plug-in does the same.
 */
async function proveEmail(db: Knex, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    const proven = await trx('users').where({ id, email_verified: false })
      .update({ email_verified: true, updated_at: trx.fn.now() })
    if (proven === 0) return
    await trx('credentials').where({ user_id: id }).delete()
    await trx('sessions').where({ user_id: id }).delete()
  })
}
