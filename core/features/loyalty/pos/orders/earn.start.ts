import type { Knex } from 'knex'
import type { Context } from '../../../../kernel/work.ts'

/** The most orders of a job. */
const maxOrders = 100

/**
 * Starts the work on orders that are kept. It begins when the transaction commits and the worker is notified.
 * @returns the jobs
 */
export async function startWorkOff(
  trx: Knex,
  context: Pick<Context, 'queue'>,
  organization: string,
  orders: readonly string[],
): Promise<string[]> {
  const jobs: string[] = []
  for (let at = 0; at < orders.length; at += maxOrders) {
    const chunk = orders.slice(at, at + maxOrders)
    jobs.push(
      await context.queue.enqueue(trx, { type: 'earn', organization, total: chunk.length, payload: { orders: chunk } }),
    )
  }
  return jobs
}
