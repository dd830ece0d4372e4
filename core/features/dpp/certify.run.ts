import { faultPoint } from '../../kernel/fault.ts'
import type { Outcome, Run, RunningJob } from '../../kernel/job.ts'
import { anchorPart, looseNetworks } from './anchors.ts'
import { signChunk, type Certifying } from './certify.chunk.ts'
import { rootsOf, settleCertified, settleFailed } from './certify.settle.ts'
import { patience } from './mint.jobs.ts'

/** What a publish or certify job has done so far. Kept in its state, so that another run goes on counting. */
export interface Counts {
  published: number
  skipped: number
  certified: number
  unchanged: number
  nothingToCertify: number
  failed: number
}

export function countsOf(state: Record<string, unknown>): Counts {
  const count = (name: keyof Counts) => Number(state[name] ?? 0)
  return {
    published: count('published'), skipped: count('skipped'), certified: count('certified'),
    unchanged: count('unchanged'), nothingToCertify: count('nothingToCertify'), failed: count('failed'),
  }
}

/** Passports signed, and told of their anchor, in one transaction. */
const chunk = { sign: 250, tell: 500 }

interface Doing { whose: Certifying; run: Run; counts: Counts }

/**
 * Certifies the units of a job: signs both forms and stores them, anchors one root a network, waits for the chain, tells
 * the passports. Each step is a transaction that can be made once only, so a run may die between any two.
 * @param outcome what the job answers once all is done
 */
export async function certification(
  { id, organization, total }: Pick<RunningJob, 'id' | 'organization' | 'total'>, run: Run, counts: Counts,
  outcome: (counts: Counts) => Outcome,
): Promise<Outcome> {
  const doing: Doing = { whose: { job: id, organization }, run, counts }
  await signAll(doing)
  await anchorAll(doing)
  if (!await tellAll(doing)) return { status: 'waiting', seconds: patience }
  faultPoint('certify.told', { job: id, step: 'certify' })
  await countGone(doing, total)
  const { failed } = doing.counts
  if (total > 0 && failed === total) {
    return { status: 'failed', code: 'CERTIFY_FAILED', message: 'Not one passport could be certified.' }
  }
  return outcome(doing.counts)
}

async function signAll(doing: Doing): Promise<void> {
  const { whose, run } = doing
  for (;;) {
    const { taken, counts } = await run.step(async (trx, move) => {
      const done = await signChunk(trx, run.context, whose, chunk.sign)
      const failed = done.errors.length
      const counts: Counts = {
        ...doing.counts,
        unchanged: doing.counts.unchanged + done.unchanged,
        nothingToCertify: doing.counts.nothingToCertify + done.nothingToCertify,
        skipped: doing.counts.skipped + done.skipped,
        failed: doing.counts.failed + failed,
      }
      const completed = done.taken - done.signed - failed
      if (done.taken > 0) move({ completed, failed, errors: done.errors, state: { ...counts } })
      faultPoint('certify.signed', { job: whose.job, step: 'certify' })
      return { taken: done.taken, counts }
    })
    if (taken === 0) return
    doing.counts = counts
    faultPoint('unit.between', { job: whose.job, step: 'certify' })
  }
}

async function anchorAll({ whose, run }: Doing): Promise<void> {
  for (;;) {
    const [network] = await looseNetworks(run.context.db, whose.job)
    if (network === undefined) return
    await run.step(async (trx) => {
      await anchorPart(trx, run.context, whose, network)
      faultPoint('certify.rooted', { job: whose.job, step: 'anchor' })
    })
    faultPoint('certify.anchor-queued', { job: whose.job, step: 'anchor' })
    run.context.chains.ring(network)
  }
}

/** @returns whether every root has its outcome and every passport knows of it */
async function tellAll(doing: Doing): Promise<boolean> {
  const { whose, run } = doing
  const { waiting, ready } = await rootsOf(run.context.db, whose.job)
  for (const root of ready) {
    for (let told = chunk.tell; told === chunk.tell;) {
      const done = await run.step(async (trx, move) => {
        const errors = root.failed ? await settleFailed(trx, whose.job, root, chunk.tell) : []
        const certified = root.failed ? 0 : await settleCertified(trx, whose.job, root.id, chunk.tell)
        const counts: Counts = {
          ...doing.counts, certified: doing.counts.certified + certified, failed: doing.counts.failed + errors.length,
        }
        if (certified + errors.length > 0) move({ completed: certified, failed: errors.length, errors, state: { ...counts } })
        return { told: certified + errors.length, counts }
      })
      doing.counts = done.counts
      told = done.told
      faultPoint('unit.between', { job: whose.job, step: 'tell' })
    }
  }
  return waiting === 0
}

/** Units whose passports were deleted on the way are skipped, so that every unit has an outcome. */
async function countGone(doing: Doing, total: number): Promise<void> {
  const { published: _, certified, unchanged, nothingToCertify, failed, skipped } = doing.counts
  const gone = total - (certified + unchanged + nothingToCertify + failed + skipped)
  if (gone <= 0) return
  await doing.run.step(async (_trx, move) => {
    doing.counts = { ...doing.counts, skipped: skipped + gone }
    move({ completed: gone, state: { ...doing.counts } })
  })
}
