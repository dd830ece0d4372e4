import type { OperationDeclaration, Operation } from '../../kernel/operation.ts'
import { ProblemError } from '../../kernel/problem.ts'
import { authorizeOperation } from '../pipeline/authorize.ts'
import { getSuccessStatus, type WireAnswer } from '../pipeline/present-value.ts'
import type { ValidatedRequest, HandlerValue } from '../pipeline/run-handler.ts'
import type { AnswerWithoutBody } from './leases.ts'

/** A route that reads one entity. */
interface ReadRoute {
  operation: Operation
  pattern: RegExp
  /** The schema of the route's answer; compared by identity. */
  schema: object
}

/** A function that runs a read operation for a caller. */
export type ReadRunner = (run: ValidatedRequest) => Promise<HandlerValue>

/** The read routes that can restore the body of a replayed answer. */
export class ReplayReaders {
  readonly #readers: readonly ReadRoute[]

  constructor(operations: readonly Operation[]) {
    this.#readers = operations.flatMap((operation) => createReadRoute(operation) ?? [])
  }

  /**
   * Answers a replay whose body is gone. The answer has the present entity if the caller may read it and its schema is
   * that of the original answer; otherwise only status and headers such as Location.
   */
  async restoreBody(run: ValidatedRequest, storedAnswer: AnswerWithoutBody, runRead: ReadRunner): Promise<WireAnswer> {
    const { 'Content-Type': type, ETag: before, ...headers } = storedAnswer.headers
    const emptyAnswer: WireAnswer = { status: storedAnswer.status, headers, body: null }
    const entity = await this.#readAnswer(run, storedAnswer.headers['Location'] ?? run.path, runRead)
    if (entity === null || type === undefined) return emptyAnswer
    const { ETag: now } = entity.headers
    const validator = before !== undefined && now !== undefined && { ETag: now }
    return { ...emptyAnswer, headers: { ...headers, 'Content-Type': type, ...validator }, body: entity.body }
  }

  async #readAnswer(run: ValidatedRequest, path: string, runRead: ReadRunner): Promise<WireAnswer | null> {
    const { declaration } = run.operation
    const wantedSchema = declaration.returns[getSuccessStatus(declaration)]
    const route = this.#readers.find(({ pattern, schema }) => schema === wantedSchema && pattern.test(path))
    if (!route) return null
    // The path is our own Location header, or was already validated.
    const params = { ...route.pattern.exec(path)?.groups }
    try {
      authorizeOperation(run.caller, route.operation.declaration)
      const value = await runRead({ ...run, operation: route.operation, params, query: {}, selection: null })
      return 'status' in value ? value : null
    } catch (cause) {
      // The entity is gone, or the caller may no longer read it.
      if (cause instanceof ProblemError) return null
      throw cause
    }
  }
}

function createReadRoute(operation: Operation): ReadRoute | null {
  const { declaration, mode } = operation
  const schema = declaration.returns[getSuccessStatus(declaration)]
  if (declaration.method !== 'GET' || declaration.list || declaration.transport.page || mode !== 'read') return null
  if (schema === null || schema === undefined || !('properties' in schema)) return null
  return { operation, pattern: createPathPattern(declaration), schema }
}

function createPathPattern({ path }: OperationDeclaration): RegExp {
  const parts = path
    .split('/')
    .map((part) => (part.startsWith(':') ? `(?<${part.slice(1)}>[^/]+)` : part.replaceAll('.', '\\.')))
  return new RegExp(`^${parts.join('/')}$`)
}
