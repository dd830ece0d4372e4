import type { Knex } from 'knex'
import type { EventSource } from '../../kernel/answer.ts'
import { mayActFor, type Caller } from '../../kernel/caller.ts'
import type { JobDeclaration } from '../../kernel/job.ts'
import type { Notices } from '../../kernel/parts.ts'
import { notFound } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { jobView, readJobs, type JobRow } from '../../queue/rows.ts'
import { JobWatch } from './watch.ts'

/** The job as the table has it, or undefined. Whose it is, the caller has to judge. */
export async function findJob(db: Knex, id: string): Promise<JobRow | undefined> {
  const [row] = await readJobs(db, [id])
  return row
}

/**
 * A job to read: by the buyer who started it, or for its organization by who has the permission its type declares.
 * @throws NOT_FOUND to everyone else
 */
export async function readableJob(
  db: Knex, caller: Caller, id: string, declarations: readonly JobDeclaration<unknown>[],
): Promise<JobRow> {
  const row = await findJob(db, id)
  if (!row || !mayRead(caller, row, declarations)) throw notFound()
  return row
}

function mayRead(caller: Caller, row: JobRow, declarations: readonly JobDeclaration<unknown>[]): boolean {
  if (caller.kind === 'endUser') return row.end_user === caller.user && row.application === caller.application
  const permission = declarations.find(({ type }) => type === row.type)?.permission
  return permission !== undefined && mayActFor(caller, row.organization, permission)
}

const watches = new WeakMap<Notices, JobWatch>()

function watchOf({ db, notices }: Pick<Context, 'db' | 'notices'>): JobWatch {
  const known = watches.get(notices)
  if (known) return known
  const made = new JobWatch(db, notices)
  watches.set(notices, made)
  return made
}

/**
 * The states of a job as they come, for a stream. Whoever asks has to have been let to the job before.
 * @param view what the status route answers for a row; the plain job unless stated
 */
export function jobEvents(
  context: Pick<Context, 'db' | 'notices'>, id: string, view: (row: JobRow) => unknown = jobView,
): EventSource {
  const watch = watchOf(context)
  return {
    async read() {
      const row = await watch.read(id)
      return row ? { value: await view(row), version: row.version, terminal: row.status !== 'pending' } : null
    },
    subscribe: (changed) => watch.follow(id, changed),
  }
}
