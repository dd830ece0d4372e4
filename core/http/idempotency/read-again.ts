import type { Declaration, Operation } from '../../kernel/operation.ts'
import { Problem } from '../../kernel/problem.ts'
import { permit } from '../permit.ts'
import { successOf, type Written } from '../present.ts'
import type { Run, Value } from '../run.ts'
import type { AnswerWithoutBody } from './claims.ts'

/** A route that reads one entity. */
interface Reader {
  operation: Operation
  pattern: RegExp
  /** The very schema that it answers with. */
  schema: object
}

/** Runs a reading operation for a caller. */
export type RunRead = (run: Run) => Promise<Value>

/** The routes that an answer can be read at again. */
export class Readers {
  readonly #readers: readonly Reader[]

  constructor(operations: readonly Operation[]) {
    this.#readers = operations.flatMap((operation) => readerOf(operation) ?? [])
  }

  /**
   * Answers a replay whose body is gone: with the entity as it is now, where one has been created or changed that this
   * caller may read and that is described as the answer is; else with status and Location alone.
   */
  async readAgain(run: Run, kept: AnswerWithoutBody, runRead: RunRead): Promise<Written> {
    const { 'Content-Type': type, ETag: before, ...headers } = kept.headers
    const nothing: Written = { status: kept.status, headers, body: null }
    const entity = await this.#read(run, kept.headers['Location'] ?? run.path, runRead)
    if (entity === null || type === undefined) return nothing
    const { ETag: now } = entity.headers
    const validator = before !== undefined && now !== undefined && { ETag: now }
    return { ...nothing, headers: { ...headers, 'Content-Type': type, ...validator }, body: entity.body }
  }

  async #read(run: Run, path: string, runRead: RunRead): Promise<Written | null> {
    const { declaration } = run.operation
    const wanted = declaration.returns[successOf(declaration)]
    const found = this.#readers.find(({ pattern, schema }) => schema === wanted && pattern.test(path))
    if (!found) return null
    // Our own Location, or a path that was judged already.
    const params = { ...found.pattern.exec(path)?.groups }
    try {
      permit(run.caller, found.operation.declaration.access)
      const value = await runRead({ ...run, operation: found.operation, params, query: {} })
      return 'status' in value ? value : null
    } catch (cause) {
      // It is gone meanwhile, or no longer this caller's to read.
      if (cause instanceof Problem) return null
      throw cause
    }
  }
}

function readerOf(operation: Operation): Reader | null {
  const { declaration, mode } = operation
  const schema = declaration.returns[successOf(declaration)]
  if (declaration.method !== 'GET' || declaration.list || declaration.page || mode !== 'read') return null
  if (schema === null || schema === undefined || !('properties' in schema)) return null
  return { operation, pattern: patternOf(declaration), schema }
}

function patternOf({ path }: Declaration): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? `(?<${part.slice(1)}>[^/]+)` : part.replaceAll('.', '\\.')))
  return new RegExp(`^${parts.join('/')}$`)
}
