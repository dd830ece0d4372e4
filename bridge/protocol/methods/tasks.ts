import { isJobOver, formatDoneUnits, type JobState, type StartedJob } from '../../../tools/results/jobs.ts'
import { isRecord } from '../../../tools/openapi.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { Sealer } from '../../shared/seal.ts'

/** A call that goes on after its answer. Source: SEP-2663, Task. */
export interface TaskResult {
  readonly taskId: string
  readonly status: 'working' | 'completed'
  readonly statusMessage: string
  /** An ISO 8601 time. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** The task never expires, because the API keeps its jobs. */
  readonly ttlMs: null
  readonly pollIntervalMs: number
}

/** The content of a task id, with which each process can go on with the task, even after a restart. */
export interface TaskState {
  /** The status route of the job. */
  readonly path: string
  /** The name of the tool. */
  readonly toolName: string
  /** The body of the answer that named the job; undefined if it was too long or too secret for a task id. */
  readonly body: unknown
}

/** The longest body of an answer that a task id carries, in characters of JSON. */
const maxCarriedBodyLength = 1024

/** How often a client should read a task, in milliseconds. */
const taskPollIntervalMs = 1000

/**
 * Creates a sealed task id. It is not bound to a caller: the API authorizes each reader by the credentials of that
 * request, so a caller who changes its key keeps its tasks. Source: SEP-2663, security.
 */
export function sealTask(sealer: Sealer, job: StartedJob, toolName: string, body: unknown): string {
  const carried = body !== undefined && JSON.stringify(body).length <= maxCarriedBodyLength ? { b: body } : {}
  return sealer.seal('task', { p: job.path, n: toolName, ...carried }, null, '')
}

/** Opens a task id. @throws ProtocolError if the id was not made by this bridge */
export function openTask(sealer: Sealer, taskId: unknown): TaskState {
  const value = typeof taskId === 'string' ? sealer.open('task', taskId, '') : undefined
  if (!isRecord(value) || typeof value['p'] !== 'string' || typeof value['n'] !== 'string')
    throw new ProtocolError(codes.invalidParams, 'There is no such task')
  return { path: value['p'], toolName: value['n'], body: value['b'] }
}

export function toTask(taskId: string, state: JobState): TaskResult {
  const now = new Date().toISOString()
  return {
    taskId,
    status: isJobOver(state) ? 'completed' : 'working',
    statusMessage: formatTaskMessage(state),
    createdAt: state.createdAt ?? now,
    lastUpdatedAt: state.updatedAt ?? now,
    ttlMs: null,
    pollIntervalMs: taskPollIntervalMs,
  }
}

/**
 * The message says that a task cannot be stopped: the API cannot stop a job. Source: SEP-2663, cooperative
 * cancellation.
 */
const formatTaskMessage = (state: JobState) =>
  isJobOver(state) ? formatDoneUnits(state) : `${formatDoneUnits(state)}; it cannot be stopped`
