import { isOver, jobPath, jobState, jobText, type JobState, type StartedJob } from '../../tools/jobs.ts'
import { problemOf } from '../../tools/problems.ts'
import type { ApiRequest } from '../../tools/request.ts'
import type { ToolResult } from '../../tools/results.ts'
import { visible } from '../../tools/visible.ts'
import { followJob } from '../follow-job.ts'
import { UpstreamError, type Upstream } from '../forward.ts'
import type { Log } from '../log.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { Call, Outcome } from './call.ts'
import { refusal } from './refusal.ts'

type Send = (request: ApiRequest, call: Call, operation: string) => Promise<Outcome>

/** How long a job that is to be a task may take to end at once, in milliseconds: it is then no task. */
const atOnce = 300

/** What calls start at the API and do not wait for. */
export class Jobs {
  readonly #upstream: Upstream
  readonly #log: Log
  readonly #send: Send
  readonly #ending: AbortSignal

  /** @param ending aborted when the bridge stops: who is told of a job's progress then gets what is known */
  constructor(upstream: Upstream, log: Log, send: Send, ending: AbortSignal) {
    this.#upstream = upstream
    this.#log = log
    this.#send = send
    this.#ending = ending
  }

  /** Tells each step of a job until it is over or the deadline has passed, and adds the last one to the result. */
  async follow(job: StartedJob, call: Call, result: ToolResult, deadline: number): Promise<void> {
    const last = await this.#watch(job, call, deadline, call.tell ?? (async () => undefined))
    if (last) addState(last, result)
  }

  /**
   * A job that goes on, and its state; null where it was over at once, which is added to the result, or where its
   * caller cannot see it: what cannot be asked for later must not be promised. Source: SEP-2663, task creation.
   */
  async settle(job: StartedJob, call: Call, result: ToolResult): Promise<{ job: StartedJob; state: JobState } | null> {
    const last = await this.#watch(job, call, Date.now() + atOnce, async () => undefined)
    const found = last && isOver(last) ? { job, state: last } : await this.#seen(job, call)
    if (!found || !isOver(found.state)) return found
    addState(found.state, result)
    return null
  }

  /** Throws ProtocolError. @param path the status route of a job, that the API named */
  async read(path: string, call: Call): Promise<JobState> {
    const accept = 'application/json, application/problem+json'
    const { answer, problem } = await this.#send({ method: 'GET', path, accept, body: null }, call, 'get_job')
    if (!answer) throw new ProtocolError(codes.internal, problem.detail, problem)
    if (answer.status < 200 || answer.status >= 300) throw refusal(problemOf(answer), call.dialect)
    const state = jobState(new TextDecoder().decode(answer.bytes))
    if (!state) throw new ProtocolError(codes.internal, 'The API did not say how far the job is')
    return state
  }

  /** The job as its caller sees it, at the place that the answer named, else at that of all jobs. */
  async #seen(job: StartedJob, call: Call): Promise<{ job: StartedJob; state: JobState } | null> {
    for (const path of new Set([job.path, jobPath(job.id)])) {
      try {
        return { job: { ...job, path }, state: await this.read(path, call) }
      } catch (cause) {
        if (!(cause instanceof ProtocolError)) throw cause
      }
    }
    return null
  }

  async #watch(
    job: StartedJob, { exchange, signal }: Call, deadline: number, tell: NonNullable<Call['tell']>,
  ): Promise<JobState | null> {
    try {
      return await followJob(this.#upstream, job, exchange, { signal, deadline, ending: this.#ending }, tell)
    } catch (cause) {
      if (!(cause instanceof UpstreamError)) throw cause
      this.#log.warn({ trace: exchange.trace, err: cause }, 'the events of a job cannot be read')
      return null
    }
  }
}

/** A job that failed is a call that failed. */
function addState(state: JobState, result: ToolResult): void {
  result.content.unshift({ type: 'text', text: visible(jobText(state), false) })
  if (state.status === 'failed') result.isError = true
}
