import { getAuth, userSource, type AuthContext } from '../auth.ts'
import { findUserByEmail } from './users.ts'

/** A person whose addresses somebody else vouches for. The address in small letters, the number in E.164 form. */
export interface KnownPerson {
  email: string
  phoneNumber?: string | undefined
}

/**
 * Returns the user with an e-mail address, and creates it if there is none, with addresses that count as verified. For
 * seeds of example data: nobody has proven anything.
 * @returns the user's id
 */
export async function ensureKnownUser(parts: AuthContext, { email, phoneNumber }: KnownPerson): Promise<string> {
  const known = await findUserByEmail(parts.db, email)
  if (known) return known.id
  const { internalAdapter } = await (await getAuth(parts)).$context
  const values = {
    email,
    emailVerified: true,
    name: '',
    ...(phoneNumber && { phoneNumber, phoneNumberVerified: true }),
  }
  return (await internalAdapter.createUser(values, userSource)).id
}
