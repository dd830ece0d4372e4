import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../../../database/model.ts'
import { passportStatus } from '../passports.machine.ts'
import { passportSql } from '../passports.present.ts'
import type { SheetRow } from '../../sheets/index.ts'

interface MintBatch {
  organization: string
  sheet: SheetRow
  job: string
  /** The fields of each passport, with the defaults of the sheet. */
  fields: readonly Record<string, unknown>[]
}

/** The members of a batch row that minting needs. */
export interface MintBatchRow {
  id: string
  tokenId: string
  line: number
}

interface InsertedBatch {
  rows: MintBatchRow[]
  applicationName: string
}

/**
 * The maximum number of rows that one statement writes. It keeps each statement well below its time limit, even on a
 * busy machine.
 */
const rowsPerStatement = 2_000

/**
 * Inserts published passports together with the two events of each, so that nothing is sent twice or read back.
 * @returns the rows, in the order of the batch
 */
export async function insertMintBatch(trx: Knex, batch: MintBatch): Promise<InsertedBatch> {
  const rows = batch.fields.map((_, line) => {
    const id = newId()
    return { id, tokenId: computeTokenId(id), line }
  })
  let applicationName = ''
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    applicationName = await insertMintRows(trx, batch, rows.slice(from, from + rowsPerStatement))
  }
  return { rows, applicationName }
}

/**
 * Inserts the passports and events of some rows.
 * @returns the name of the passports' application
 */
async function insertMintRows(
  trx: Knex,
  { organization, sheet, job, fields }: MintBatch,
  rows: readonly MintBatchRow[],
): Promise<string> {
  const first = rows[0]?.line ?? 0
  const {
    rows: [named],
  } = await trx.raw<{ rows: { name: string }[] }>(
    `with passports as (
       insert into passports
         (id, organization, application, sheet, sheet_version, network, ${passportStatus.column}, fields, mint_queued_at, mint_job, mint_line)
       select row.id, ?, ?, ?, ?, ?, ${passportStatus.target('createPublished')}, row.fields::jsonb, now(), ?, ? + row.line - 1
       from unnest(?::uuid[], ?::text[]) with ordinality as row (id, fields, line)
       returning *
     ), named as materialized (
       select name from applications where id = ?
     ), shown as materialized (
       select organization, application, mint_line - ? + 1 as place, (${passportSql.event})::jsonb as passport
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
      rows.map(({ line }) => JSON.stringify(fields[line])),
      sheet.application,
      first,
      // The identifiers of the events, by the place of the row, so that no join is needed. They are created in an order
      // in which the first event of a passport sorts before the second.
      rows.map(() => newId()),
      rows.map(() => newId()),
    ] as Knex.RawBinding[],
  )
  if (!named) throw new Error(`Mint job ${job} has no application`)
  return named.name
}

/** Computes the token identifier of a passport, in the same way as the column `token_id`. */
function computeTokenId(id: string): string {
  return `0x${createHash('sha256').update(id).digest('hex')}`
}
