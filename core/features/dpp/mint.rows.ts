import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import { shownInEvents } from './passports.json.ts'
import type { SheetRow } from './sheets.reads.ts'

interface Batch {
  organization: string
  sheet: SheetRow
  job: string
  values: readonly Record<string, unknown>[]
}

/** What of a row of a batch is needed to mint it. */
export interface BatchRow { id: string; tokenId: string; line: number }

interface Batched { rows: BatchRow[]; applicationName: string }

/** Rows that one statement writes, so that none comes near its time limit on a machine that has much else to do. */
const most = 2_000

/**
 * Inserts published passports and the two events of each together: nothing of them is sent twice or read back.
 * @returns the rows in their order
 */
export async function insertBatch(trx: Knex, batch: Batch): Promise<Batched> {
  const rows = batch.values.map((_, line) => {
    const id = newId()
    return { id, tokenId: tokenIdOf(id), line }
  })
  let applicationName = ''
  for (let from = 0; from < rows.length; from += most) {
    applicationName = await insertSome(trx, batch, rows.slice(from, from + most))
  }
  return { rows, applicationName }
}

/** @returns the name of their application */
async function insertSome(
  trx: Knex, { organization, sheet, job, values }: Batch, rows: readonly BatchRow[],
): Promise<string> {
  const first = rows[0]?.line ?? 0
  const { rows: [named] } = await trx.raw<{ rows: { name: string }[] }>(
    `with passports as (
       insert into passports
         (id, organization, application, sheet, sheet_version, network, status, fields, mint_queued_at, mint_job, mint_line)
       select row.id, ?, ?, ?, ?, ?, 'published', row.fields::jsonb, now(), ?, ? + row.line - 1
       from unnest(?::uuid[], ?::text[]) with ordinality as row (id, fields, line)
       returning *
     ), named as materialized (
       select name from applications where id = ?
     ), shown as materialized (
       select organization, application, mint_line - ? + 1 as place, (${shownInEvents})::jsonb as passport
       from passports
     ), told as (
       insert into events (id, organization, application, application_name, subject, type, passport)
       select event.id, shown.organization, shown.application, named.name, 'dppPassport', event.type, shown.passport
       from shown, named, lateral (values
         ('create', (?::uuid[])[shown.place]), ('publish', (?::uuid[])[shown.place])
       ) as event (type, id)
     )
     select name from named`,
    [
      organization,
      sheet.application,
      sheet.id,
      sheet.schemaVersion,
      sheet.network,
      job,
      first,
      rows.map(({ id }) => id),
      rows.map(({ line }) => JSON.stringify(values[line])),
      sheet.application,
      first,
      // By place, so that nothing is joined. Of a passport the first event sorts before the second.
      rows.map(() => newId()),
      rows.map(() => newId()),
    ] as Knex.RawBinding[],
  )
  if (!named) throw new Error(`Mint job ${job} has no application`)
  return named.name
}

/** What the column `token_id` computes too. */
function tokenIdOf(id: string): string {
  return `0x${createHash('sha256').update(id).digest('hex')}`
}
