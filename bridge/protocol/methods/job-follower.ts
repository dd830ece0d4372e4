import {
  isJobOver,
  getJobPath,
  parseJobState,
  formatJobState,
  type JobState,
  type StartedJob,
} from '../../../tools/results/jobs.ts'
import { toProblem } from '../../../tools/results/problems.ts'
import type { ApiRequest } from '../../../tools/results/api-request.ts'
import type { ToolResult } from '../../../tools/results/results.ts'
import { showInvisible } from '../../../tools/arguments/show-invisible.ts'
import { followJob } from '../../api/follow-job.ts'
import { UpstreamError, type Upstream } from '../../api/upstream.ts'
import type { Log } from '../../shared/log.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { MethodCall, ApiOutcome } from './method-call.ts'
import { createRefusalError } from './refusal-error.ts'

type RequestSender = (request: ApiRequest, call: MethodCall, operation: string) => Promise<ApiOutcome>

/**
 * The milliseconds for which the bridge waits for a job before it becomes a task; a job that ends sooner is no task.
 */
const taskThresholdMs = 300

/** Follows the jobs that calls start at the API. */
export class JobFollower {
  readonly #upstream: Upstream
  readonly #log: Log
  readonly #send: RequestSender
  readonly #stopSignal: AbortSignal

  /** @param stopSignal aborted when the bridge stops; a call that follows a job then gets the last known state */
  constructor(upstream: Upstream, log: Log, send: RequestSender, stopSignal: AbortSignal) {
    this.#upstream = upstream
    this.#log = log
    this.#send = send
    this.#stopSignal = stopSignal
  }

  /**
   * Reports the progress of a job until it is over or the deadline has passed, and adds its last state to the result.
   */
  async follow(job: StartedJob, call: MethodCall, result: ToolResult, deadlineMs: number): Promise<void> {
    const last = await this.#followUntil(job, call, deadlineMs, call.notifyProgress ?? (async () => undefined))
    if (last) addState(last, result)
  }

  /**
   * Returns a job that is still running, with its state. Returns null if the job is over, after adding its state to the
   * result, and also if the caller cannot read the job: a task must not be promised that cannot be read later.
   * Source: SEP-2663, task creation.
   */
  async findRunningJob(
    job: StartedJob,
    call: MethodCall,
    result: ToolResult,
  ): Promise<{ job: StartedJob; state: JobState } | null> {
    const last = await this.#followUntil(job, call, Date.now() + taskThresholdMs, async () => undefined)
    const running = last && isJobOver(last) ? { job, state: last } : await this.#readVisibleJob(job, call)
    if (!running || !isJobOver(running.state)) return running
    addState(running.state, result)
    return null
  }

  /** Reads the state of a job. @param path the status route of the job, as the API named it @throws ProtocolError */
  async read(path: string, call: MethodCall): Promise<JobState> {
    const accept = 'application/json, application/problem+json'
    const { answer, problem } = await this.#send({ method: 'GET', path, accept, body: null }, call, 'get_job')
    if (!answer) throw new ProtocolError(codes.internal, problem.detail, problem)
    if (answer.status < 200 || answer.status >= 300) throw createRefusalError(toProblem(answer), call.dialect)
    const state = parseJobState(new TextDecoder().decode(answer.bytes))
    if (!state) throw new ProtocolError(codes.internal, 'The API did not say how far the job is')
    return state
  }

  /** Reads a job with its caller's rights, at the path that the API named or else at the common path of jobs. */
  async #readVisibleJob(job: StartedJob, call: MethodCall): Promise<{ job: StartedJob; state: JobState } | null> {
    for (const path of new Set([job.path, getJobPath(job.id)])) {
      try {
        return { job: { ...job, path }, state: await this.read(path, call) }
      } catch (cause) {
        if (!(cause instanceof ProtocolError)) throw cause
      }
    }
    return null
  }

  async #followUntil(
    job: StartedJob,
    { context, signal }: MethodCall,
    deadlineMs: number,
    notifyProgress: NonNullable<MethodCall['notifyProgress']>,
  ): Promise<JobState | null> {
    try {
      return await followJob(
        this.#upstream,
        job,
        context,
        { signal, deadlineMs, stopSignal: this.#stopSignal },
        notifyProgress,
      )
    } catch (cause) {
      if (!(cause instanceof UpstreamError)) throw cause
      this.#log.warn({ trace: context.traceId, err: cause }, 'the events of a job cannot be read')
      return null
    }
  }
}

/** Adds the state of a job to a result. A failed job makes the call a failed call. */
function addState(state: JobState, result: ToolResult): void {
  result.content.unshift({ type: 'text', text: showInvisible(formatJobState(state), false) })
  if (state.status === 'failed') result.isError = true
}
