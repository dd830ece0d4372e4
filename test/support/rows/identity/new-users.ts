import type { Knex } from 'knex'

/** A person with a proven e-mail address, or with a proven phone number and some address. */
export interface NewUser {
  id: string
  email: string
  phoneNumber?: string
}

/** Inserts a person as another sign-in does, in its transaction. */
export async function insertUser(trx: Knex, { id, email, phoneNumber }: NewUser): Promise<void> {
  const proven =
    phoneNumber === undefined ? { email_verified: true } : { phone_number: phoneNumber, phone_number_verified: true }
  await trx('users').insert({ id, email, ...proven })
}
