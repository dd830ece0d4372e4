import type { Knex } from 'knex'
import type { Caller } from '../kernel/caller.ts'
import type { Operation, RequestFacts } from '../kernel/operation.ts'
import type { Page } from '../kernel/page.ts'
import { Problem } from '../kernel/problem.ts'
import type { Context, Work } from '../kernel/work.ts'
import { isAnswer } from '../kernel/answer.ts'
import type { Body } from './body.ts'
import { claimKey, isStored, keyOf, releaseKey, requestHash, storeAnswer, type Claim } from './idempotency.ts'
import { present, type Written } from './present.ts'
import { problemOf } from './problems.ts'
import type { Pipeline } from './app.ts'

/** A judged request, ready for its handler. */
export interface Run {
  operation: Operation
  caller: Caller
  params: Record<string, string>
  query: Record<string, unknown>
  page: Page
  body: Body
  requestId: string
  target: string
  request: RequestFacts
  idempotencyKey: string | string[] | undefined
  precondition: (representation: unknown) => void
  db: Knex
}

type Value = Written | { events: unknown }

/** Runs the handler under its idempotency key, in a transaction when it asked for one. */
export async function runHandler(run: Run, pipeline: Pipeline): Promise<Value> {
  const { declaration } = run.operation
  // A sign-in answers a secret, which is not kept.
  const wanted = declaration.method === 'GET' || declaration.anyOrigin ? null : keyOf(run.idempotencyKey, run.caller)
  if (!wanted) return handle(run, pipeline.context, null)
  const claim = await claimKey(run.db, { ...wanted, operation: declaration.id }, requestHash(run.target, run.body.bytes))
  if ('status' in claim) return claim
  try {
    return await handle(run, pipeline.context, claim)
  } catch (error) {
    await keepRefusal(run, pipeline, claim, error)
    throw error
  }
}

/** A rule's refusal is an answer like any other and is kept; what may fare better next time frees the key. */
async function keepRefusal(run: Run, { context }: Pipeline, claim: Claim, error: unknown): Promise<void> {
  if (!(error instanceof Problem) || !isStored(error.status)) return releaseKey(run.db, claim)
  const { status, headers, body } = problemOf(error, {
    instance: run.target.split(' ')[1]?.split('?')[0] ?? '', requestId: run.requestId, baseUrl: context.settings.baseUrl, log: context.log,
  })
  const type = { 'Content-Type': 'application/problem+json; charset=utf-8' }
  await storeAnswer(run.db, claim, { status, headers: { ...headers, ...type }, body: JSON.stringify(body) })
}

async function handle(run: Run, context: Context, claim: Claim | null): Promise<Value> {
  if (run.operation.mode === 'work') return inTransaction(run, context, claim, (work) => call(run, { work }))
  const work = workOf(run, context, run.db, [])
  if (run.operation.mode === 'read') return presented(run, await call(run, { work }))
  return perform(run, context, claim, work)
}

async function perform(run: Run, context: Context, claim: Claim | null, work: Work): Promise<Value> {
  let finished: Value | null = null
  const finish = async (change: (work: Work) => Promise<unknown>) => {
    if (finished) throw new Error(`${run.operation.declaration.id} finished twice`)
    let value: unknown
    finished = await inTransaction(run, context, claim, async (inner) => (value = await change(inner)))
    return value
  }
  const value = await call(run, { context, work, finish })
  if (finished) return finished
  const answer = presented(run, value)
  if (claim && !('events' in answer)) await storeAnswer(run.db, claim, answer)
  return answer
}

async function inTransaction(run: Run, context: Context, claim: Claim | null, handler: (work: Work) => Promise<unknown>): Promise<Value> {
  const later: (() => void)[] = []
  const answer = await run.db.transaction(async (trx) => {
    const made = presented(run, await handler(workOf(run, context, trx, later)))
    if (claim && !('events' in made)) await storeAnswer(trx, claim, made)
    return made
  })
  for (const action of later) action()
  return answer
}

function workOf(run: Run, context: Context, trx: Knex, later: (() => void)[]): Work {
  return { trx, context, caller: run.caller, requestId: run.requestId, afterCommit: (action) => void later.push(action) }
}

function call(run: Run, parts: object): Promise<unknown> {
  const { caller, params, query, page, body, request, precondition } = run
  return run.operation.handle({ caller, params, query, page, body: body.value, request, precondition, ...parts } as never)
}

function presented(run: Run, value: unknown): Value {
  if (isAnswer(value) && value.kind === 'events') return value
  return present(run.operation.declaration, value)
}


