import type { Knex } from 'knex'
import type { StateSource } from '../../kernel/answer.ts'
import { mayActFor, type Caller } from '../../kernel/caller.ts'
import type { JobDeclaration } from '../../kernel/job.ts'
import type { Notices } from '../../kernel/ports/notices.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { presentJob, readJobs, type JobRow } from '../../queue/engine/rows.ts'
import { JobWatch } from './jobs.watch.ts'
import { createScopedEntity } from '../../database/scoped-entity.ts'

/** Returns the job's row, or undefined if there is none. The caller has to check who may see the job. */
export async function findJob(db: Knex, id: string): Promise<JobRow | undefined> {
  const [row] = await readJobs(db, [id])
  return row
}

/**
 * Reads a job for the buyer who started it, or for a caller of its organization with the permission that the job's type
 * declares.
 * @throws NOT_FOUND for every other caller, or if there is no such job
 */
export async function readJob(
  db: Knex,
  caller: Caller,
  id: string,
  declarations: readonly JobDeclaration<unknown>[],
): Promise<JobRow> {
  const row = await findJob(db, id)
  if (!row || !(await mayReadJob(db, caller, row, declarations))) throw createNotFoundProblem()
  return row
}

async function mayReadJob(
  db: Knex,
  caller: Caller,
  row: JobRow,
  declarations: readonly JobDeclaration<unknown>[],
): Promise<boolean> {
  if (caller.kind === 'endUser') return row.end_user === caller.user && row.application === caller.application
  const permission = declarations.find(({ type }) => type === row.type)?.permission
  if (permission === undefined) return false
  return mayActFor(caller, row.organization, typeof permission === 'string' ? permission : await permission(db, row.id))
}

const jobWatches = new WeakMap<Notices, JobWatch>()

function getJobWatch({ db, notices }: Pick<Context, 'db' | 'notices'>): JobWatch {
  const known = jobWatches.get(notices)
  if (known) return known
  const jobWatch = new JobWatch(db, notices)
  jobWatches.set(notices, jobWatch)
  return jobWatch
}

/**
 * Creates the source of a job's states for a stream. The caller must have checked that the request may read the job.
 * @param present converts a row to the answer of the status route; by default the plain job
 */
export function createJobStateSource(
  context: Pick<Context, 'db' | 'notices'>,
  id: string,
  present: (row: JobRow) => unknown = presentJob,
): StateSource {
  const watch = getJobWatch(context)
  return {
    async read() {
      const row = await watch.readJob(id)
      return row ? { value: await present(row), version: row.version, isTerminal: row.status !== 'pending' } : null
    },
    subscribe: (onChange) => watch.followJob(id, onChange),
  }
}

/** Jobs, as requests name them. One that is about no application is within none. */
export const jobEntity = createScopedEntity('jobs')
