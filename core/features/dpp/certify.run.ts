import type { Network } from '../../chains/networks.ts'
import { faultPoint } from '../../kernel/fault.ts'
import type { Outcome, Run, RunningJob } from '../../kernel/job.ts'
import { Problem } from '../../kernel/problem.ts'
import { expandsFor } from '../certification/index.ts'
import { anchorPart, KeyMoved, looseNetwork } from './anchors.ts'
import { signAgain } from './certify.again.ts'
import { signChunk, type Certifying } from './certify.chunk.ts'
import { expandNext } from './certify.expand.ts'
import { pinNext } from './certify.pin.ts'
import { rootsOf, settleCertified, settleFailed, type Roots } from './certify.settle.ts'
import { patience } from './mint.jobs.ts'

/** What a publish or certify job has done so far. Kept in its state, so that another run goes on counting. */
export interface Counts {
  published: number
  skipped: number
  certified: number
  unchanged: number
  nothingToCertify: number
  /** Archived or deleted before they were certified. */
  left: number
  failed: number
}

export function countsOf(state: Record<string, unknown>): Counts {
  const count = (name: keyof Counts) => Number(state[name] ?? 0)
  return {
    published: count('published'), skipped: count('skipped'), certified: count('certified'),
    unchanged: count('unchanged'), nothingToCertify: count('nothingToCertify'), left: count('left'),
    failed: count('failed'),
  }
}

/** Passports signed, and told of their anchor, in one transaction. */
const chunk = { sign: 250, tell: 500 }

/** Seconds until a job looks again whether a key is in its place, whether the DID document has it, and whether IPFS keeps content again. */
const rotationPatience = 1
const documentPatience = 5
const pinPatience = 2

interface Doing { whose: Certifying; run: Run; counts: Counts }

/**
 * Certifies the units of a job: signs both forms and stores them, anchors one root a network, adds the third form where
 * it is wanted, keeps them on IPFS, waits for the chain, tells the passports. An IPFS node that is away holds nothing
 * up, as readers get the stored bytes: what it did not take is offered again until it does, and only then the job has
 * ended. A key that the DID document lacks signs nothing, and the job waits for it. Each step is a transaction that can be
 * made once only, so a run may die between any two.
 * @param outcome what the job answers once all is done
 */
export async function certification(
  { id, organization, total }: Pick<RunningJob, 'id' | 'organization' | 'total'>, run: Run, counts: Counts,
  outcome: (counts: Counts) => Outcome, anew = false,
): Promise<Outcome> {
  const doing: Doing = { whose: { job: id, organization, anew }, run, counts }
  try {
    await signAll(doing)
    if (!await anchorAll(doing)) return { status: 'waiting', seconds: rotationPatience }
  } catch (cause) {
    if (!(cause instanceof Problem) || cause.code !== 'DPP_KEY_ROTATION_PENDING') throw cause
    return { status: 'waiting', seconds: documentPatience }
  }
  // While the chain is at work; and not before, as what is on IPFS for good is never signed again.
  if (!await expandAll(doing)) return { status: 'waiting', seconds: pinPatience }
  await pinAll(doing)
  if (!await tellAll(doing)) return { status: 'waiting', seconds: patience }
  faultPoint('certify.told', { job: id, step: 'certify' })
  if (!await pinAll(doing)) return { status: 'waiting', seconds: pinPatience }
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
        left: doing.counts.left + done.skipped,
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

/** @returns whether each has the third form that can have it, where the organization wants one */
async function expandAll({ whose: { job, organization }, run }: Doing): Promise<boolean> {
  if (!await expandsFor(run.context, organization)) return true
  for (let after: string | null = null; ;) {
    const expanded = await expandNext(run, { job, organization }, after)
    if (expanded.after === null) return expanded.all
    after = expanded.after
    faultPoint('certify.expanded', { job, step: 'expand' })
  }
}

/** @returns whether all that was signed is kept */
async function pinAll({ whose: { job }, run }: Doing): Promise<boolean> {
  for (let after: string | null = null; ;) {
    const pinned = await pinNext(run, job, after)
    if (pinned.after === null) return pinned.all
    after = pinned.after
    faultPoint('certify.pinned', { job, step: 'pin' })
  }
}

/** @returns false while a key that is to sign from now on is on its way to a network: what the old one signed waits. */
async function anchorAll(doing: Doing): Promise<boolean> {
  const { whose, run } = doing
  for (;;) {
    const network = await looseNetwork(run.context.db, whose.job)
    if (network === undefined) return true
    const moved = await anchorNext(doing, network)
    if (moved?.how === 'rotating') return false
    if (moved) await signAllAgain(doing)
    else run.context.chains.ring(network)
  }
}

async function anchorNext({ whose, run }: Doing, network: Network): Promise<KeyMoved | null> {
  try {
    await run.step(async (trx) => {
      await anchorPart(trx, run.context, whose, network)
      faultPoint('certify.rooted', { job: whose.job, step: 'anchor' })
    })
  } catch (cause) {
    if (cause instanceof KeyMoved) return cause
    throw cause
  }
  faultPoint('certify.anchor-queued', { job: whose.job, step: 'anchor' })
  return null
}

async function signAllAgain({ whose, run }: Doing): Promise<void> {
  while (await run.step((trx) => signAgain(trx, run.context, whose, chunk.sign)) > 0) {
    faultPoint('unit.between', { job: whose.job, step: 'sign again' })
  }
}

/** @returns whether every root has its outcome and every passport knows of it */
async function tellAll(doing: Doing): Promise<boolean> {
  for (;;) {
    const { waiting, ready } = await rootsOf(doing.run.context.db, doing.whose.job)
    if (ready.length === 0) return waiting === 0
    for (const root of ready) while (await tellNext(doing, root) > 0) faultPoint('unit.between', { job: doing.whose.job, step: 'tell' })
  }
}

/** @returns how many passports were told */
async function tellNext(doing: Doing, root: Roots['ready'][number]): Promise<number> {
  const { whose: { job }, run } = doing
  const { told, counts } = await run.step(async (trx, move) => {
    const errors = root.failed ? await settleFailed(trx, job, root, chunk.tell) : []
    const certified = root.failed ? 0 : await settleCertified(trx, job, root.id, chunk.tell)
    const counts: Counts = {
      ...doing.counts, certified: doing.counts.certified + certified, failed: doing.counts.failed + errors.length,
    }
    if (certified + errors.length > 0) move({ completed: certified, failed: errors.length, errors, state: { ...counts } })
    return { told: certified + errors.length, counts }
  })
  doing.counts = counts
  return told
}

/** Units whose passports were deleted on the way have left, so that every unit has an outcome. */
async function countGone(doing: Doing, total: number): Promise<void> {
  const { published: _, left, ...others } = doing.counts
  const gone = total - left - Object.values(others).reduce((sum, count) => sum + count)
  if (gone <= 0) return
  await doing.run.step(async (_trx, move) => {
    doing.counts = { ...doing.counts, left: left + gone }
    move({ completed: gone, state: { ...doing.counts } })
  })
}
