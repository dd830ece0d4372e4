import type { Knex } from 'knex'
import type { Logger } from 'pino'
import { closeBlocks, listEndedPeriods } from './blocks.ts'

/** What needs a timer that is never run twice at a time, as the queue has one. */
type StartRepetition = (
  intervalMs: number,
  action: () => Promise<void>,
  onError: (cause: unknown) => void,
) => { stop(): Promise<void> }

/** Interval between two looks for blocks whose lease is over, in milliseconds. */
const sweepIntervalMs = 5_000

/** Starts what closes blocks whose lease is over. Any number of workers can do it. */
export const startMeterSweeps = (
  { db, log }: { db: Knex; log: Logger },
  startRepetition: StartRepetition,
): { stop(): Promise<void> } =>
  startRepetition(
    sweepIntervalMs,
    async () => void (await closeEndedBlocks(db)),
    (cause) => log.error({ err: cause }, 'the look for blocks of units failed'),
  )

/** Closes the blocks whose lease is over, of one organization or of all. @returns the number of blocks */
export async function closeEndedBlocks(db: Knex, organization?: string): Promise<number> {
  let closed = 0
  for (const period of await listEndedPeriods(db, organization)) closed += await closeBlocks(db, period)
  return closed
}
