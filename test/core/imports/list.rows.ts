import { newId } from '../../../core/database/model.ts'
import { operator } from '../identity/people.ts'

export interface ImportOf { organization: string; application: string }

/** An import as a test wants to find it: members of its row in `imports`, and of its job. */
export interface Stored { row?: Record<string, unknown>; job?: Record<string, unknown>; createdAt?: Date }

/** Puts an import into the database that no worker will touch. @returns its id */
export async function storeImport(
  { organization, application }: ImportOf, { row = {}, job = {}, createdAt = new Date() }: Stored = {},
): Promise<string> {
  const { db } = await operator()
  const id = newId()
  const of = { organization, application, created_at: createdAt }
  await db('jobs').insert({
    id, type: 'import', status: 'completed', total: 0, payload: '{}', updated_at: createdAt, due_at: '2999-01-01', ...of, ...job,
  })
  const finished = (job['status'] ?? 'completed') === 'pending' ? null : createdAt
  await db('imports').insert({ job: id, name: 'batch', source: 'upload', format: 'csv', finished_at: finished, ...of, ...row })
  return id
}

/** Errors of an import at lines from 2 on, one a line: what `of` says for each. */
export async function storeErrors(job: string, count: number): Promise<void> {
  const { db } = await operator()
  await db.raw(
    `insert into import_errors (job, line, path, code, message, value)
     select ?, n + 1, 'product.name', 'required', 'line ' || n + 1 || ' has no name', 'value of ' || n + 1
     from generate_series(1, ?::int) n`, [job, count])
}
