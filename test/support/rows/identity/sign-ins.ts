import { createHash, randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** How many rows to write, and until when they count. */
export interface Expiring {
  count: number
  expiresAt: Date
}

const repeat = <T>(count: number, createRow: () => T) => Array.from({ length: count }, createRow)

/** Inserts sessions of a user, whose tokens nobody has. */
export async function insertSessions(db: Knex, { user, count, expiresAt }: Expiring & { user: string }): Promise<void> {
  await db('sessions').insert(
    repeat(count, () => ({
      id: v7(),
      token: createHash('sha256').update(randomBytes(16)).digest('base64url'),
      user_id: user,
      kind: 'member',
      expires_at: expiresAt,
    })),
  )
}

/** Inserts verifications as those who sign in elsewhere leave them. */
export async function insertVerifications(db: Knex, { count, expiresAt }: Expiring): Promise<void> {
  await db('verifications').insert(
    repeat(count, () => ({ id: v7(), identifier: 'i', value: 'v', expires_at: expiresAt })),
  )
}

/** Inserts codes that nobody signs in with. */
export async function insertSignInCodes(db: Knex, { count, expiresAt }: Expiring): Promise<void> {
  await db('sign_in_codes').insert(repeat(count, () => ({ name: v7(), code_hash: 'h', expires_at: expiresAt })))
}

/** Inserts sends of codes, each of a limit of its own. */
export async function insertCodeSends(db: Knex, { count, at }: { count: number; at: Date }): Promise<void> {
  await db('code_sends').insert(repeat(count, () => ({ budget: v7(), at })))
}
