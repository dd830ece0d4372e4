import type { Knex } from 'knex'
import { v7 } from 'uuid'

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

export interface StoredUser {
  id: string
  isVerified: boolean
}

/** Reads a user by e-mail address. No answer shows whether somebody has proven it. */
export async function readStoredUser(db: Knex, email: string): Promise<StoredUser> {
  const row = await db('users').where({ email }).first<StoredUser | undefined>('id', 'email_verified as isVerified')
  if (!row) throw new Error(`There is no user ${email}`)
  return row
}

/** Names a user, for which there is no route yet. */
export async function renameUser(db: Knex, email: string, name: string): Promise<void> {
  await db('users').where({ email }).update({ name })
}

/** Inserts a way to sign in elsewhere, for which there is no route yet. */
export async function insertCredential(db: Knex, user: string): Promise<void> {
  await db('credentials').insert({ id: v7(), account_id: v7(), provider_id: 'google', user_id: user })
}

/** Counts the ways to sign in elsewhere that a person has. */
export async function countCredentials(db: Knex, user: string): Promise<number> {
  const [row] = await db('credentials').where({ user_id: user }).count<{ count: string }[]>('*')
  return Number(row?.count)
}
