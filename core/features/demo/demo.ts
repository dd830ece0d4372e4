import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import type { OrganizationCaller, MemberCaller } from '../../kernel/caller.ts'
import { getConstraint } from '../../kernel/ports/constraint.ts'
import { createNotFoundProblem, createProblem, createValidationProblem, type Issue } from '../../kernel/problem.ts'
import type { Context, Work } from '../../kernel/work.ts'
import { sizeLimits } from '../../../prompts/demo/index.ts'
import { listApplicationChoices } from '../applications/index.ts'
import { countSteps, type DemoPayload } from './demo.job.ts'
import {
  createDemoPlan,
  findForbiddenOperation,
  listDemoNetworks,
  listDemoScenarios,
  type DemoChoice,
  type DemoPhase,
} from './demo.plan.ts'
import { findJob } from '../jobs/index.ts'
import {
  advanceRun,
  countPresentRuns,
  findRun,
  findRunningRun,
  getChoice,
  insertRun,
  listCalls,
  restartRun,
  setRunJob,
  type DemoCallRow,
  type DemoRunRow,
} from './demo.store.ts'

type DemoMember = OrganizationCaller & MemberCaller

/** The number of demos that an organization may have at a time. */
const maxDemos = 10

/** Reads a run of the member's organization with its calls. @throws NOT_FOUND */
export async function readDemo(
  { trx }: Pick<Work, 'trx'>,
  { organization }: DemoMember,
  id: string,
): Promise<{ run: DemoRunRow; calls: DemoCallRow[] }> {
  const run = await findRun(trx, organization, id)
  if (!run) throw createNotFoundProblem()
  const calls = await listCalls(trx, id)
  return (await isLost(trx, run)) ? { run: { ...run, ...lostState }, calls } : { run, calls }
}

const lostState = { status: 'failed', fault: 'DELAYED' } as const

/** Whether nothing works on a run any more, although it says so: its job was given up with what it held. */
async function isLost(db: Knex, { id, organization, status, job }: DemoRunRow): Promise<boolean> {
  if (status !== 'running' || job === null || (await findJob(db, job))?.status === 'pending') return false
  // A run is ended before its job, so one that still goes on now was not just ended.
  const present = await findRun(db, organization, id)
  return present?.status === 'running' && present.job === job
}

/** Returns the run that goes on in the organization, after one that is lost has been ended; undefined if none does. */
async function findRunning(trx: Knex, organization: string): Promise<string | undefined> {
  const run = await findRunningRun(trx, organization)
  if (!run || !(await isLost(trx, run))) return run?.id
  await advanceRun(trx, run, { position: run.position, records: [] }, lostState)
  return undefined
}

/** Counts the steps of the part of a run that was started last. */
export async function countDemoSteps(context: Context, run: DemoRunRow): Promise<number> {
  return countSteps(run.phase, createDemoPlan(getChoice(run), await context.loadOperationCalls()))
}

/**
 * Starts to prepare a demo. While another run of the organization goes on, nothing is started.
 * @returns the id of the run, or of the one that goes on
 * @throws VALIDATION_FAILED, AUTH_INSUFFICIENT_PERMISSIONS
 */
export async function startDemo(work: Work, member: DemoMember, choice: Omit<DemoChoice, 'runId'>): Promise<string> {
  const { trx } = work
  const { organization, user } = member
  await assertChoice(work, member, choice)
  const running = await findRunning(trx, organization)
  if (running !== undefined) return running
  const named = { ...choice, runId: randomBytes(4).toString('hex') }
  const id = await insertRun(trx, { organization, member: user }, named)
  // Another request has started one at the same moment.
  if (id === undefined) return (await findRunningRun(trx, organization))?.id ?? raise(createNotFoundProblem())
  await enqueueRun(work, member, id, named, 'prepare')
  return id
}

function raise(error: Error): never {
  throw error
}

/** Checks what a member has chosen. @throws VALIDATION_FAILED */
async function assertChoice(
  { trx, context }: Work,
  { organization }: DemoMember,
  { scenario, applicationId, size, network }: Omit<DemoChoice, 'runId'>,
): Promise<void> {
  const issues: Issue[] = []
  const calls = await context.loadOperationCalls()
  if (!listDemoScenarios(calls).some((one) => one.scenario === scenario))
    issues.push({ path: 'scenario', code: 'enum', message: 'has no plan' })
  if (!listDemoNetworks(context).includes(network))
    issues.push({ path: 'network', code: 'enum', message: 'must be a test network that this installation can send on' })
  if (!Number.isInteger(size) || size < sizeLimits.min || size > sizeLimits.max)
    issues.push({ path: 'size', code: 'range', message: `must be from ${sizeLimits.min} to ${sizeLimits.max}` })
  if (
    applicationId !== null
    && !(await listApplicationChoices(trx, organization)).some(({ id }) => id === applicationId)
  )
    issues.push({ path: 'application', code: 'enum', message: 'must be one of the organization' })
  if ((await countPresentRuns(trx, organization)) >= maxDemos)
    issues.push({ path: 'scenario', code: 'max_items', message: `comes after ${maxDemos} others; take one away first` })
  if (issues.length > 0) throw createValidationProblem(issues)
}

/**
 * Starts a part of a run again: what is done is found done. A demo that was taken away is not prepared again, because
 * what is on a chain keeps its names.
 * @returns the id of the run that goes on: this one, or another of the organization
 * @throws NOT_FOUND, also for a run of another organization; VALIDATION_FAILED for a demo that was taken away
 */
export async function restartDemo(work: Work, member: DemoMember, id: string, phase: DemoPhase): Promise<string> {
  const { trx } = work
  const run = await findRun(trx, member.organization, id)
  if (!run) throw createNotFoundProblem()
  if (phase === 'prepare' && run.phase === 'remove')
    throw createValidationProblem([{ path: 'run', code: 'final', message: 'was taken away; start another one' }])
  const running = await findRunning(trx, member.organization)
  if (running !== undefined) return running
  if (await restartRun(trx, id, member.user, phase)) await enqueueRun(work, member, id, getChoice(run), phase)
  return id
}

/** Whether an error says that another run of the organization was started at the same moment. */
export const isOtherRunStarted = (error: unknown): boolean => getConstraint(error) === 'demo_runs_running'

async function enqueueRun(
  { trx, context, afterCommit }: Work,
  member: DemoMember,
  id: string,
  choice: DemoChoice,
  phase: DemoPhase,
): Promise<void> {
  const { organization, session } = member
  const calls = await context.loadOperationCalls()
  const plan = createDemoPlan(choice, calls)
  const forbidden = findForbiddenOperation(plan, member, calls)
  if (forbidden !== undefined)
    throw createProblem('AUTH_INSUFFICIENT_PERMISSIONS', `Your role does not allow ${forbidden}, which the plan calls.`)
  const payload: DemoPayload = { run: id, session }
  const total = countSteps(phase, plan)
  const job = await context.queue.enqueue(trx, { type: 'demo', organization, total, payload })
  await setRunJob(trx, id, job)
  afterCommit(() => context.queue.notifyWorker(job))
}
