import type { Knex } from 'knex'
import { ProblemError } from '../../../kernel/problem.ts'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { batchCalls } from '../../../queue/batch-calls.ts'
import { changePoints, type ChangeAnswer, type ChangeRequest } from './points.rules.ts'
import type { PointsAccepted } from './points.schema.ts'

/** The most requests that share a transaction. */
const maxBatchSize = 200
/** Transactions of one kind that run at the same time in a process. */
const maxConcurrentBatches = 2

type Result = { answer: ChangeAnswer } | { error: unknown }
type ChangeCall = (request: ChangeRequest) => Promise<Result>

/** The calls of each process, by its parts: mints go together, and burns do. */
const callsByContext = new WeakMap<Context, Record<ChangeRequest['kind'], ChangeCall>>()

function getCalls(context: Context): Record<ChangeRequest['kind'], ChangeCall> {
  const known = callsByContext.get(context)
  if (known) return known
  const createCall = (): ChangeCall =>
    batchCalls((requests: ChangeRequest[]) => runTogether(context, requests), { maxBatchSize, maxConcurrentBatches })
  const calls = { mint: createCall(), burn: createCall() }
  callsByContext.set(context, calls)
  return calls
}

/**
 * Changes the points of an account in the request's transaction if it has one, because its answer is stored there. Else
 * requests that come at the same time share a transaction, so that one commit serves all of them.
 * @throws the problems of `changePoints`
 */
export async function changePointsTogether({ context, trx }: Work, request: ChangeRequest): Promise<PointsAccepted> {
  const answer = trx.isTransaction === true ? await changeOne(trx, context, request) : await join(context, request)
  if (answer instanceof ProblemError) throw answer
  return answer
}

async function changeOne(trx: Knex, context: Context, request: ChangeRequest): Promise<ChangeAnswer> {
  const [answer] = await changePoints(trx, context, [request])
  return answer!
}

async function join(context: Context, request: ChangeRequest): Promise<ChangeAnswer> {
  const result = await getCalls(context)[request.kind](request)
  if ('error' in result) throw result.error
  return result.answer
}

/** Nothing of a transaction was posted, so it is rolled back, with the job that it would have opened. */
class NothingPostedError extends Error {
  readonly answers: readonly ChangeAnswer[]
  constructor(answers: readonly ChangeAnswer[]) {
    super('nothing was posted')
    this.answers = answers
  }
}

/** Runs requests in one transaction. If one of them is refused by that, they are run apart. */
async function runTogether(context: Context, requests: readonly ChangeRequest[]): Promise<Result[]> {
  try {
    const answers = await context.db.transaction(async (trx) => {
      const made = await changePoints(trx, context, requests)
      if (made.every((answer) => answer instanceof ProblemError)) throw new NothingPostedError(made)
      hitFaultPoint('points.posted', { job: findJob(made), step: 'post' })
      return made
    })
    hitFaultPoint('points.committed', { job: findJob(answers), step: 'answer' })
    return answers.map((answer) => ({ answer }))
  } catch (error) {
    if (error instanceof NothingPostedError) return error.answers.map((answer) => ({ answer }))
    if (requests.length === 1 || !(error instanceof ProblemError)) return requests.map(() => ({ error }))
    return runApart(context, requests)
  }
}

/**
 * Runs requests of several organizations by organization, so that a limit of one slows down nobody else, and those of one
 * organization each by itself.
 */
async function runApart(context: Context, requests: readonly ChangeRequest[]): Promise<Result[]> {
  const groups = [...Map.groupBy(requests.keys(), (at) => requests[at]!.organization).values()]
  const parts = groups.length > 1 ? groups : requests.map((_, at) => [at])
  const results: Result[] = []
  for (const places of parts) {
    const made = await runTogether(
      context,
      places.map((at) => requests[at]!),
    )
    for (const [nth, at] of places.entries()) results[at] = made[nth]!
  }
  return results
}

const findJob = (answers: readonly ChangeAnswer[]): string | undefined => {
  const accepted = answers.find((answer): answer is PointsAccepted => !(answer instanceof ProblemError))
  return accepted?.jobId
}
