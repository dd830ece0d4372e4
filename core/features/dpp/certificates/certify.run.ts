import type { Network } from '../../../chains/networks.ts'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import type { JobOutcome, JobRun, RunningJob } from '../../../kernel/job.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import { releaseUnits } from '../../../meters/index.ts'
import { canSecureRdf } from '../../certification/index.ts'
import { anchorCredentials, KeyChangedError, findUnanchoredNetwork } from './anchors.ts'
import { listStaleCredentials, renewCredentials } from './certify.renew.ts'
import { signUnits, type CertificationTask } from './certify.chunk.ts'
import { expandNextCredentials } from './certify.expand.ts'
import { pinNextCredentials } from './certify.pin.ts'
import {
  readRoots,
  settleCertifiedPassports,
  settleFailedPassports,
  settleNextRows,
  type AnchoredRoots,
} from './certify.settle.ts'
import { eachBatch } from '../../../queue/batches/each-batch.ts'
import { jobIntervalSeconds } from '../content/index.ts'
import { takeNextUnits } from '../selection/index.ts'

/**
 * The counts of a publish or certify job so far. They are kept in the job's state, so that another run goes on
 * counting.
 */
export interface CertificationCounts {
  published: number
  skipped: number
  certified: number
  unchanged: number
  nothingToCertify: number
  /** Units whose passports were archived or deleted before they were certified. */
  left: number
  failed: number
}

export function parseCounts(state: Record<string, unknown>): CertificationCounts {
  const count = (name: keyof CertificationCounts) => Number(state[name] ?? 0)
  return {
    published: count('published'),
    skipped: count('skipped'),
    certified: count('certified'),
    unchanged: count('unchanged'),
    nothingToCertify: count('nothingToCertify'),
    left: count('left'),
    failed: count('failed'),
  }
}

/** The number of passports that one transaction signs, and the number that it settles after anchoring. */
const batchSizes = { sign: 250, settle: 500 }

/**
 * The delays, in seconds, after which a job checks again whether a key is registered, whether the DID document has the
 * key, and whether IPFS takes content again.
 */
const rotationIntervalSeconds = 1
const documentIntervalSeconds = 5
const pinIntervalSeconds = 2

interface CertificationRun {
  task: CertificationTask
  run: JobRun
  counts: CertificationCounts
}

/**
 * Certifies the units of a job: signs both forms and stores them, anchors one root per network, adds the third form
 * where the organization wants it, stores the credentials on IPFS, waits for the chain and settles the passports. An
 * unreachable IPFS node delays no certificate, as readers get the stored bytes: what the node did not take is offered
 * again until it does, and only then the job ends. While the DID document lacks the active key, nothing is signed and
 * the job waits. Each step is a transaction that can be made only once, so a run may die between any two steps.
 * @param outcome returns the outcome of the job once everything is done
 */
export async function runCertification(
  { id, organization, total }: Pick<RunningJob, 'id' | 'organization' | 'total'>,
  run: JobRun,
  counts: CertificationCounts,
  outcome: (counts: CertificationCounts) => JobOutcome,
  renewAll = false,
): Promise<JobOutcome> {
  const certificationRun: CertificationRun = { task: { job: id, organization, renewAll }, run, counts }
  try {
    await signAllUnits(certificationRun)
    if (!(await anchorAllNetworks(certificationRun)))
      return { status: 'waiting', delaySeconds: rotationIntervalSeconds }
  } catch (cause) {
    if (!(cause instanceof ProblemError) || cause.code !== 'DPP_KEY_ROTATION_PENDING') throw cause
    return { status: 'waiting', delaySeconds: documentIntervalSeconds }
  }
  // Expanding and pinning go on while the chain is at work. They must not start earlier, because what has been pinned
  // on IPFS for good is never signed again.
  if (!(await expandAllCredentials(certificationRun))) return { status: 'waiting', delaySeconds: pinIntervalSeconds }
  await pinAllCredentials(certificationRun)
  if (!(await settleAllPassports(certificationRun))) return { status: 'waiting', delaySeconds: jobIntervalSeconds }
  hitFaultPoint('certify.told', { job: id, step: 'certify' })
  if (!(await pinAllCredentials(certificationRun))) return { status: 'waiting', delaySeconds: pinIntervalSeconds }
  await countDeletedPassports(certificationRun, total)
  await releaseUnits(run.context.db, id)
  const { failed } = certificationRun.counts
  if (total > 0 && failed === total) {
    return { status: 'failed', code: 'CERTIFY_FAILED', message: 'Not one passport could be certified.' }
  }
  return outcome(certificationRun.counts)
}

async function signAllUnits(certificationRun: CertificationRun): Promise<void> {
  const { task, run, counts } = certificationRun
  const { job } = task
  certificationRun.counts = await eachBatch(run, {
    job,
    step: 'certify',
    state: counts,
    take: (trx) => takeNextUnits(trx, job, 'certify', batchSizes.sign),
    async work(trx, units, counts) {
      const { signed, errors, ...done } = await signUnits(trx, run.context, task, units)
      hitFaultPoint('certify.signed', { job, step: 'certify' })
      return {
        state: {
          ...counts,
          unchanged: counts.unchanged + done.unchanged,
          nothingToCertify: counts.nothingToCertify + done.nothingToCertify,
          left: counts.left + done.skipped,
          failed: counts.failed + errors.length,
        },
        progress: { completed: units.length - signed - errors.length, failed: errors.length, errors },
      }
    },
  })
}

/**
 * Adds the third form to all credentials of the job, if the organization wants one.
 * @returns whether every credential that can have the third form has it
 */
async function expandAllCredentials({ task: { job, organization }, run }: CertificationRun): Promise<boolean> {
  if (!(await canSecureRdf(run.context, organization))) return true
  for (let after: string | null = null; ;) {
    const expanded = await expandNextCredentials(run, { job, organization }, after)
    if (expanded.after === null) return expanded.isComplete
    after = expanded.after
    hitFaultPoint('certify.expanded', { job, step: 'expand' })
  }
}

/**
 * Pins all credentials of the job.
 * @returns whether everything that was signed is pinned
 */
async function pinAllCredentials({ task: { job }, run }: CertificationRun): Promise<boolean> {
  for (let after: string | null = null; ;) {
    const pinned = await pinNextCredentials(run, job, after)
    if (pinned.after === null) return pinned.isComplete
    after = pinned.after
    hitFaultPoint('certify.pinned', { job, step: 'pin' })
  }
}

/**
 * Anchors one root for each network.
 * @returns false while a new active key waits for its registration on a network; what the old key signed waits too
 */
async function anchorAllNetworks(certificationRun: CertificationRun): Promise<boolean> {
  const { task, run } = certificationRun
  for (;;) {
    const network = await findUnanchoredNetwork(run.context.db, task.job)
    if (network === undefined) return true
    const keyChange = await anchorNetwork(certificationRun, network)
    if (keyChange?.reason === 'rotating') return false
    if (keyChange) await renewAllStaleCredentials(certificationRun)
    else run.context.chains.wakeSender(network)
  }
}

async function anchorNetwork({ task, run }: CertificationRun, network: Network): Promise<KeyChangedError | null> {
  try {
    await run.step(async (trx) => {
      await anchorCredentials(trx, run.context, task, network)
      hitFaultPoint('certify.rooted', { job: task.job, step: 'anchor' })
    })
  } catch (cause) {
    if (cause instanceof KeyChangedError) return cause
    throw cause
  }
  hitFaultPoint('certify.anchor-queued', { job: task.job, step: 'anchor' })
  return null
}

async function renewAllStaleCredentials({ task, run, counts }: CertificationRun): Promise<void> {
  await eachBatch(run, {
    job: task.job,
    step: 'sign again',
    state: counts,
    take: (trx) => listStaleCredentials(trx, task, batchSizes.sign),
    async work(trx, stale, state) {
      await renewCredentials(trx, run.context, task, stale)
      return { state }
    },
  })
}

/**
 * Settles the passports below every root that has its outcome.
 * @returns whether every root has its outcome and every passport is settled
 */
async function settleAllPassports(certificationRun: CertificationRun): Promise<boolean> {
  for (;;) {
    const { waiting, ready } = await readRoots(certificationRun.run.context.db, certificationRun.task.job)
    if (ready.length === 0) return waiting === 0
    for (const root of ready) await settleRoot(certificationRun, root)
  }
}

/** Settles all passports below a root. */
async function settleRoot(certificationRun: CertificationRun, root: AnchoredRoots['ready'][number]): Promise<void> {
  const {
    task: { job },
    run,
    counts,
  } = certificationRun
  certificationRun.counts = await eachBatch(run, {
    job,
    step: 'tell',
    state: counts,
    take: (trx) => settleNextRows(trx, root.id, batchSizes.settle),
    async work(trx, rows, counts) {
      const errors = root.failed ? await settleFailedPassports(trx, job, root.reason, rows) : []
      if (!root.failed) await settleCertifiedPassports(trx, job, rows)
      const certified = rows.length - errors.length
      return {
        state: { ...counts, certified: counts.certified + certified, failed: counts.failed + errors.length },
        progress: { completed: certified, failed: errors.length, errors },
      }
    },
  })
}

/** Counts units whose passports were deleted meanwhile as `left`, so that every unit has an outcome. */
async function countDeletedPassports(certificationRun: CertificationRun, total: number): Promise<void> {
  const { published: _, left, ...others } = certificationRun.counts
  const gone = total - left - Object.values(others).reduce((sum, count) => sum + count)
  if (gone <= 0) return
  await certificationRun.run.step(async (_trx, move) => {
    certificationRun.counts = { ...certificationRun.counts, left: left + gone }
    move({ completed: gone, state: { ...certificationRun.counts } })
  })
}
