import type { Knex } from 'knex'
import type { JobError, JobProgress } from '../../kernel/job.ts'
import { formatJsonb } from './rows.ts'

/** Maximum number of errors that a job stores; further errors are only counted. */
export const maxErrors = 100

/** Changes counters, state and errors of a pending job in the caller's transaction, and locks its row. */
export async function moveJob(trx: Knex, job: string, move: JobProgress): Promise<void> {
  const { completed = 0, failed = 0, total = 0, state = {}, errors = [] } = move
  await trx.raw(
    `update jobs set total = total + ?, completed = completed + ?, failed = failed + ?, state = state || ?::jsonb,
       errors = case when ? = 0 or jsonb_array_length(errors) >= ${maxErrors} then errors else
         jsonb_path_query_array(errors || ?::jsonb, '$[0 to ${maxErrors - 1}]') end
     where id = ? and status = 'pending'`,
    [total, completed, failed, formatJsonb(state), errors.length, formatJsonb(errors.slice(0, maxErrors)), job],
  )
}

/** Combines two changes of a job. */
export function mergeMoves(one: JobProgress, other: JobProgress): JobProgress {
  const sum = (name: 'completed' | 'failed' | 'total') => (one[name] ?? 0) + (other[name] ?? 0)
  const errors: JobError[] = [...(one.errors ?? []), ...(other.errors ?? [])]
  return {
    completed: sum('completed'),
    failed: sum('failed'),
    total: sum('total'),
    state: { ...one.state, ...other.state },
    errors,
  }
}
