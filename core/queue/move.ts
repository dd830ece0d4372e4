import type { Knex } from 'knex'
import type { JobError, Move } from '../kernel/job.ts'
import { jsonb } from './rows.ts'

/** Errors that a job keeps; later ones only count. */
export const errorsKept = 100

/** Changes counters, state and errors of a pending job in the caller's transaction, under the lock of its row. */
export async function moveJob(trx: Knex, job: string, move: Move): Promise<void> {
  const { completed = 0, failed = 0, total = 0, state = {}, errors = [] } = move
  await trx.raw(
    `update jobs set total = total + ?, completed = completed + ?, failed = failed + ?, state = state || ?::jsonb,
       errors = case when ? = 0 or jsonb_array_length(errors) >= ${errorsKept} then errors else
         jsonb_path_query_array(errors || ?::jsonb, '$[0 to ${errorsKept - 1}]') end
     where id = ? and status = 'pending'`,
    [total, completed, failed, jsonb(state), errors.length, jsonb(errors.slice(0, errorsKept)), job])
}

/** Two moves as one. */
export function joined(one: Move, other: Move): Move {
  const sum = (name: 'completed' | 'failed' | 'total') => (one[name] ?? 0) + (other[name] ?? 0)
  const errors: JobError[] = [...one.errors ?? [], ...other.errors ?? []]
  return {
    completed: sum('completed'), failed: sum('failed'), total: sum('total'),
    state: { ...one.state, ...other.state }, errors,
  }
}
