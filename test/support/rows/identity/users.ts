import type { Knex } from 'knex'

export interface StoredAddress {
  email: string
  isVerified: boolean
}

/** Reads the e-mail address that a user who signs in by phone has in the database, and no answer shows. */
export async function readAddressOfPhone(db: Knex, phoneNumber: string): Promise<StoredAddress> {
  const row = await db('users')
    .where({ phone_number: phoneNumber })
    .first<StoredAddress | undefined>('email', 'email_verified as isVerified')
  if (!row) throw new Error(`Nobody has the number ${phoneNumber}`)
  return row
}

/** Checks whether a user is an operator of the platform. No list shows it of somebody without an organization. */
export async function isSuperAdmin(db: Knex, email: string): Promise<boolean> {
  const row = await db('users').where({ email }).first<{ super_admin: boolean } | undefined>('super_admin')
  if (!row) throw new Error(`There is no user ${email}`)
  return row.super_admin
}

/** Counts the users with an e-mail address: one, or none. */
export async function countUsers(db: Knex, email: string): Promise<number> {
  const [row] = await db('users').where({ email }).count<{ count: string }[]>('*')
  return Number(row?.count)
}
