import { randomUUID } from 'node:crypto'
import type { Context } from '../../../core/kernel/work.ts'
import { insertJobItems } from '../../../core/queue/batches/items.ts'
import { assignCertifyJob } from '../rows/dpp/passports.ts'

/** Passports of an organization, in the order of their lines in a job. */
export interface JobPassports {
  organization: string
  passports: readonly string[]
}

/** Queues a publish job that has published its passports and has yet to certify them. @returns the job */
export async function queueCertifyingPublish(
  { db, queue }: Context,
  { organization, passports }: JobPassports,
): Promise<string> {
  return db.transaction(async (trx) => {
    const total = passports.length
    const job = await queue.enqueue(trx, {
      type: 'publish',
      organization,
      total,
      payload: { skipCertification: false },
    })
    await trx('jobs')
      .where({ id: job })
      .update({ state: { published: total } })
    await insertJobItems(
      trx,
      { job, step: 'certify' },
      passports.map((subject, line) => ({ line, subject })),
    )
    return job
  })
}

/** Starts a certify job that has signed certificates of its passports, whose root the chain refused. @returns the job */
export async function startRefusedCertify(
  { db, queue }: Context,
  { organization, passports, reason }: JobPassports & { reason: string },
): Promise<string> {
  const network = 'EthereumAnvil'
  const started = await db.transaction(async (trx) => {
    const total = passports.length
    const job = await queue.enqueue(trx, { type: 'certify', organization, total, payload: {} })
    const anchor = randomUUID()
    await trx('anchors').insert({
      id: anchor,
      job,
      organization,
      network,
      part: 0,
      root: '0x',
      leaves: total,
      status: 'failed',
      reason,
    })
    await trx('passport_credentials').insert(
      passports.map((passport, line) => ({
        id: randomUUID(),
        passport,
        organization,
        version: 1,
        job,
        line,
        network,
        content_hash: '0x',
        valid_from: new Date(),
        anchor,
      })),
    )
    await assignCertifyJob(trx, passports, job)
    return job
  })
  queue.notifyWorker(started)
  return started
}
