import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { JobError } from '../../../kernel/job.ts'
import { jobStatus } from '../../../queue/engine/jobs.machine.ts'
import { maxErrors } from '../../../queue/engine/move.ts'
import type { StoreResult } from '../../../kernel/ports/record-sink.ts'
import type { Checkpoint } from '../records/index.ts'

/** Converts errors of rows to errors of a job, at most as many as a job keeps. */
export const toJobErrors = (errors: StoreResult['errors']): JobError[] =>
  errors.slice(0, maxErrors).map(({ line, path, code, message }) => ({ line, code, message, ...(path && { path }) }))

/** The result of a stored slice. `rows` is the number of its rows, `from` and `to` are its first and last line. */
export interface StoredSlice {
  rows: number
  from: number
  to: number
  after: Checkpoint
  stored: StoreResult
}

/**
 * Stores the results of slices in one statement: a job for each slice, the errors of its rows, and the counts of the
 * import. `bytes_done` is at most the size of the file, because the decoded text of a file can have more bytes than the
 * file.
 */
export async function insertSlices(
  trx: Knex,
  { job, organization, application }: { job: string; organization: string; application: string },
  slices: readonly StoredSlice[],
): Promise<void> {
  const children = slices.map((slice) => ({ id: newId(), ...slice, ...slice.stored }))
  const getColumn = <T>(read: (child: (typeof children)[number]) => T) => children.map(read)
  const sum = (name: 'created' | 'updated' | 'skipped') => children.reduce((all, child) => all + child[name], 0)
  const errors = slices.flatMap(({ stored }) => stored.errors)
  const getErrorColumn = (read: (error: StoreResult['errors'][number]) => string | null) => errors.map(read)
  await trx.raw(
    `with child as (
       insert into jobs (id, type, organization, application, ${jobStatus.column}, total, completed, failed, result, errors, payload)
       select id, 'import', ?, ?, status, total, completed, failed, result, errors, '{}'
       from unnest(?::uuid[], ?::text[], ?::int[], ?::int[], ?::int[], ?::jsonb[], ?::jsonb[])
         as slice (id, status, total, completed, failed, result, errors)
     ), part as (
       insert into imports (job, organization, application, name, parent, entity_name, source, mapper, network,
         file_name, format, dialect, on_duplicate, dry_run, created, updated, skipped, line_from, line_to, finished_at)
       select slice.id, organization, application, 'entity', job, entity_name, source, mapper, network, file_name, format,
         dialect, on_duplicate, dry_run, slice.created, slice.updated, slice.skipped, slice.line_from, slice.line_to, now()
       from (select * from imports where job = ?) parent, unnest(?::uuid[], ?::int[], ?::int[], ?::int[], ?::int[], ?::int[])
         as slice (id, created, updated, skipped, line_from, line_to)
     ), wrong as (
       insert into import_errors (job, line, path, code, message, value)
       select ?, error.* from unnest(?::int[], ?::text[], ?::text[], ?::text[], ?::text[])
         as error (line, path, code, message, value)
     )
     update imports set created = created + ?, updated = updated + ?, skipped = skipped + ?,
       bytes_done = greatest(bytes_done, least(bytes, ?))
     where job = ?`,
    [
      organization,
      application,
      getColumn(({ id }) => id),
      getColumn(({ failed, rows }) => jobStatus.moves[failed === rows ? 'createFailed' : 'createCompleted'].to),
      getColumn(({ rows }) => rows),
      getColumn(({ rows, failed }) => rows - failed),
      getColumn(({ failed }) => failed),
      getColumn(({ created, updated, skipped, failed }) => JSON.stringify({ created, updated, skipped, failed })),
      getColumn(({ stored }) => JSON.stringify(toJobErrors(stored.errors))),
      job,
      getColumn(({ id }) => id),
      getColumn(({ created }) => created),
      getColumn(({ updated }) => updated),
      getColumn(({ skipped }) => skipped),
      getColumn(({ from }) => from),
      getColumn(({ to }) => to),
      job,
      errors.map(({ line }) => line),
      getErrorColumn(({ path }) => path),
      getErrorColumn(({ code }) => code),
      getErrorColumn(({ message }) => message),
      getErrorColumn(({ value }) => value),
      sum('created'),
      sum('updated'),
      sum('skipped'),
      slices.at(-1)?.after.bytes ?? 0,
      job,
    ] as Knex.RawBinding[],
  )
}
