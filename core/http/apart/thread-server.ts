import { setPriority } from 'node:os'
import type { MessagePort } from 'node:worker_threads'
import type { Operation } from '../../kernel/operation.ts'
import { ProblemError, type ProblemOptions } from '../../kernel/problem.ts'
import type { ProblemCode } from '../../kernel/problem-codes.ts'
import type { Context } from '../../kernel/work.ts'
import { parseBody } from '../body/body.ts'
import { IssueCollector } from '../problems/issue-collector.ts'
import { createBodyValidator } from '../pipeline/validate.ts'

/** A request to a thread, which handles one at a time. */
export interface ThreadRequest {
  operation: string
  bytes: Uint8Array
}

/** A response of a thread. */
export type ThreadResponse =
  | { ready: true }
  | { value: unknown }
  | { problem: { code: ProblemCode; detail: string; options: ProblemOptions } }
  | { error: { name: string; message: string; stack: string | undefined } }

/** A task on bytes that is not an operation of the API. */
export type ThreadTask = (context: Context, bytes: Buffer) => Promise<unknown>

export interface ThreadHandlers {
  operations: readonly Operation[]
  tasks: Readonly<Record<string, ThreadTask>>
}

/** Parses, validates and handles the requests that the main thread sends. */
export function serveThreadRequests(port: MessagePort, { operations, tasks }: ThreadHandlers, context: Context): void {
  lowerThreadPriority()
  const handlersByName = new Map([
    ...operations.map((operation) => [operation.declaration.id, createOperationTask(operation)] as const),
    ...Object.entries(tasks),
  ])
  const sendResponse = (answer: ThreadResponse) => port.postMessage(answer)
  port.on('message', (request: ThreadRequest) => {
    const found = handlersByName.get(request.operation)
    if (!found)
      return sendResponse({
        error: { name: 'Error', message: `${request.operation} is not handled apart`, stack: undefined },
      })
    found(context, Buffer.from(request.bytes)).then(
      (value) => sendResponse({ value }),
      (cause: unknown) => sendResponse(toErrorResponse(cause)),
    )
  })
  sendResponse({ ready: true })
}

/**
 * Nice value of a thread: it gets about a third of the main thread's share when the processor cannot serve both fully.
 */
const niceness = 5

/** Lets the main thread go first. Only Linux has a priority for each thread. */
function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(0, niceness)
}

function createOperationTask(operation: Operation): ThreadTask {
  const {
    id,
    body: declared,
    transport: { invalidBodyStatus },
  } = operation.declaration
  if (!declared) throw new Error(`${id} has no body to be judged apart`)
  const validateBody = createBodyValidator(declared)
  return async (context, bytes) => {
    const issues = new IssueCollector(invalidBodyStatus === 400)
    const body = parseBody(bytes, 'json', issues)
    if (body !== undefined) validateBody(body, bytes.length, issues)
    issues.assertNone()
    return operation.handle({ body, context } as never)
  }
}

function toErrorResponse(cause: unknown): ThreadResponse {
  if (cause instanceof ProblemError) {
    const { code, detail, errors, extra, headers } = cause
    return { problem: { code, detail, options: { ...(errors && { errors }), extra, headers } } }
  }
  const { name, message, stack } = cause instanceof Error ? cause : new Error(String(cause))
  return { error: { name, message, stack } }
}
