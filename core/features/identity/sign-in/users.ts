import type { Knex } from 'knex'

export interface FoundUser {
  id: string
  emailVerified: boolean
}

/**
 * Finds the user with an e-mail address in small letters. People for whom an organization's own provider of identities
 * vouches are found with that organization only: the same address elsewhere is another person.
 * @param organization null for everybody else
 */
export async function findUserByEmail(
  db: Knex,
  email: string,
  organization: string | null = null,
): Promise<FoundUser | undefined> {
  return db('users')
    .where({ email, organization })
    .first<FoundUser | undefined>('id', 'email_verified as emailVerified')
}

/** Finds the user with a phone number in E.164 form. */
export async function findUserByPhone(db: Knex, phoneNumber: string): Promise<FoundUser | undefined> {
  return db('users')
    .where({ phone_number: phoneNumber })
    .first<FoundUser | undefined>('id', 'email_verified as emailVerified')
}
