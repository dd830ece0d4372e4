import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import { PassportRow } from './passports.model.ts'
import type { SheetRow } from './sheets.ts'

interface Batch {
  organization: string
  sheet: SheetRow
  job: string
  values: readonly Record<string, unknown>[]
}

/**
 * Inserts published passports in one statement. Only the first one is read back: the others differ from it in what is
 * known here, and reading 10,000 rows costs more than writing them. @returns them as stored and `shown`, in their order
 */
export async function insertBatch(trx: Knex, { organization, sheet, job, values }: Batch): Promise<PassportRow[]> {
  const ids = values.map(() => newId())
  const { rows } = await trx.raw<{ rows: object[] }>(
    `with made as (
       insert into passports
         (id, organization, application, sheet, network, status, fields, mint_queued_at, mint_job, mint_line)
       select row.id, ?, ?, ?, ?, 'published', row.fields::jsonb, now(), ?, row.line - 1
       from unnest(?::uuid[], ?::text[]) with ordinality as row (id, fields, line)
       returning *
     )
     select made.*, applications.name as application_name, null as minted_address
     from made join applications on applications.id = made.application where made.mint_line = 0`,
    [
      organization,
      sheet.application,
      sheet.id,
      sheet.network,
      job,
      ids,
      values.map((fields) => JSON.stringify(fields)),
    ] as Knex.RawBinding[],
  )
  const [first] = rows
  if (!first) throw new Error(`Mint job ${job} has no rows`)
  const made = PassportRow.fromDatabaseJson(first)
  return ids.map((id, mintLine) =>
    Object.assign(new PassportRow(), made, { id, mintLine, tokenId: tokenIdOf(id), fields: values[mintLine] }),
  )
}

/** What the column `token_id` computes too. */
function tokenIdOf(id: string): string {
  return `0x${createHash('sha256').update(id).digest('hex')}`
}
