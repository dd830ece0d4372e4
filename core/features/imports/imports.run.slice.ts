import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { JobError } from '../../kernel/job.ts'
import { errorsKept } from '../../queue/move.ts'
import type { PreparedRow, Stored } from '../dpp/index.ts'
import type { Checkpoint } from './imports.types.ts'

/** What a job keeps of errors. */
export const jobErrors = (errors: Stored['errors']): JobError[] =>
  errors.slice(0, errorsKept).map(({ line, path, code, message }) => ({ line, code, message, ...(path && { path }) }))

/**
 * Writes down what became of a slice: its own job, what is wrong with its rows, and the counts of the import, in one
 * statement. How far a file was read is told by its bytes; where its text has more of them, not past its end.
 */
export async function keepSlice(
  trx: Knex, { job, organization, application }: { job: string; organization: string; application: string },
  { rows, after }: { rows: readonly PreparedRow[]; after: Checkpoint }, stored: Stored,
): Promise<void> {
  const { created, updated, skipped, failed, errors } = stored
  const status = failed === rows.length ? 'failed' : 'completed'
  const child = newId()
  const text = (read: (error: Stored['errors'][number]) => string | null) => errors.map(read)
  await trx.raw(
    `with child as (
       insert into jobs (id, type, organization, application, status, total, completed, failed, result, errors, payload)
       values (?, 'import', ?, ?, ?, ?, ?, ?, ?::jsonb, ?::jsonb, '{}')
     ), part as (
       insert into imports (job, organization, application, name, parent, entity_name, source, mapper, network,
         file_name, format, dialect, on_duplicate, dry_run, created, updated, skipped, line_from, line_to, finished_at)
       select ?, organization, application, 'entity', job, entity_name, source, mapper, network, file_name, format,
         dialect, on_duplicate, dry_run, ?, ?, ?, ?, ?, now() from imports where job = ?
     ), wrong as (
       insert into import_errors (job, line, path, code, message, value)
       select ?, error.* from unnest(?::int[], ?::text[], ?::text[], ?::text[], ?::text[])
         as error (line, path, code, message, value)
     )
     update imports set created = created + ?, updated = updated + ?, skipped = skipped + ?,
       bytes_done = greatest(bytes_done, least(bytes, ?))
     where job = ?`,
    [
      child, organization, application, status, rows.length, rows.length - failed, failed,
      JSON.stringify({ created, updated, skipped, failed }), JSON.stringify(jobErrors(errors)),
      child, created, updated, skipped, rows[0]?.line ?? 0, rows.at(-1)?.line ?? 0, job,
      job, errors.map(({ line }) => line), text(({ path }) => path), text(({ code }) => code),
      text(({ message }) => message), text(({ value }) => value),
      created, updated, skipped, after.bytes, job,
    ] as Knex.RawBinding[])
}
