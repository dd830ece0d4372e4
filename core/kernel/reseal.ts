import type { Knex } from 'knex'
import { faultPoint } from './fault.ts'
import type { Seal } from './seal.ts'

/** A column of sealed values. The name that a value is sealed for is made of its row. */
export interface SealedColumn {
  table: string
  column: string
  nameOf(row: { id: string; organization: string }): string
}

interface SealedRow { id: string; organization: string; sealed: Buffer }

/** Values that are sealed again in one transaction. */
const batchSize = 200

/**
 * Seals with the present key every value of a column that another key sealed, in batches: whatever ends it leaves each
 * value as it was or sealed anew, and it may run again. A value that changes meanwhile is left to its writer.
 * @returns how many values were sealed again
 */
export async function resealColumn(db: Knex, seal: Seal, { table, column, nameOf }: SealedColumn): Promise<number> {
  let resealed = 0
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const { rows } = await db.raw<{ rows: SealedRow[] }>(`
      select id, organization, ?? as sealed from ?? where id > ? and ?? is not null
        and substring(?? from 1 for ${seal.prefix.length}) <> ? order by id limit ${batchSize}`,
    [column, table, after, column, column, seal.prefix])
    const last = rows.at(-1)
    if (!last) return resealed
    await db.transaction(async (trx) => {
      for (const row of rows) {
        const again = seal.close(nameOf(row), seal.open(nameOf(row), row.sealed))
        const { rowCount } = await trx.raw<{ rowCount: number }>('update ?? set ?? = ? where id = ? and ?? = ?',
          [table, column, again, row.id, column, row.sealed])
        resealed += rowCount
      }
    })
    faultPoint('reseal.batch', { table, resealed })
    after = last.id
  }
}
