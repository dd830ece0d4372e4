import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { JobError } from '../../kernel/job.ts'
import { errorsKept } from '../../queue/move.ts'
import type { Stored } from '../dpp/index.ts'
import type { Checkpoint } from './imports.types.ts'

/** What a job keeps of errors. */
export const jobErrors = (errors: Stored['errors']): JobError[] =>
  errors.slice(0, errorsKept).map(({ line, path, code, message }) => ({ line, code, message, ...(path && { path }) }))

/** What became of a slice: of how many rows, from which line to which. */
export interface StoredSlice { rows: number; from: number; to: number; after: Checkpoint; stored: Stored }

/**
 * Writes down what became of slices: the job of each, what is wrong with their rows, and the counts of the import, in
 * one statement. How far a file was read is told by its bytes; where its text has more of them, not past its end.
 */
export async function keepSlices(
  trx: Knex, { job, organization, application }: { job: string; organization: string; application: string },
  slices: readonly StoredSlice[],
): Promise<void> {
  const children = slices.map((slice) => ({ id: newId(), ...slice, ...slice.stored }))
  const each = <T>(read: (child: (typeof children)[number]) => T) => children.map(read)
  const sum = (name: 'created' | 'updated' | 'skipped') => children.reduce((all, child) => all + child[name], 0)
  const errors = slices.flatMap(({ stored }) => stored.errors)
  const text = (read: (error: Stored['errors'][number]) => string | null) => errors.map(read)
  await trx.raw(
    `with child as (
       insert into jobs (id, type, organization, application, status, total, completed, failed, result, errors, payload)
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
      organization, application, each(({ id }) => id), each(({ failed, rows }) => (failed === rows ? 'failed' : 'completed')),
      each(({ rows }) => rows), each(({ rows, failed }) => rows - failed), each(({ failed }) => failed),
      each(({ created, updated, skipped, failed }) => JSON.stringify({ created, updated, skipped, failed })),
      each(({ stored }) => JSON.stringify(jobErrors(stored.errors))),
      job, each(({ id }) => id), each(({ created }) => created), each(({ updated }) => updated), each(({ skipped }) => skipped),
      each(({ from }) => from), each(({ to }) => to),
      job, errors.map(({ line }) => line), text(({ path }) => path), text(({ code }) => code),
      text(({ message }) => message), text(({ value }) => value),
      sum('created'), sum('updated'), sum('skipped'), slices.at(-1)?.after.bytes ?? 0, job,
    ] as Knex.RawBinding[])
}
