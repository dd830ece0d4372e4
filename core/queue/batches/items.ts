import type { Knex } from 'knex'

/** One unit of a job's work. `line` is its position in the job, `subject` the row that it is about, such as a passport. */
export interface JobItem {
  line: number
  subject: string
}

/** The items of a job that have the same step next, such as `publish` or `certify`. */
export interface JobItemList {
  job: string
  step: string
}

/** The table and columns for COPY; `formatJobItemLine` formats a line of it. */
export const jobItemColumns = 'job_items (job, line, step, subject)'

/** Formats an item as a line of COPY. */
export const formatJobItemLine = ({ job, step }: JobItemList, { line, subject }: JobItem): string =>
  `${job}\t${line}\t${step}\t${subject}\n`

/** Adds items to a list. */
export async function insertJobItems(trx: Knex, list: JobItemList, items: readonly JobItem[]): Promise<void> {
  await insertJobItemsFrom(trx, list, 'select * from unnest(?::int[], ?::uuid[]) as item (line, subject)', [
    items.map(({ line }) => line),
    items.map(({ subject }) => subject),
  ])
}

/**
 * Adds the rows of a query to a list.
 * @param sql a query of `line` and `subject`
 * @returns the number of items
 */
export async function insertJobItemsFrom(
  trx: Knex,
  { job, step }: JobItemList,
  sql: string,
  bindings: readonly unknown[],
): Promise<number> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `insert into job_items (job, step, line, subject) select ?, ?, found.line, found.subject from (${sql}) as found`,
    [job, step, ...bindings] as Knex.RawBinding[],
  )
  return rowCount
}

/** Lists the subjects of all items of a job, in the order of their lines. */
export async function listJobSubjects(trx: Knex, job: string): Promise<string[]> {
  return trx('job_items').where({ job }).orderBy('line').pluck<string[]>('subject')
}

/** The SQL of the subjects of all items of a job; its binding is the job. */
export const jobSubjectsSql = 'select subject from job_items where job = ?'

/**
 * Takes the next items from a list, at most `maxItems`, in the order of their lines. They are gone from the list when
 * the transaction commits; an empty result means that none is left.
 * @param limit converts the SQL that selects the next items to SQL that selects only those which one transaction can
 * handle
 */
export async function takeJobItems(
  trx: Knex,
  { job, step }: JobItemList,
  maxItems: number,
  limit: (sql: string) => string = (sql) => sql,
): Promise<JobItem[]> {
  const next = limit('select line, subject from job_items where job = ? and step = ? order by line limit ?')
  const { rows } = await trx.raw<{ rows: JobItem[] }>(
    `delete from job_items where job = ? and line in (select line from (${next}) as next_items) returning line, subject`,
    [job, job, step, maxItems],
  )
  return rows.sort((one, other) => one.line - other.line)
}
