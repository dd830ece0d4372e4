import {
  isJobOver,
  getJobPath,
  parseJobState,
  formatJobState,
  type JobState,
  type StartedJob,
} from '../../../tools/results/jobs.ts'
import { addJobResult, formatJobResultPath, type JobResultLink } from '../../../tools/results/job-result.ts'
import { parseExactJson } from '../../../tools/json.ts'
import { maxShownBytes } from '../../../tools/results/text-parts.ts'
import { toProblem } from '../../../tools/results/problems.ts'
import { acceptJson, type ApiRequest } from '../../../tools/results/api-request.ts'
import type { ToolResult } from '../../../tools/results/results.ts'
import { createEndedJobBody, mustEndedJobBeKept, showEndedJob } from '../../../tools/results/ended-job.ts'
import { showInvisible } from '../../../tools/arguments/show-invisible.ts'
import type { ResourceIndex } from '../../../tools/catalogue/resources.ts'
import type { Tool } from '../../../tools/catalogue/catalogue.ts'
import { isRecord, type Schema } from '../../../tools/openapi.ts'
import { followJob } from '../../api/follow-job.ts'
import { UpstreamError, type Upstream } from '../../api/upstream.ts'
import type { KeptAnswers } from '../../shared/kept-answers.ts'
import type { Log } from '../../shared/log.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { MethodCall, ApiOutcome } from './method-call.ts'
import { createRefusalError } from './refusal-error.ts'

/** A call that started a job: its tool, and the resources of the document that it was called by. */
export interface StartedCall {
  readonly tool: Pick<Tool, 'secrets' | 'startedPath'>
  readonly resources: ResourceIndex
}

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
  readonly #keptAnswers: KeptAnswers

  /** @param stopSignal aborted when the bridge stops; a call that follows a job then gets the last known state */
  constructor(upstream: Upstream, log: Log, send: RequestSender, stopSignal: AbortSignal, keptAnswers: KeptAnswers) {
    this.#upstream = upstream
    this.#log = log
    this.#send = send
    this.#stopSignal = stopSignal
    this.#keptAnswers = keptAnswers
  }

  /**
   * Reports the progress of a job until it is over or the deadline has passed. The result then has the final state, or
   * the last one that was seen.
   * @returns whether the job is over
   */
  async follow(
    job: StartedJob,
    call: MethodCall,
    result: ToolResult,
    startedCall: StartedCall,
    deadlineMs: number,
  ): Promise<boolean> {
    const last = await this.#followUntil(job, call, deadlineMs, call.notifyProgress ?? (async () => undefined))
    if (last) await this.#showState(last, job, call, result, startedCall)
    return last !== null && isJobOver(last)
  }

  /**
   * Adds to a result what the job came to, as the link of its operation reads it. Does nothing if the caller may not
   * read it, or if the answer is larger than what a result shows.
   */
  async addLinkedResult(link: JobResultLink, call: MethodCall, result: ToolResult): Promise<void> {
    const path = formatJobResultPath(link, result.structuredContent)
    if (path === null) return
    const request = { method: 'GET', path, accept: 'application/json', body: null } as const
    const { answer } = await this.#send(request, call, 'job_result')
    if (answer?.status !== 200 || answer.bytes.length > maxShownBytes) return
    addJobResult(result, link, answer)
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
    startedCall: StartedCall,
  ): Promise<{ job: StartedJob; state: JobState } | null> {
    const last = await this.#followUntil(job, call, Date.now() + taskThresholdMs, async () => undefined)
    const running = last && isJobOver(last) ? { job, state: last } : await this.#readVisibleJob(job, call)
    if (!running || !isJobOver(running.state)) return running
    await this.#showState(running.state, running.job, call, result, startedCall)
    return null
  }

  /** Reads the state of a job. @param path the status route of the job, as the API named it @throws ProtocolError */
  async read(path: string, call: MethodCall): Promise<JobState> {
    const { answer, problem } = await this.#send(
      { method: 'GET', path, accept: acceptJson, body: null },
      call,
      'get_job',
    )
    if (!answer) throw new ProtocolError(codes.internal, problem.detail, problem)
    if (answer.status < 200 || answer.status >= 300) throw createRefusalError(toProblem(answer), call.dialect)
    const state = parseJobState(new TextDecoder().decode(answer.bytes))
    if (!state) throw new ProtocolError(codes.internal, 'The API did not say how far the job is')
    return state
  }

  /**
   * Reads what a call started, after its job has ended: the resource that says the same as the body that named the job.
   * Returns null if the document has none, or if it cannot be read.
   */
  async #readStarted(
    started: unknown,
    job: StartedJob,
    call: MethodCall,
    { startedPath }: StartedCall['tool'],
  ): Promise<Schema | null> {
    if (startedPath === null || !isRecord(started) || started['id'] !== job.id) return null
    const path = startedPath.replace(/\{[^{}]+\}$/, job.id)
    const { answer } = await this.#send({ method: 'GET', path, accept: acceptJson, body: null }, call, 'get_job')
    const body = answer?.status === 200 ? parseExactJson(answer.bytes) : null
    return isRecord(body) ? body : null
  }

  /**
   * Shows a job that is over in the result of the call that started it.
   * @param started the body of the answer that named the job; undefined if it is not known any more
   */
  async showEnd(
    state: JobState,
    job: StartedJob,
    call: MethodCall,
    result: ToolResult,
    { started, startedCall: { tool, resources } }: { started: unknown; startedCall: StartedCall },
  ): Promise<void> {
    const body = createEndedJobBody(started, job, state, await this.#readStarted(started, job, call, tool))
    const keptUri = mustEndedJobBeKept(body, job, resources)
      ? await this.#keptAnswers.keep(call.context.callerHash, {
          mediaType: 'application/json',
          bytes: Buffer.from(body.text),
        })
      : null
    showEndedJob(result, body, job, state, { resources, secrets: tool.secrets, keptUri })
  }

  /** Adds the state of a job to the result; of a job that is over, it takes the place of what the call answered. */
  async #showState(
    state: JobState,
    job: StartedJob,
    call: MethodCall,
    result: ToolResult,
    startedCall: StartedCall,
  ): Promise<void> {
    if (!isJobOver(state)) {
      result.content.unshift({ type: 'text', text: showInvisible(formatJobState(state), false) })
      return
    }
    await this.showEnd(state, job, call, result, { started: result.structuredContent, startedCall })
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
