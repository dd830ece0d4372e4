import type { JobDeclaration, JobType } from '../kernel/job.ts'

export type Handlers = ReadonlyMap<JobType, JobDeclaration<unknown>>

/**
 * One declaration by type. @throws Error for one of `types` that has none, its jobs would wait for ever, and for a type
 * that has two
 */
export function handlersOf(declarations: readonly JobDeclaration<unknown>[], types: readonly JobType[] = []): Handlers {
  const handlers = new Map<JobType, JobDeclaration<unknown>>()
  for (const declaration of declarations) {
    const { type } = declaration
    if (handlers.has(type)) throw new Error(`Two handlers are declared for jobs of type ${type}`)
    handlers.set(type, declaration)
  }
  const missing = types.filter((type) => !handlers.has(type))
  if (missing.length > 0) throw new Error(`No handler is declared for jobs of type ${missing.join(', ')}`)
  return handlers
}
