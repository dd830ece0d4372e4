import { newId } from '../../../../core/database/model.ts'
import { getOperator } from '../../identity/people.ts'

export interface ImportOwner {
  organization: string
  application: string
}

/** An import as a test wants to find it: members of its row in `imports`, and of its job. */
export interface StoredImportOptions {
  row?: Record<string, unknown>
  job?: Record<string, unknown>
  createdAt?: Date
}

/** Puts an import into the database that no worker will touch. @returns its id */
export async function insertImport(
  { organization, application }: ImportOwner,
  { row = {}, job = {}, createdAt = new Date() }: StoredImportOptions = {},
): Promise<string> {
  const { db } = await getOperator()
  const id = newId()
  const of = { organization, application, created_at: createdAt }
  await db('jobs').insert({
    id,
    type: 'import',
    status: 'completed',
    total: 0,
    payload: '{}',
    updated_at: createdAt,
    due_at: '2999-01-01',
    ...of,
    ...job,
  })
  const finished = (job['status'] ?? 'completed') === 'pending' ? null : createdAt
  await db('imports').insert({
    job: id,
    name: 'batch',
    source: 'upload',
    format: 'csv',
    finished_at: finished,
    ...of,
    ...row,
  })
  return id
}

/** Errors of an import at lines from 2 on, one a line: what `of` says for each. */
export async function insertErrors(job: string, count: number): Promise<void> {
  const { db } = await getOperator()
  await db.raw(
    `insert into import_errors (job, line, path, code, message, value)
     select ?, n + 1, 'product.name', 'required', 'line ' || n + 1 || ' has no name', 'value of ' || n + 1
     from generate_series(1, ?::int) n`,
    [job, count],
  )
}
