import { isJobOver } from '../../../tools/results/jobs.ts'
import { isRecord } from '../../../tools/openapi.ts'
import type { MethodCall, ToolCallOutcome } from '../methods/method-call.ts'
import type { McpMethods } from '../methods/methods.ts'
import { openTask, sealTask, toTask } from '../methods/tasks.ts'
import { noMetrics, type Metrics } from '../../shared/metrics.ts'
import { codes, MissingCapabilityError, ProtocolError } from '../protocol-error.ts'
import type { Sealer } from '../../shared/seal.ts'
import { envelopeKeys } from '../detect-era.ts'
import type { Result } from './responses.ts'
import type { TaskMethodName, TaskMethods } from './dispatcher.ts'

/**
 * The Tasks extension: a call that starts a job is answered with an id, with which any process can read how far the job
 * is. Nothing is kept here: the id says where the job is, and the API knows its state. Source: SEP-2663.
 */
export class Tasks implements TaskMethods {
  readonly #sealer: Sealer
  readonly #methods: McpMethods
  readonly #metrics: Metrics

  constructor(sealer: Sealer, methods: McpMethods, metrics: Metrics = noMetrics) {
    this.#sealer = sealer
    this.#methods = methods
    this.#metrics = metrics
  }

  createTaskResult({ job, toolName, state, carriedBody }: Extract<ToolCallOutcome, { is: 'task' }>): Result {
    this.#metrics.recordTask()
    const taskId = sealTask(this.#sealer, job, toolName, carriedBody)
    return { resultType: 'task', ...toTask(taskId, state) }
  }

  /** @throws ProtocolError, MissingCapabilityError */
  async answer(method: TaskMethodName, call: MethodCall): Promise<Result> {
    if (!call.acceptsTasks) throw new MissingCapabilityError({ extensions: { [envelopeKeys.tasks]: {} } })
    const { taskId, inputResponses } = call.params
    const task = openTask(this.#sealer, taskId)
    if (method === 'tasks/update' && inputResponses !== undefined && !isRecord(inputResponses))
      throw new ProtocolError(codes.invalidParams, 'inputResponses must be an object')
    // Our tasks never ask for input, so no answer can be expected; and they cannot be stopped.
    if (method !== 'tasks/get') return {}
    const state = await this.#methods.readJob(task.path, call)
    const found = toTask(String(taskId), state)
    if (!isJobOver(state)) return { ...found }
    const { path, toolName, body } = task
    const result = await this.#methods.createEndedResult(toolName, { id: state.id, path }, state, body, call)
    return { ...found, result: { resultType: 'complete', ...result } }
  }
}
