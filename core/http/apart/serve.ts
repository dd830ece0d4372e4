import { setPriority } from 'node:os'
import type { MessagePort } from 'node:worker_threads'
import type { Operation } from '../../kernel/operation.ts'
import { Problem, type ProblemOptions } from '../../kernel/problem.ts'
import type { Code } from '../../kernel/codes.ts'
import type { Context } from '../../kernel/work.ts'
import { parseBody } from '../body.ts'
import { Faults } from '../faults.ts'
import { bodyJudge } from '../validate.ts'

/** What a thread is asked: one piece at a time. */
export interface ApartPiece { operation: string; bytes: Uint8Array }

/** What it answers. */
export type ApartAnswer =
  | { ready: true }
  | { value: unknown }
  | { problem: { code: Code; detail: string; options: ProblemOptions } }
  | { error: { name: string; message: string; stack: string | undefined } }

/** Work on bytes that is no operation of its own. */
export type ApartTask = (context: Context, bytes: Buffer) => Promise<unknown>

export interface ApartWork { operations: readonly Operation[]; tasks: Readonly<Record<string, ApartTask>> }

/** Parses, judges and handles what the main thread hands over. */
export function serveApart(port: MessagePort, { operations, tasks }: ApartWork, context: Context): void {
  stepBack()
  const known = new Map([
    ...operations.map((operation) => [operation.declaration.id, taskOf(operation)] as const), ...Object.entries(tasks),
  ])
  const tell = (answer: ApartAnswer) => port.postMessage(answer)
  port.on('message', (piece: ApartPiece) => {
    const found = known.get(piece.operation)
    if (!found) return tell({ error: { name: 'Error', message: `${piece.operation} is not handled apart`, stack: undefined } })
    found(context, Buffer.from(piece.bytes)).then((value) => tell({ value }), (cause: unknown) => tell(answerTo(cause)))
  })
  tell({ ready: true })
}

/** A third of the share of the main thread, where there is not enough for both. */
const niceness = 5

/** Whoever waits for the main thread goes first. Only Linux gives a thread a priority of its own. */
function stepBack(): void {
  if (process.platform === 'linux') setPriority(0, niceness)
}

function taskOf(operation: Operation): ApartTask {
  const { id, body: declared, invalidBody } = operation.declaration
  if (!declared) throw new Error(`${id} has no body to be judged apart`)
  const judge = bodyJudge(declared)
  return async (context, bytes) => {
    const faults = new Faults(invalidBody === 400)
    const body = parseBody(bytes, 'json', faults)
    if (body !== undefined) judge(body, bytes.length, faults)
    faults.refuse()
    return operation.handle({ body, context } as never)
  }
}

function answerTo(cause: unknown): ApartAnswer {
  if (cause instanceof Problem) {
    const { code, detail, errors, extra, headers } = cause
    return { problem: { code, detail, options: { ...(errors && { errors }), extra, headers } } }
  }
  const { name, message, stack } = cause instanceof Error ? cause : new Error(String(cause))
  return { error: { name, message, stack } }
}
