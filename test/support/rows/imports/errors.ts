import type { Knex } from 'knex'

/** What is wrong with a row of an import. */
export interface NewImportError {
  line: number
  path?: string
  code?: string
  message?: string
  value?: string | null
}

/** Inserts errors of an import, which were found in this order. */
export async function insertErrors(db: Knex, job: string, errors: readonly NewImportError[]): Promise<void> {
  await db('import_errors').insert(
    errors.map(({ line, path = '', code = 'type', message = 'must be a number', value = null }) => ({
      job,
      line,
      path,
      code,
      message,
      value,
    })),
  )
}

/** Inserts this many errors of an import at the lines from 2 on, each of which names its line. */
export async function insertNumberedErrors(db: Knex, job: string, count: number): Promise<void> {
  await db.raw(
    `insert into import_errors (job, line, path, code, message, value)
     select ?, n + 1, 'product.name', 'required', 'line ' || n + 1 || ' has no name', 'value of ' || n + 1
     from generate_series(1, ?::int) n`,
    [job, count],
  )
}

/** An error in the order of the report. */
export interface ImportErrorPlace {
  line: number
  code: string
  path: string
}

/** Lists where and what all errors of an import are, at once; the report shows a thousand at a time. */
export async function listImportErrors(db: Knex, job: string): Promise<ImportErrorPlace[]> {
  return db('import_errors').where({ job }).orderBy(['line', 'seq']).select<ImportErrorPlace[]>('line', 'code', 'path')
}
