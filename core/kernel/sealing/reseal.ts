import type { Knex } from 'knex'
import { hitFaultPoint } from '../process/fault-points.ts'
import type { Seal } from './seal.ts'

/** A column of encrypted values. `getSealName` returns the name that a row's value is bound to. */
export interface SealedColumn {
  table: string
  column: string
  getSealName(row: { id: string; organization: string }): string
}

interface SealedRow {
  id: string
  organization: string
  sealed: Buffer
}

/** Number of values that are encrypted again in one transaction. */
const batchSize = 200

/**
 * Encrypts every value of a column again that was not encrypted with the present key, in batches. If it is interrupted,
 * each value is either old or new, and it can run again. A value that changes meanwhile is left as its writer wrote it.
 * @returns how many values were encrypted again
 */
export async function resealColumn(
  db: Knex,
  seal: Seal,
  { table, column, getSealName }: SealedColumn,
): Promise<number> {
  let resealed = 0
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const { rows } = await db.raw<{ rows: SealedRow[] }>(
      `
      select id, organization, ?? as sealed from ?? where id > ? and ?? is not null
        and substring(?? from 1 for ${seal.prefix.length}) <> ? order by id limit ${batchSize}`,
      [column, table, after, column, column, seal.prefix],
    )
    const last = rows.at(-1)
    if (!last) return resealed
    await db.transaction(async (trx) => {
      for (const row of rows) {
        const again = seal.encrypt(getSealName(row), seal.decrypt(getSealName(row), row.sealed))
        const { rowCount } = await trx.raw<{ rowCount: number }>('update ?? set ?? = ? where id = ? and ?? = ?', [
          table,
          column,
          again,
          row.id,
          column,
          row.sealed,
        ])
        resealed += rowCount
      }
    })
    hitFaultPoint('reseal.batch', { table, resealed })
    after = last.id
  }
}
