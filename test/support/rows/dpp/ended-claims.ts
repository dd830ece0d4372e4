import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** Claims to write, one for each passport, which is `completed` or has `failed`. */
export interface EndedClaims {
  organization: string
  application: string
  claims: readonly { passport: string; status: 'completed' | 'failed' }[]
  at: Date
}

/** Inserts claims that ended at any time. */
export async function insertEndedClaims(
  db: Knex,
  { organization, application, claims, at }: EndedClaims,
): Promise<void> {
  await db('claims').insert(
    claims.map(({ passport, status }) => ({
      id: v7(),
      organization,
      application,
      passport,
      job: v7(),
      end_user: 'u',
      status,
      created_at: at,
      updated_at: at,
    })),
  )
}

/** Counts the claims of all passports that are in this state. */
export async function countClaims(
  db: Knex,
  { status }: { status: 'pending' | 'completed' | 'failed' },
): Promise<number> {
  const [row] = await db('claims').where({ status }).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Inserts a magic token for each of these passports. */
export async function insertMagicTokens(
  db: Knex,
  { passports, issuedAt, expiresAt }: { passports: readonly string[]; issuedAt: Date; expiresAt: Date },
): Promise<void> {
  await db('magic_tokens').insert(
    passports.map((passport) => ({ passport, jti: v7(), issued_at: issuedAt, expires_at: expiresAt })),
  )
}
