import { pino } from 'pino'
import { connectDatabase } from '../../../core/database/connection.ts'
import { createNotices, type PostgresNotices } from '../../../core/database/notices.ts'
import type { JobDeclaration, JobType, RunningJob } from '../../../core/kernel/job.ts'
import { declareJob } from '../../../core/kernel/job.ts'
import type { Context } from '../../../core/kernel/work.ts'
import { createQueue } from '../../../core/queue/queue.ts'
import { recordUnit } from '../../support/rows/queue/units.ts'

export interface QueueParts {
  context: Context
  notices: PostgresNotices
  close(): Promise<void>
}

/** The parts of a process that the queue needs, as an entry point would build them. */
export function createQueueParts(databaseUrl: string, redisUrl: string | undefined, level = 'silent'): QueueParts {
  const log = pino({ level })
  const db = connectDatabase({ url: databaseUrl, name: 'queue under test', maxConnections: 12 })
  const notices = createNotices({ url: databaseUrl, log })
  const queue = createQueue({ db, redisUrl, log, notices })
  const context = { db, notices, queue, log, settings: { redisUrl } } as unknown as Context
  return {
    context,
    notices,
    async close() {
      await queue.close()
      await notices.close()
      await db.destroy()
    },
  }
}

export interface UnitsPayload {
  units: number
  pause?: number
}

/**
 * A job of units, as the real ones are: each step writes one unit into `units` and counts it. A run goes on where the
 * last one ended.
 */
export const unitsJob: JobDeclaration<unknown> = declareJob<UnitsPayload>({
  type: 'mint',
  permission: 'dpp:read',
  maxAttempts: 3,
  async run({ id, payload, completed }: RunningJob<UnitsPayload>, { step }) {
    for (let unit = completed; unit < payload.units; unit++) {
      await step(async (trx, move) => {
        await recordUnit(trx, id, unit)
        move({ completed: 1 })
      })
      if (payload.pause) await new Promise((resolve) => setTimeout(resolve, payload.pause))
    }
    return { status: 'completed', result: { units: payload.units } }
  },
})

/** A job whose handler never gives the event loop back. */
export const blockingJob: JobDeclaration<unknown> = declareJob({
  type: 'claim',
  permission: 'dpp:read',
  maxAttempts: 1,
  run: () => {
    for (;;);
  },
})

export const organizationId = '018f3f6e-7b1a-7c3d-9e2f-0123456789ab'

/** Writes a job and rings for it, as a request does. */
export async function startJob(
  { queue, db }: Context,
  payload: unknown,
  { total = 1, ring = true, type = 'mint' as JobType } = {},
): Promise<string> {
  const id = await db.transaction((trx) => queue.enqueue(trx, { type, organization: organizationId, total, payload }))
  if (ring) queue.notifyWorker(id)
  return id
}

export const startUnitsJob = (context: Context, payload: UnitsPayload, options: { ring?: boolean } = {}) =>
  startJob(context, payload, { total: payload.units, ...options })
