import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Caller } from '../kernel/caller.ts'
import type { Operation, RequestFacts } from '../kernel/operation.ts'
import type { Page } from '../kernel/page.ts'
import { Problem, problem } from '../kernel/problem.ts'
import type { Upload } from '../kernel/upload.ts'
import type { Context, Work } from '../kernel/work.ts'
import { isAnswer, type EventSource } from '../kernel/answer.ts'
import {
  claimKey, isStored, keepLease, releaseKey, storeAnswer, type AnswerWithoutBody, type Claim,
} from './idempotency/claims.ts'
import { keyOf, requestHash, takesKey } from './idempotency/keys.ts'
import { present, type Written } from './present.ts'
import { problemOf, problemType } from './problems.ts'
import type { Pipeline } from './app.ts'

/** A judged request, ready for its handler. */
export interface Run {
  operation: Operation
  caller: Caller
  params: Record<string, string>
  query: Record<string, unknown>
  page: Page
  /** The judged value, and the bytes it was read from. */
  body: { value: unknown; bytes: Buffer }
  requestId: string
  path: string
  /** Method, path and query: what beside its body makes a request the same one. */
  target: string
  request: RequestFacts
  upload: Upload
  precondition: (representation: unknown) => void
  db: Knex
}

/** What a handler came to: an answer ready for the wire, or a state to follow. */
export type Value = Written | { events: EventSource }

/** Milliseconds that a failed request waits for its key to be free again. */
const releasePatience = 1_000

/** Runs the handler under its idempotency key, in a transaction when it asked for one; an upload is received before. */
export async function runHandler(run: Run, pipeline: Pipeline): Promise<Value> {
  const { receive } = run.operation
  if (!receive) return runUnderKey(run, pipeline)
  keyOf(run.request.headers, run.caller)
  const { context } = pipeline
  const received = await receive({ ...inputOf(run), upload: run.upload, context, work: workOf(run, context, run.db, []) } as never)
  let made = false
  try {
    const value = await runUnderKey({ ...run, body: { value: received, bytes: received.digest } }, pipeline)
    made = !('status' in value && value.headers['Idempotency-Replayed'] !== undefined)
    return value
  } finally {
    if (!made) await received.discard()
  }
}

async function runUnderKey(run: Run, pipeline: Pipeline): Promise<Value> {
  const { declaration } = run.operation
  const wanted = takesKey(declaration) ? keyOf(run.request.headers, run.caller) : null
  const isDryRun = declaration.dryRun === true && run.query['dryRun'] === true
  if (!wanted || isDryRun) return handle(run, pipeline, null)
  const claimed = { ...wanted, operation: declaration.id, isTransaction: run.operation.mode === 'work' }
  const claim = await pipeline.turns.run(run.caller, () =>
    claimKey({ db: run.db, notices: pipeline.context.notices }, claimed, requestHash(run.target, run.body.bytes)))
  if ('bodyIsGone' in claim) return answerAgain(run, pipeline, claim)
  if ('status' in claim) return claim
  // Only outbound work can outlast a lease: a transaction is ended by its time-outs long before.
  const renewal = run.operation.mode === 'perform' ? keepLease(run.db, claim, pipeline.context.log) : null
  try {
    const value = await handle(run, pipeline, claim)
    if ('status' in value) pipeline.bodies.noteStored(claim.share, Buffer.byteLength(textOrBytes(value)))
    return value
  } catch (error) {
    await keepRefusal(run, pipeline, claim, error)
    throw error
  } finally {
    renewal?.stop()
  }
}

const textOrBytes = ({ body }: Written) => (typeof body === 'string' || Buffer.isBuffer(body) ? body : '')

/** Answers what was answered before without its body: what only reads reads again, what made something shows it. */
async function answerAgain(run: Run, pipeline: Pipeline, kept: AnswerWithoutBody): Promise<Value> {
  if (run.operation.declaration.hints?.readOnlyHint !== true || kept.status >= 400) {
    return pipeline.readers.readAgain(run, kept, (read) => handle(read, pipeline, null))
  }
  const value = await handle(run, pipeline, null)
  return 'status' in value ? { ...value, headers: { ...value.headers, 'Idempotency-Replayed': 'true' } } : value
}

/** A rule's refusal is an answer like any other and is kept; what may fare better next time frees the key. */
async function keepRefusal(run: Run, { context, bodies }: Pipeline, claim: Claim, error: unknown): Promise<void> {
  if (error instanceof Problem && isStored(error.status)) {
    const { status, headers, body } = problemOf(error, {
      instance: run.path,
      requestId: run.requestId,
      baseUrl: context.settings.baseUrl,
      log: context.log,
    })
    const text = JSON.stringify(body)
    await storeAnswer(run.db, claim, { status, headers: { ...headers, 'Content-Type': problemType }, body: text })
    return bodies.noteStored(claim.share, Buffer.byteLength(text))
  }
  // With the database away this takes long: the refusal does not wait for it.
  const released = releaseKey(run.db, claim).catch((cause: unknown) =>
    context.log.warn({ err: cause, requestId: run.requestId }, 'an idempotency key waits for the end of its lease'),
  )
  await Promise.race([released, sleep(releasePatience, undefined, { ref: false })])
}

async function handle(run: Run, { context, turns }: Pipeline, claim: Claim | null): Promise<Value> {
  const { mode, declaration } = run.operation
  const inTurn = <T>(work: () => Promise<T>) => turns.run(run.caller, work)
  if (mode === 'work' && declaration.single && !claim) return inTurn(() => alone(run, context))
  if (mode === 'work') return inTurn(() => inTransaction(run, context, claim, (work) => call(run, { work })))
  const work = workOf(run, context, run.db, [])
  if (mode === 'read') return inTurn(async () => presented(run, await call(run, { work })))
  // What waits for others than the database keeps nobody from their turn.
  return perform(run, context, claim, work, inTurn)
}

/** A change that is one statement, and so a transaction itself. */
async function alone(run: Run, context: Context): Promise<Value> {
  const later: (() => void)[] = []
  const answer = presented(run, await call(run, { work: workOf(run, context, run.db, later) }))
  for (const action of later) action()
  return answer
}

async function perform(
  run: Run, context: Context, claim: Claim | null, work: Work, inTurn: (work: () => Promise<Value>) => Promise<Value>,
): Promise<Value> {
  let finished: Value | null = null
  const finish = async (change: (work: Work) => Promise<unknown>) => {
    if (finished) throw new Error(`${run.operation.declaration.id} finished twice`)
    let value: unknown
    finished = await inTurn(() => inTransaction(run, context, claim, async (inner) => (value = await change(inner))))
    return value
  }
  const value = await call(run, { context, work, finish })
  if (finished) return finished
  const answer = presented(run, value)
  if (claim && !('events' in answer)) await keep(run.db, claim, answer)
  return answer
}

/** Keeps an answer together with the work. @throws IDEMPOTENCY_IN_PROGRESS when another request took over meanwhile */
async function keep(trx: Knex, claim: Claim, answer: Written): Promise<void> {
  if (await storeAnswer(trx, claim, answer)) return
  throw problem('IDEMPOTENCY_IN_PROGRESS', 'Another request with this Idempotency-Key took over.', {
    headers: { 'Retry-After': '1' },
  })
}

async function inTransaction(
  run: Run,
  context: Context,
  claim: Claim | null,
  handler: (work: Work) => Promise<unknown>,
): Promise<Value> {
  const later: (() => void)[] = []
  const answer = await run.db.transaction(async (trx) => {
    const made = presented(run, await handler(workOf(run, context, trx, later)))
    if (claim && !('events' in made)) await keep(trx, claim, made)
    return made
  })
  for (const action of later) action()
  return answer
}

function workOf(run: Run, context: Context, trx: Knex, later: (() => void)[]): Work {
  return {
    trx,
    context,
    caller: run.caller,
    requestId: run.requestId,
    afterCommit: (action) => void later.push(action),
  }
}

const inputOf = ({ caller, params, query, page, request, precondition }: Run) =>
  ({ caller, params, query, page, request, precondition })

async function call(run: Run, parts: object): Promise<unknown> {
  const { body, operation } = run
  const sent = operation.receive ? { received: body.value } : { body: body.value }
  const handled = operation.handle({ ...inputOf(run), ...sent, ...parts } as never)
  return operation.declaration.invalidBody === 400 ? handled.catch(as400) : handled
}

/** What a rule finds invalid, where everything invalid is 400. */
function as400(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'VALIDATION_FAILED') throw error
  throw problem('INVALID_REQUEST', error.detail, {
    ...(error.errors && { errors: error.errors }),
    extra: error.extra,
    cause: error,
  })
}

function presented(run: Run, value: unknown): Value {
  if (isAnswer(value) && value.kind === 'events') return { events: value.events }
  return present(run.operation.declaration, value)
}
