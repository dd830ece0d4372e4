import { rollUpPassportCounts } from '../../../../core/features/dpp/passports/index.ts'
import type { Knex } from 'knex'

/** Hands a passport to a shop: it is read-only here from now on. */
export async function handPassportToShop(db: Knex, id: string): Promise<void> {
  await db('passports').where({ id }).update({ source: 'ecommerce' })
}

/** Takes a passport back from the shop that has it. */
export async function takePassportFromShop(db: Knex, id: string): Promise<void> {
  await db('passports').where({ id }).update({ source: 'manual' })
}

/** Locks a passport until the transaction ends, as a claim does that is being accepted. */
export async function lockPassport(trx: Knex, id: string): Promise<void> {
  await trx('passports').where({ id }).forUpdate().first('id')
}

/** What passports have come to. */
export interface PassportProgress {
  status: 'published' | 'claimed' | 'archived'
  /** Whether their tokens were minted. */
  isMinted?: boolean
}

/** Brings passports to a status without a job and without a chain, for which a test of many cannot wait. */
export async function advancePassports(
  db: Knex,
  ids: readonly string[],
  { status, isMinted = false }: PassportProgress,
): Promise<void> {
  const now = new Date()
  await db('passports')
    .whereIn('id', ids)
    .update({ status, ...(isMinted && { minted_at: now, mint_queued_at: now }) })
}

/** Lets a passport wait for a mint of which no sender knows, so that it goes on waiting. */
export async function queueUnknownMint(db: Knex, id: string): Promise<void> {
  await db('passports').where({ id }).update({ mint_queued_at: db.fn.now() })
}

/** Ends what `queueUnknownMint` began. */
export async function endUnknownMint(db: Knex, id: string): Promise<void> {
  await db('passports').where({ id }).update({ mint_queued_at: null })
}

/** Gives a passport a line of a mint job, and lets it wait for its mint. */
export async function assignMintJob(db: Knex, id: string, { job, line }: { job: string; line: number }): Promise<void> {
  await db('passports').where({ id }).update({ mint_job: job, mint_line: line, mint_queued_at: db.fn.now() })
}

/** Says of a passport that it was certified, without a certificate: links to one are shown from then on. */
export async function markCertified(db: Knex, id: string): Promise<void> {
  await db('passports').where({ id }).update({ certified_at: new Date() })
}

/** Lets passports wait for a certify job as if it had reached them. */
export async function assignCertifyJob(db: Knex, ids: readonly string[], job: string): Promise<void> {
  await db('passports')
    .whereIn('id', ids)
    .update({ certification_status: 'pending', certify_job: job, certify_job_status: 'pending' })
}

/** Takes a passport's certificate from it: it has to be certified again. */
export async function removeCertificate(db: Knex, id: string): Promise<void> {
  await db('passports').where({ id }).update({ certification_status: 'none', content_hash: null, credential: null })
}

/** Writes content that the API refuses, as an earlier version took it. */
export async function writeUncheckedContent(
  db: Knex,
  id: string,
  { product, data }: { product: object; data: object },
): Promise<void> {
  await db('passports').where({ id }).update({ product, data })
}

/** Reads the sheet and the fields that are stored of a passport, also of one without a sheet, whose answers show neither. */
export async function readSheetValues(db: Knex, id: string): Promise<{ sheet: string | null; fields: object }> {
  const row = await db('passports')
    .where({ id })
    .first<{ sheet: string | null; fields: object } | undefined>('sheet', 'fields')
  if (!row) throw new Error(`There is no passport ${id}`)
  return row
}

/** Counts the passports of a mint job, their different tokens and those whose token was minted. */
export async function countMintedPassports(
  db: Knex,
  job: string,
): Promise<{ passports: number; tokens: number; minted: number }> {
  const { rows } = await db.raw<{ rows: [{ passports: number; tokens: number; minted: number }] }>(
    `select count(*)::int as passports, count(distinct token_id)::int as tokens, count(token_transaction)::int as minted
     from passports where mint_job = ?`,
    [job],
  )
  return rows[0]
}

/** Rolls the counts of passports up as the worker does at intervals. */
export const rollUpCounts = (db: Knex): Promise<void> => rollUpPassportCounts(db)

/** Counts the rows that the number of an organization's drafts is summed up from. */
export async function countDraftCounts(db: Knex, organization: string): Promise<number> {
  const [row] = await db('passport_counts')
    .where({ organization, dimension: 'status', value: 'draft' })
    .count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Lists the ids of the passports of a sheet, in their order. */
export async function listSheetPassports(db: Knex, sheet: string): Promise<string[]> {
  const rows = await db('passports').where({ sheet }).orderBy('id').select<{ id: string }[]>('id')
  return rows.map(({ id }) => id)
}

/** Removes passports with all that hangs on them, whatever the API would say. */
export async function removePassports(db: Knex, ids: readonly string[]): Promise<void> {
  await db('passports').whereIn('id', ids).delete()
}
