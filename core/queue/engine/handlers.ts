import type { JobDeclaration, JobType } from '../../kernel/job.ts'

export type Handlers = ReadonlyMap<JobType, JobDeclaration<unknown>>

/**
 * Creates the map from job types to declarations. @throws Error for one of `types` without a declaration, because its
 * jobs would wait forever, and for a type with two declarations
 */
export function createHandlers(
  declarations: readonly JobDeclaration<unknown>[],
  types: readonly JobType[] = [],
): Handlers {
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
