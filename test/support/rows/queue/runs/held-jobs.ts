import type { Knex } from 'knex'
import { presenceLocks } from '../../../../../core/database/notices.ts'
import { countWaitingConnections } from '../../../database/backends.ts'

/** Writes of jobs that wait. */
export interface HeldJobs {
  /** Checks whether anybody waits. */
  isAwaited(): Promise<boolean>
  /** Lets them go on. */
  release(): Promise<void>
}

/** Lets everybody wait who would write or lock a job; jobs can still be read. */
export async function holdJobs(db: Knex): Promise<HeldJobs> {
  const trx = await db.transaction()
  await trx.raw('lock table jobs in exclusive mode')
  return {
    isAwaited: async () => (await countWaitingConnections(trx)) > 0,
    release: async () => {
      await trx.rollback()
    },
  }
}

/** Is there for a while as the worker with this number. @returns the function with which it is gone */
export async function showWorker(db: Knex, worker: number): Promise<() => Promise<void>> {
  const trx = await db.transaction()
  await trx.raw('select pg_advisory_xact_lock(?, ?)', [presenceLocks, worker])
  return async () => {
    await trx.rollback()
  }
}
