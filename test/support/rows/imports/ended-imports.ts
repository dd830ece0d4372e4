import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'

/** Imports to write, one for each of these jobs that have ended. */
export interface EndedImports {
  jobs: readonly string[]
  organization: string
  application: string
  finishedAt: Date
}

/** Inserts imports that have ended, each with the key of a row, by which it knows duplicates. */
export async function insertEndedImports(
  db: Knex,
  { jobs, organization, application, finishedAt }: EndedImports,
): Promise<void> {
  await db('imports').insert(
    jobs.map((job) => ({
      job,
      organization,
      application,
      name: 'batch',
      source: 'upload',
      finished_at: finishedAt,
      created_at: finishedAt,
    })),
  )
  await db('import_keys').insert(jobs.map((job) => ({ job, key: randomBytes(16) })))
}

/** Inserts an error for each of these lines of each job. */
export async function insertImportErrors(
  db: Knex,
  { jobs, lines }: { jobs: readonly string[]; lines: readonly number[] },
): Promise<void> {
  const errors = jobs.flatMap((job) =>
    lines.map((line) => ({ job, line, path: '', code: 'required', message: 'is missing' })),
  )
  await db.batchInsert('import_errors', errors, 2_500)
}

/** Deletes the errors of all imports of a database that no other test uses meanwhile. */
export async function deleteImportErrors(db: Knex): Promise<void> {
  await db('import_errors').delete()
}
