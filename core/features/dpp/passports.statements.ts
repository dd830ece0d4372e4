import type { Knex } from 'knex'
import type { Statement } from '../../database/connection.ts'
import type { Work } from '../../kernel/work.ts'

/** In the transaction of the work where it has one, else as a statement that is a transaction itself. */
export async function runDirectly<Row>(
  { trx, context }: Work, { name = '', text }: Statement, values: readonly unknown[],
): Promise<Row[]> {
  if (!trx.isTransaction) return context.direct.rows<Row>({ name, text }, values)
  const numbers: number[] = []
  const sql = text.replace(/\$(\d+)/g, (_, at: string) => {
    numbers.push(Number(at))
    return '?'
  })
  const { rows } = await trx.raw<{ rows: Row[] }>(sql, numbers.map((at) => values[at - 1]) as Knex.RawBinding[])
  return rows
}
