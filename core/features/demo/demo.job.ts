import { setTimeout as sleep } from 'node:timers/promises'
import type { MemberCaller } from '../../kernel/caller.ts'
import { declareJob, type JobOutcome, type JobRun, type RunningJob } from '../../kernel/job.ts'
import { hitFaultPoint } from '../../kernel/process/fault-points.ts'
import { readMemberships } from '../identity/index.ts'
import { createDemoPlan, listRunSteps, type DemoPhase, type RunStep } from './demo.plan.ts'
import { runStep, type StepContext, type StepResult } from './demo.steps.ts'
import { advanceRun, findRun, getChoice, type DemoRunRow } from './demo.store.ts'
import { listNeededValues } from './demo.values.ts'

export interface DemoPayload {
  run: string
  session: string
}

/** How long a read may not match yet, in milliseconds. A job has more time than a model, and workers may die meanwhile. */
const maxWaitMs = 180_000
/** The pause between two looks at what a step waits for, and how long a run of the job looks before it makes room. */
const pauseMs = 250
const maxTurnMs = 10_000

/**
 * The job that runs a part of a plan step by step, in the name of the member who started it. Each step is stored before
 * the next begins, so a run that was killed goes on at its step: the plan says how to see whether a step is done, and
 * each call has an idempotency key of its own.
 */
export const demoJob = declareJob<DemoPayload>({
  type: 'demo',
  permission: 'application:create',
  maxAttempts: 8,
  async run(job, run) {
    const calls = await run.context.loadOperationCalls()
    const startedMs = performance.now()
    for (;;) {
      const row = await findRun(run.context.db, job.organization, job.payload.run)
      if (!row || row.status !== 'running') return { status: 'completed', result: null }
      const plan = createDemoPlan(getChoice(row), calls)
      const steps = listRunSteps(plan, row.phase)
      const step = steps[row.position]
      if (!step) return endRun(row, run)
      const caller = await readCaller(row, job, run)
      if (!caller) return failRun(row, run, [], 'MEMBER_GONE')
      const isWaiting = row.waiting_since !== null
      const origin = { caller, requestId: job.id, idempotencyKey: formatKey(row) }
      const context: StepContext = { calls, origin, kept: row.kept, needed: listNeededValues(plan), isWaiting }
      const result = await runStep(step, context)
      hitFaultPoint('demo.called')
      const outcome = await storeResult(row, run, step, result)
      if (outcome) return outcome
      if (result.status === 'waiting') await sleep(pauseMs, undefined, { signal: run.signal })
      if (performance.now() - startedMs > maxTurnMs) return { status: 'waiting', delaySeconds: 0 }
    }
  },
  async handleFailure(trx, { payload, organization }) {
    const row = await findRun(trx, organization, payload.run)
    if (row?.status === 'running')
      await advanceRun(trx, row, { position: row.position, records: [] }, { status: 'failed', fault: 'DELAYED' })
  },
})

const formatKey = ({ id, round, phase, position }: DemoRunRow): string => `demo:${id}:${round}:${phase}:${position}`

/** Reads the member as whom the run calls, with the role of this moment; null if they have left the organization. */
async function readCaller(
  { member: user, organization }: DemoRunRow,
  { payload }: RunningJob<DemoPayload>,
  { context }: JobRun,
): Promise<MemberCaller | null> {
  const membership = (await readMemberships(context.db, user)).find(({ id }) => id === organization)
  return membership ? { kind: 'member', session: payload.session, user, organization, role: membership.role } : null
}

async function endRun(row: DemoRunRow, run: JobRun): Promise<JobOutcome> {
  await run.step((trx) => advanceRun(trx, row, { position: row.position, records: [] }, { status: 'done' }))
  return { status: 'completed', result: null }
}

/** @param fault why the run ends, as a word of ours */
async function failRun(
  row: DemoRunRow,
  run: JobRun,
  records: StepResult['records'],
  fault: 'MEMBER_GONE' | 'STEP_FAILED' | 'NOT_IN_TIME',
): Promise<JobOutcome> {
  await run.step((trx) =>
    advanceRun(trx, row, { position: row.position, records }, { status: 'failed', fault, waiting_since: null }),
  )
  return { status: 'failed', code: `DEMO_${fault}`, message: `Step ${row.position + 1} of the demo was not done.` }
}

/** Stores what a step came to. @returns how the job ends, or null if it goes on */
async function storeResult(
  row: DemoRunRow,
  run: JobRun,
  { step, kind }: RunStep,
  { status, records, kept, stays }: StepResult,
): Promise<JobOutcome | null> {
  const { position, waiting_since } = row
  if (status === 'failed') return failRun(row, run, records, 'STEP_FAILED')
  const isFirstWait = status === 'waiting' && waiting_since === null
  if (status === 'waiting' && waiting_since !== null) {
    const isLate = Date.now() - waiting_since.getTime() > maxWaitMs
    return isLate ? failRun(row, run, records, 'NOT_IN_TIME') : null
  }
  const isCall = 'tool' in step
  await run.step(async (trx, recordProgress) => {
    const change = { kept: { ...row.kept, ...kept }, stays: [...row.stays, ...stays] }
    if (isFirstWait) {
      // The read that does not match yet is not shown, the call that was made is.
      const shown = isCall && kind === 'step' ? records : []
      return advanceRun(trx, row, { position, records: shown }, { ...change, waiting_since: new Date() })
    }
    await advanceRun(trx, row, { position, records }, { ...change, position: position + 1, waiting_since: null })
    recordProgress({ completed: 1 })
  })
  return null
}

/** The number of steps of a part of a run, for its job. */
export const countSteps = (phase: DemoPhase, plan: Parameters<typeof listRunSteps>[0]): number =>
  listRunSteps(plan, phase).length
