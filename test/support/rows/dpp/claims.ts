import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'

/** A claim to insert: a pending one of nobody, without a job, unless its members say otherwise. */
export interface NewClaim {
  id?: string
  organization: string
  application: string
  passport: string
  status?: 'pending' | 'completed' | 'failed'
  job?: string
  endUser?: string
  account?: string
  /** When it began: now, unless it says otherwise. */
  at?: Date
  /** What was queued for it. */
  operation?: { id: string; kind: 'mintTo' | 'transferTo' }
}

/** Inserts a claim that nobody made by a request, so that no worker does anything about it. */
export async function insertClaim(
  db: Knex,
  {
    id = randomUUID(),
    status = 'pending',
    job = randomUUID(),
    endUser = randomUUID(),
    at,
    operation,
    ...rest
  }: NewClaim,
): Promise<void> {
  await db('claims').insert({
    ...rest,
    id,
    status,
    job,
    end_user: endUser,
    ...(at && { created_at: at }),
    ...(operation && { operation: operation.id, kind: operation.kind }),
  })
}

/** Reads the status of the claim that a job is for. */
export async function readClaimStatus(db: Knex, job: string): Promise<string> {
  const row = await db('claims').where({ job }).first<{ status: string } | undefined>('status')
  if (!row) throw new Error(`There is no claim of job ${job}`)
  return row.status
}

/** Takes the queued operation from the claim of a job: it is as before anything was sent. */
export async function removeClaimOperation(db: Knex, job: string): Promise<void> {
  await db('claims').where({ job }).update({ operation: null, kind: null })
}

/** Lets the magic token of a passport expire a second ago. */
export async function expireMagicToken(db: Knex, passport: string): Promise<void> {
  await db('magic_tokens')
    .where({ passport })
    .update({ expires_at: db.raw(`now() - interval '1 s'`) })
}

/** Reads all that is stored of the magic token of a passport, by the names of the columns. */
export async function readMagicToken(db: Knex, passport: string): Promise<Record<string, unknown>> {
  const row = await db('magic_tokens').where({ passport }).first<Record<string, unknown> | undefined>()
  if (!row) throw new Error(`Passport ${passport} has no magic token`)
  return row
}

/** Spends the magic token of a passport on a claim. */
export async function spendMagicToken(db: Knex, passport: string, claim: string): Promise<void> {
  await db('magic_tokens').where({ passport }).update({ spent_by: claim })
}

/** Ends the pending claims of these passports, as their jobs would. */
export async function endClaimsOf(
  db: Knex,
  passports: readonly string[],
  status: 'completed' | 'failed',
): Promise<void> {
  await db('claims')
    .whereIn('passport', passports)
    .where({ status: 'pending' })
    .update({ status, updated_at: db.fn.now() })
}

/** Removes the claims of these passports. */
export async function removeClaims(db: Knex, passports: readonly string[]): Promise<void> {
  await db('claims').whereIn('passport', passports).delete()
}
