import { isOver } from '../../../tools/jobs.ts'
import { isRecord } from '../../../tools/openapi.ts'
import type { Call, CallOutcome } from '../../methods/call.ts'
import type { Methods } from '../../methods/methods.ts'
import { openTask, sealTask, taskOf, taskResult } from '../../methods/tasks.ts'
import { unmeasured, type Metrics } from '../../metrics.ts'
import { codes, MissingCapability, ProtocolError } from '../../protocol-error.ts'
import type { Sealer } from '../../seal.ts'
import { envelopeKeys } from '../classify.ts'
import type { Result } from './answer.ts'
import type { TaskMethod, TaskMethods } from './answering.ts'

/**
 * The Tasks extension: a call that starts a job is answered with an id, by which any process tells how far the job is.
 * Nothing is kept here: the id says where the job is, and the API what has become of it. Source: SEP-2663.
 */
export class Tasks implements TaskMethods {
  readonly #sealer: Sealer
  readonly #methods: Methods
  readonly #metrics: Metrics

  constructor(sealer: Sealer, methods: Methods, metrics: Metrics = unmeasured) {
    this.#sealer = sealer
    this.#methods = methods
    this.#metrics = metrics
  }

  started({ job, called, state, result }: Extract<CallOutcome, { is: 'task' }>): Result {
    this.#metrics.task()
    const taskId = sealTask(this.#sealer, job, called, result.structuredContent)
    return { resultType: 'task', ...taskOf(taskId, state) }
  }

  /** Throws ProtocolError, MissingCapability. */
  async answer(method: TaskMethod, call: Call): Promise<Result> {
    if (!call.tasks) throw new MissingCapability({ extensions: { [envelopeKeys.tasks]: {} } })
    const { taskId, inputResponses } = call.params
    const task = openTask(this.#sealer, taskId)
    if (method === 'tasks/update' && inputResponses !== undefined && !isRecord(inputResponses))
      throw new ProtocolError(codes.invalidParams, 'inputResponses must be an object')
    // No task of ours asks anybody, so there is nothing that an answer could be for; and none can be stopped.
    if (method !== 'tasks/get') return {}
    const state = await this.#methods.job(task.path, call)
    const found = taskOf(String(taskId), state)
    if (!isOver(state)) return { ...found }
    return { ...found, result: { resultType: 'complete', ...taskResult(task, state, this.#methods.resources()) } }
  }
}
