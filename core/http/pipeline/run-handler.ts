import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Caller } from '../../kernel/caller.ts'
import type { Operation, RequestDetails } from '../../kernel/operation.ts'
import type { PageRequest } from '../../kernel/page.ts'
import { ProblemError, createProblem } from '../../kernel/problem.ts'
import type { Upload } from '../../kernel/upload.ts'
import type { Context, Work } from '../../kernel/work.ts'
import { isAnswer, type StateSource } from '../../kernel/answer.ts'
import {
  leaseKey,
  isStoredStatus,
  startLeaseRenewal,
  releaseKey,
  storeAnswer,
  type AnswerWithoutBody,
  type KeyLease,
} from '../idempotency/leases.ts'
import { parseIdempotencyKey, hashRequest, acceptsIdempotencyKey } from '../idempotency/keys.ts'
import type { Selection } from '../query/fields.ts'
import { keepWithinApplication } from './application-scope.ts'
import { presentValue, type WireAnswer } from './present-value.ts'
import { toProblemAnswer, problemMediaType } from '../problems/problems.ts'
import type { Pipeline } from './app.ts'

/** The parts of the pipeline that handlers need. */
export type HandlerPipeline = Pick<Pipeline, 'context' | 'scheduler' | 'bodyShares' | 'replayReaders'>

/** A validated request, ready for its handler. */
export interface ValidatedRequest {
  operation: Operation
  caller: Caller
  params: Record<string, string>
  query: Record<string, unknown>
  page: PageRequest
  /** The members that the answer shall have; null for all of them. */
  selection: Selection | null
  /** The validated body, and the bytes from which it was parsed. For an upload: what was received, and its digest. */
  body: unknown
  bytes: Buffer
  /** Who signed the request, as its operation found out; undefined for an operation that is not signed. */
  sender: unknown
  requestId: string
  path: string
  /** Method, path and query. Two requests with the same target and body count as the same request. */
  target: string
  request: RequestDetails
  upload: Upload
  assertPrecondition: (representation: unknown) => void
  db: Knex
}

/** The result of a handler: an answer, or a state to stream. */
export type HandlerValue = WireAnswer | { events: StateSource }

/** Milliseconds that the answer to a failed request waits for the release of its key. */
const releaseTimeoutMs = 1_000

/**
 * Runs the handler under its idempotency key, in a transaction if the handler has one. Receives an upload before that,
 * and only within the application of the key: what is received is judged by things that the request names.
 */
export async function runHandler(request: ValidatedRequest, pipeline: HandlerPipeline): Promise<HandlerValue> {
  const { receive } = request.operation
  if (!receive) return runUnderKey(request, pipeline)
  parseIdempotencyKey(request.request.headers, request.caller, request.operation.declaration)
  const run = await keepWithinApplication(request)
  const { context } = pipeline
  const received = await receive({
    ...createHandlerInput(run),
    upload: run.upload,
    context,
    work: createWork(run, context, run.db, []),
  } as never)
  let isMade = false
  try {
    const value = await runUnderKey({ ...run, body: received, bytes: received.digest }, pipeline)
    isMade = !('status' in value && value.headers['Idempotency-Replayed'] !== undefined)
    return value
  } finally {
    if (!isMade) await received.discard()
  }
}

async function runUnderKey(run: ValidatedRequest, pipeline: HandlerPipeline): Promise<HandlerValue> {
  const { declaration } = run.operation
  const idempotencyKey = acceptsIdempotencyKey(declaration)
    ? parseIdempotencyKey(run.request.headers, run.caller, declaration)
    : null
  const isDryRun = declaration.execution.hasDryRun === true && run.query['dryRun'] === true
  if (!idempotencyKey || isDryRun) return handleRequest(run, pipeline, null)
  const leaseRequest = { ...idempotencyKey, operation: declaration.id, isTransaction: run.operation.mode === 'work' }
  const lease = await pipeline.scheduler.runInTurn(run.caller, () =>
    leaseKey({ db: run.db, notices: pipeline.context.notices }, leaseRequest, hashRequest(run.target, run.bytes)),
  )
  if ('bodyIsGone' in lease) return replayAnswer(run, pipeline, lease)
  if ('status' in lease) return lease
  // Only outbound work can outlast a lease: timeouts end a transaction long before.
  const renewal = run.operation.mode === 'perform' ? startLeaseRenewal(run.db, lease, pipeline.context.log) : null
  try {
    const value = await handleRequest(run, pipeline, lease)
    if ('status' in value) pipeline.bodyShares.recordStored(lease.share, Buffer.byteLength(getTextOrBytes(value)))
    return value
  } catch (error) {
    await storeRefusal(run, pipeline, lease, error)
    throw error
  } finally {
    renewal?.stop()
  }
}

const getTextOrBytes = ({ body }: WireAnswer) => (typeof body === 'string' || Buffer.isBuffer(body) ? body : '')

/**
 * Answers a replay whose body is gone: runs a read-only operation again, and reads the entity that a write has changed.
 */
async function replayAnswer(
  run: ValidatedRequest,
  pipeline: HandlerPipeline,
  storedAnswer: AnswerWithoutBody,
): Promise<HandlerValue> {
  if (run.operation.declaration.document.mcpHints?.readOnlyHint !== true || storedAnswer.status >= 400) {
    return pipeline.replayReaders.restoreBody(run, storedAnswer, (read) => handleRequest(read, pipeline, null))
  }
  const value = await handleRequest(run, pipeline, null)
  return 'status' in value ? { ...value, headers: { ...value.headers, 'Idempotency-Replayed': 'true' } } : value
}

/** Stores a problem like any other answer, or releases the key if the same request may succeed later. */
async function storeRefusal(
  run: ValidatedRequest,
  { context, bodyShares }: HandlerPipeline,
  lease: KeyLease,
  error: unknown,
): Promise<void> {
  if (error instanceof ProblemError && isStoredStatus(error.status, lease)) {
    const { status, headers, body } = toProblemAnswer(error, {
      instance: run.path,
      requestId: run.requestId,
      baseUrl: context.settings.baseUrl,
      log: context.log,
    })
    const text = JSON.stringify(body)
    await storeAnswer(run.db, lease, { status, headers: { ...headers, 'Content-Type': problemMediaType }, body: text })
    return bodyShares.recordStored(lease.share, Buffer.byteLength(text))
  }
  // While the database is away this takes long, so the answer does not wait for it.
  const released = releaseKey(run.db, lease).catch((cause: unknown) =>
    context.log.warn({ err: cause, requestId: run.requestId }, 'an idempotency key waits for the end of its lease'),
  )
  await Promise.race([released, sleep(releaseTimeoutMs, undefined, { ref: false })])
}

/** Handles a request that is not answered by a stored answer, within the application of its key. */
async function handleRequest(
  request: ValidatedRequest,
  { context, scheduler }: HandlerPipeline,
  lease: KeyLease | null,
): Promise<HandlerValue> {
  const run = await keepWithinApplication(request)
  const { mode, declaration } = run.operation
  const runInTurn = <T>(work: () => Promise<T>) => scheduler.runInTurn(run.caller, work)
  const { isSingleStatement, sharesTransaction } = declaration.execution
  if (mode === 'work' && sharesTransaction && !lease)
    return scheduler.runInSharedTurn(run.caller, () => runWithoutTransaction(run, context))
  if (mode === 'work' && isSingleStatement && !lease) return runInTurn(() => runWithoutTransaction(run, context))
  if (mode === 'work')
    return runInTurn(() => runInTransaction(run, context, lease, (work) => callHandler(run, { work })))
  const work = createWork(run, context, run.db, [])
  if (mode === 'read') return runInTurn(async () => presentResult(run, await callHandler(run, { work })))
  // A handler that waits for something other than the database does not take a turn.
  return runOutboundHandler(run, context, lease, work, runInTurn)
}

/** Runs a change that is a single statement, and therefore atomic without a transaction, or that shares a transaction. */
async function runWithoutTransaction(run: ValidatedRequest, context: Context): Promise<HandlerValue> {
  const afterCommitActions: (() => void)[] = []
  const answer = presentResult(
    run,
    await callHandler(run, { work: createWork(run, context, run.db, afterCommitActions) }),
  )
  for (const action of afterCommitActions) action()
  return answer
}

async function runOutboundHandler(
  run: ValidatedRequest,
  context: Context,
  lease: KeyLease | null,
  work: Work,
  runInTurn: (work: () => Promise<HandlerValue>) => Promise<HandlerValue>,
): Promise<HandlerValue> {
  let finishedValue: HandlerValue | null = null
  const finish = async (change: (work: Work) => Promise<unknown>) => {
    if (finishedValue) throw new Error(`${run.operation.declaration.id} finished twice`)
    let value: unknown
    finishedValue = await runInTurn(() =>
      runInTransaction(run, context, lease, async (inner) => (value = await change(inner))),
    )
    return value
  }
  const value = await callHandler(run, { context, work, finish })
  if (finishedValue) return finishedValue
  const answer = presentResult(run, value)
  if (lease && !('events' in answer)) await storeKeptAnswer(run.db, lease, answer)
  return answer
}

/**
 * Stores an answer in the transaction of the work.
 * @throws IDEMPOTENCY_IN_PROGRESS if another request has taken over the lease meanwhile
 */
async function storeKeptAnswer(trx: Knex, lease: KeyLease, answer: WireAnswer): Promise<void> {
  if (await storeAnswer(trx, lease, answer)) return
  throw createProblem('IDEMPOTENCY_IN_PROGRESS', 'Another request with this Idempotency-Key took over.', {
    headers: { 'Retry-After': '1' },
  })
}

async function runInTransaction(
  run: ValidatedRequest,
  context: Context,
  lease: KeyLease | null,
  handler: (work: Work) => Promise<unknown>,
): Promise<HandlerValue> {
  const afterCommitActions: (() => void)[] = []
  const answer = await run.db.transaction(async (trx) => {
    const handlerValue = presentResult(run, await handler(createWork(run, context, trx, afterCommitActions)))
    if (lease && !('events' in handlerValue)) await storeKeptAnswer(trx, lease, handlerValue)
    return handlerValue
  })
  for (const action of afterCommitActions) action()
  return answer
}

function createWork(run: ValidatedRequest, context: Context, trx: Knex, afterCommitActions: (() => void)[]): Work {
  return {
    trx,
    context,
    caller: run.caller,
    requestId: run.requestId,
    address: run.request.address,
    afterCommit: (action) => void afterCommitActions.push(action),
  }
}

const createHandlerInput = ({
  caller,
  params,
  query,
  page,
  request,
  sender,
  assertPrecondition,
}: ValidatedRequest) => ({
  caller,
  params,
  query,
  page,
  request,
  sender,
  precondition: assertPrecondition,
})

async function callHandler(run: ValidatedRequest, parts: object): Promise<unknown> {
  const { body, operation } = run
  const bodyInput = operation.receive ? { received: body } : { body }
  const handled = operation.handle({ ...createHandlerInput(run), ...bodyInput, ...parts } as never)
  return operation.declaration.transport.invalidBodyStatus === 400 ? handled.catch(rethrowAs400) : handled
}

/**
 * Converts VALIDATION_FAILED of a handler to INVALID_REQUEST, for operations that answer all invalid input with 400.
 */
function rethrowAs400(error: unknown): never {
  if (!(error instanceof ProblemError) || error.code !== 'VALIDATION_FAILED') throw error
  throw createProblem('INVALID_REQUEST', error.detail, {
    ...(error.errors && { errors: error.errors }),
    extra: error.extra,
    cause: error,
  })
}

function presentResult(run: ValidatedRequest, value: unknown): HandlerValue {
  if (isAnswer(value) && value.kind === 'events') return { events: value.events }
  return presentValue(run.operation.declaration, value, run.selection)
}
