import { setTimeout as sleep } from 'node:timers/promises'
import { parseJson } from '../../../tools/json.ts'
import { ReadRefusedError, type ApiReader } from '../../../tools/own/own-tool.ts'
import { acceptJson, type ApiAnswer, type ApiRequest } from '../../../tools/results/api-request.ts'
import { createProblem, toProblem } from '../../../tools/results/problems.ts'
import { isFirstInProgress } from '../../api/idempotency.ts'
import { PendingWrites } from '../../api/pending-writes.ts'
import { UpstreamError, type Upstream } from '../../api/upstream.ts'
import type { Log } from '../../shared/log.ts'
import type { CallOutcomeLabel, Metrics } from '../../shared/metrics.ts'
import type { ApiOutcome, MethodCall } from './method-call.ts'

type RangeSelector = Parameters<Upstream['send']>[3]

/** The milliseconds for which a repeated call waits for the answer to the first one. */
const maxFirstCallWaitMs = 50_000
const minRepeatDelayMs = 50
const maxRepeatDelayMs = 1_000

/** Sends the requests of calls to the API, and logs and measures each. */
export class ApiCalls {
  readonly #upstream: Upstream
  readonly #log: Log
  readonly #metrics: Metrics
  readonly #stopSignal: AbortSignal
  readonly #writes = new PendingWrites()

  /** @param stopSignal aborted when the bridge stops */
  constructor(upstream: Upstream, log: Log, metrics: Metrics, stopSignal: AbortSignal) {
    this.#upstream = upstream
    this.#log = log
    this.#metrics = metrics
    this.#stopSignal = stopSignal
  }

  /** Resolves when all changes that were sent to the API are answered. */
  settleWrites(): Promise<void> {
    return this.#writes.settle()
  }

  /** Creates a reader of the API for a tool of the bridge. @param purpose the name in the log and the metrics, in place of an operation */
  createReader(call: MethodCall, purpose: string): ApiReader {
    return async (path) => {
      const request: ApiRequest = { method: 'GET', path, accept: acceptJson, body: null }
      const { answer, problem } = await this.send(request, call, purpose)
      if (!answer) throw new ReadRefusedError(problem)
      if (answer.status < 200 || answer.status >= 300) throw new ReadRefusedError(toProblem(answer), answer.retryAfter)
      return parseJsonAnswer(answer)
    }
  }

  /**
   * Sends a change, which is finished even if the client is gone. While the API is at work on the same call of a moment
   * ago, waits for that call's answer. @throws the signal's reason
   */
  async sendWrite(
    request: ApiRequest,
    call: MethodCall,
    operation: string,
    selectRange?: RangeSelector,
  ): Promise<ApiOutcome> {
    const deadlineMs = performance.now() + maxFirstCallWaitMs
    const unabortedCall = { ...call, signal: new AbortController().signal }
    for (let delayMs = minRepeatDelayMs; ; delayMs = Math.min(delayMs * 2, maxRepeatDelayMs)) {
      const write = () => this.send(request, unabortedCall, operation, selectRange)
      const outcome = await this.#writes.run(write, call.signal)
      if (!isFirstInProgress(request, outcome.answer)) return outcome
      if (performance.now() + delayMs > deadlineMs || this.#stopSignal.aborted) return outcome
      await sleep(delayMs, undefined, { signal: call.signal })
    }
  }

  /** Sends a request to the API and returns its answer, or a problem if there is none. @throws the signal's reason */
  async send(
    request: ApiRequest,
    { context, signal }: MethodCall,
    operation: string,
    selectRange?: RangeSelector,
  ): Promise<ApiOutcome> {
    const startedAtMs = performance.now()
    const { traceId } = context
    const recordCall = (how: CallOutcomeLabel) =>
      this.#metrics.recordCall(operation, how, (performance.now() - startedAtMs) / 1000)
    try {
      const answer = await this.#upstream.send(request, context, signal, selectRange)
      recordCall(answer.status < 400 ? 'ok' : answer.status < 500 ? 'refused' : 'failed')
      this.#log.debug(
        { operation, status: answer.status, trace: traceId, milliseconds: Math.round(performance.now() - startedAtMs) },
        'called',
      )
      return { answer }
    } catch (cause) {
      recordCall(cause instanceof UpstreamError ? 'unreachable' : 'aborted')
      if (!(cause instanceof UpstreamError)) throw cause
      this.#log.warn({ operation, trace: traceId, err: cause }, cause.message)
      return { problem: createProblem(cause.status, `${cause.message}.`) }
    }
  }
}

function parseJsonAnswer({ bytes }: ApiAnswer): unknown {
  const value = parseJson(bytes)
  if (value === undefined) throw new ReadRefusedError(createProblem(502, 'The API answered something else than JSON.'))
  return value
}
