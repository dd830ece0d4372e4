import { isOver, jobText, unitsText, type JobState, type StartedJob } from '../../tools/jobs.ts'
import { isRecord } from '../../tools/openapi.ts'
import type { ResourceIndex } from '../../tools/resources.ts'
import { jobLink, type ToolResult } from '../../tools/results.ts'
import { visible } from '../../tools/visible.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { Sealer } from '../seal.ts'

/** A call that goes on. Source: SEP-2663, Task. */
export interface Task {
  readonly taskId: string
  readonly status: 'working' | 'completed'
  readonly statusMessage: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** It has no end: the API keeps its jobs. */
  readonly ttlMs: null
  readonly pollIntervalMs: number
}

/** What a task id says, so that each process can go on with it, after whatever starts. */
export interface TaskState {
  /** Status route of the job. */
  readonly path: string
  /** Name of the tool. */
  readonly called: string
  /** Body of the answer that named the job; undefined where it was too long to be carried along. */
  readonly body: unknown
}

/** The most of an answer's body that a task id carries, in characters of JSON. */
const most = 1024

/** How often to ask, in milliseconds. */
const pollInterval = 1000

/**
 * A task id, made only by us. It is bound to nobody: the API judges each reader by the credentials of that request, so
 * that a caller who changes its key keeps its tasks. Source: SEP-2663, security.
 */
export function sealTask(sealer: Sealer, job: StartedJob, called: string, body: unknown): string {
  const carried = body !== undefined && JSON.stringify(body).length <= most ? { b: body } : {}
  return sealer.seal('task', { p: job.path, n: called, ...carried }, null, '')
}

/** Throws ProtocolError for what is not an id of ours. */
export function openTask(sealer: Sealer, taskId: unknown): TaskState {
  const value = typeof taskId === 'string' ? sealer.open('task', taskId, '') : undefined
  if (!isRecord(value) || typeof value['p'] !== 'string' || typeof value['n'] !== 'string')
    throw new ProtocolError(codes.invalidParams, 'There is no such task')
  return { path: value['p'], called: value['n'], body: value['b'] }
}

export function taskOf(taskId: string, state: JobState): Task {
  const now = new Date().toISOString()
  return {
    taskId,
    status: isOver(state) ? 'completed' : 'working',
    statusMessage: messageOf(state),
    createdAt: state.createdAt ?? now,
    lastUpdatedAt: state.updatedAt ?? now,
    ttlMs: null,
    pollIntervalMs: pollInterval,
  }
}

/** What the call would have answered if it had waited for its job. A job that failed is a call that failed. */
export function taskResult({ path, body }: TaskState, state: JobState, resources: ResourceIndex): ToolResult {
  return {
    content: [{ type: 'text', text: visible(jobText(state), false) }, ...jobLink({ id: state.id, path }, resources)],
    ...(isRecord(body) && { structuredContent: body }),
    ...(state.status === 'failed' && { isError: true as const }),
  }
}

/** Source: SEP-2663, cancellation is cooperative: no job of the API can be stopped, which the message says. */
const messageOf = (state: JobState) => (isOver(state) ? unitsText(state) : `${unitsText(state)}; it cannot be stopped`)
