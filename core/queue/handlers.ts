import type { JobDeclaration, JobType } from '../kernel/job.ts'

export type Handlers = ReadonlyMap<JobType, JobDeclaration<unknown>>

/** One declaration by type. @throws Error for one of `types` that has none, or for two of one type: its jobs would wait for ever, or run as either. */
export function handlersOf(declarations: readonly JobDeclaration<unknown>[], types: readonly JobType[] = []): Handlers {
  const handlers = new Map<JobType, JobDeclaration<unknown>>()
  for (const declaration of declarations) {
    if (handlers.has(declaration.type)) throw new Error(`Two handlers are declared for jobs of type ${declaration.type}`)
    handlers.set(declaration.type, declaration)
  }
  const missing = types.filter((type) => !handlers.has(type))
  if (missing.length > 0) throw new Error(`No handler is declared for jobs of type ${missing.join(', ')}`)
  return handlers
}
