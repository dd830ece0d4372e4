import type { CallAnswer, CallOrigin, OperationCalls } from '../../kernel/ports/operation-calls.ts'
import type { CallStep, DoneCondition, ReadStep, RefusalHandling } from '../../../prompts/demo/index.ts'
import { lookupName, type RunStep } from './demo.plan.ts'
import {
  fillPlaceholders,
  formatShortAnswer,
  getValueAt,
  knowsValues,
  matchesValues,
  readKeptValues,
  type KeptValues,
} from './demo.values.ts'

/**
 * What a call came to. `made`: it was called; `there`: nothing was left to do; `matched`: a read says what it should;
 * `stays`: what it is about stays; `gone`: what could have stayed is not there; `skipped`: it needs a value that
 * nothing gave.
 */
export type CallOutcome = 'made' | 'there' | 'matched' | 'stays' | 'gone' | 'skipped' | 'failed'

/** A call of a step, as people see it. */
export interface CallRecord {
  step: string
  method: string | null
  path: string | null
  status: number | null
  code: string | null
  outcome: CallOutcome
  answer: string
}

/** What a step is run with. */
export interface StepContext {
  calls: OperationCalls
  origin: CallOrigin
  kept: KeptValues
  needed: ReadonlySet<string>
  /** Whether an earlier attempt at this step made its call, and now waits for what it started. */
  isWaiting: boolean
}

/** How a step ended. `waiting`: it has to be tried again, its call made or its read not matching yet. */
export interface StepResult {
  status: 'done' | 'waiting' | 'failed'
  records: CallRecord[]
  kept: KeptValues
  stays: string[]
}

/** Thrown when a call is refused for now, by a limit or by a part that is away. */
export class DemoCallDelayedError extends Error {
  override name = 'DemoCallDelayedError'
}

/** Runs a step of a plan as the plan's own rules say, with calls of operations in the name of the member. */
export async function runStep({ step, kind }: RunStep, context: StepContext): Promise<StepResult> {
  if ('tool' in step) return runCallStep(step, context)
  return runReadStep(step, kind, context)
}

const createRecord = (step: string, outcome: CallOutcome, answer?: CallAnswer): CallRecord => ({
  step,
  method: answer?.method ?? null,
  path: answer?.path ?? null,
  status: answer?.status ?? null,
  code: answer?.code ?? null,
  outcome,
  answer: answer ? formatShortAnswer(answer.status, answer.body) : '',
})

const createResult = (status: StepResult['status'], ...records: CallRecord[]): StepResult => ({
  status,
  records,
  kept: {},
  stays: [],
})

async function runReadStep(step: ReadStep, kind: RunStep['kind'], context: StepContext): Promise<StepResult> {
  const { id, read, expect } = step
  if (!knowsValues([read, expect], context.kept)) return createResult('done', createRecord(id, 'skipped'))
  const answer = await readAddress(read, context)
  const isMatching = answer.status < 400 && matchesValues(answer.body, expect, context.kept)
  if (kind === 'look') {
    const result = createResult('done', createRecord(id, isMatching ? 'stays' : 'gone', answer))
    return isMatching ? { ...result, stays: [id] } : result
  }
  if (!isMatching) return createResult(kind === 'wait' ? 'waiting' : 'failed', createRecord(id, 'failed', answer))
  const kept = readKeptValues(answer.body, { ...step.keep, ...step.keepIfThere }, context.needed)
  return { ...createResult('done', createRecord(id, 'matched', answer)), kept }
}

async function runCallStep(step: CallStep, context: StepContext): Promise<StepResult> {
  const { id, unless, tool, arguments: values } = step
  const { calls, origin, kept } = context
  if (context.isWaiting && step.until) return readUntil(step, step.until, context, {})
  if (!knowsValues([unless, values], kept)) return createResult('done', createRecord(id, 'skipped'))
  const found = await findDone(unless, context)
  if (found.isDone) return { ...createResult('done', createRecord(id, 'there', found.answer)), kept: found.kept }
  const answer = assertAnswered(await calls.call(tool, fillPlaceholders(values, kept), origin))
  if (answer.status >= 400) return handleRefusal(step, answer, context)
  const isExpected = matchesValues(answer.body, step.expect, kept)
  const record = createRecord(id, isExpected ? 'made' : 'failed', answer)
  if (!isExpected) return createResult('failed', record)
  const made = readKeptValues(answer.body, step.keep, context.needed)
  if (step.until) return { ...createResult('waiting', record), kept: made }
  return { ...createResult('done', record), kept: made }
}

async function readUntil(
  { id }: CallStep,
  { read, matches }: NonNullable<CallStep['until']>,
  context: StepContext,
  kept: KeptValues,
): Promise<StepResult> {
  const answer = await readAddress(read, context)
  const isMatching = answer.status < 400 && matchesValues(answer.body, matches, context.kept)
  const record = createRecord(id, isMatching ? 'matched' : 'failed', answer)
  return { ...createResult(isMatching ? 'done' : 'waiting', record), kept }
}

/** Does what the plan says about a refusal with this code; any other one ends the run. */
async function handleRefusal(step: CallStep, refused: CallAnswer, context: StepContext): Promise<StepResult> {
  const { calls, origin, kept } = context
  const handling: RefusalHandling | undefined = refused.code === null ? undefined : step.refused?.[refused.code]
  if (!handling) return createResult('failed', createRecord(step.id, 'failed', refused))
  const stays = handling.stays === undefined ? [] : [handling.stays]
  const first = createRecord(step.id, 'stays', refused)
  if (handling.tool === undefined) return { ...createResult('done', first), stays }
  const key = origin.idempotencyKey === undefined ? {} : { idempotencyKey: `${origin.idempotencyKey}:instead` }
  const values = fillPlaceholders(handling.arguments ?? {}, kept)
  const answer = assertAnswered(await calls.call(handling.tool, values, { ...origin, ...key }))
  const isExpected = answer.status < 400 && matchesValues(answer.body, handling.expect ?? {}, kept)
  const second = createRecord(step.id, isExpected ? 'made' : 'failed', answer)
  return { ...createResult(isExpected ? 'done' : 'failed', first, second), stays }
}

interface DoneReading {
  isDone: boolean
  answer: CallAnswer
  kept: KeptValues
}

/** Reads whether a step is already done. */
async function findDone(unless: DoneCondition, context: StepContext): Promise<DoneReading> {
  const answer =
    'read' in unless ? await readAddress(unless.read, context) : await lookUp(unless.tool, unless.arguments, context)
  const isThere = answer.status < 400
  if ('missing' in unless) return { isDone: answer.status === 404, answer, kept: {} }
  if ('present' in unless)
    return {
      isDone: isThere && unless.present.every((at) => getValueAt(answer.body, at) !== undefined),
      answer,
      kept: {},
    }
  const isDone = isThere && matchesValues(answer.body, unless.matches, context.kept)
  return { isDone, answer, kept: isDone ? readKeptValues(answer.body, unless.keep, context.needed) : {} }
}

async function readAddress(read: string, { calls, origin, kept }: StepContext): Promise<CallAnswer> {
  return assertAnswered(await calls.read(fillPlaceholders(read, kept), origin))
}

const applicationsPerPage = 100

/** Finds an application by its whole name. The tool of assistants would also find parts of names, and ask. */
async function lookUp(
  tool: string,
  { name }: Readonly<Record<string, unknown>>,
  context: StepContext,
): Promise<CallAnswer> {
  if (tool !== lookupName) throw new Error(`The plan reads with ${tool}, which nothing here does`)
  for (let page = 1; ; page++) {
    const list = `/v1/applications?pageSize=${applicationsPerPage}&currentPage=${page}&sorters[0][field]=id`
    const answer = await readAddress(list, context)
    const rows = (answer.body as { data?: { id: string; name: string }[] } | null)?.data ?? []
    const found = rows.find((row) => row.name === name)
    if (found) return { ...answer, body: { match: 'exact', applicationId: found.id, name: found.name, id: found.id } }
    if (rows.length < applicationsPerPage) return answer
  }
}

/** @throws DemoCallDelayedError for an answer that says to try again */
function assertAnswered(answer: CallAnswer): CallAnswer {
  if (answer.status === 429 || answer.status >= 500 || answer.code === 'IDEMPOTENCY_IN_PROGRESS')
    throw new DemoCallDelayedError(`${answer.method} ${answer.path} answered ${answer.status}`)
  return answer
}
