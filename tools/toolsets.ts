import { DocumentError } from './openapi.ts'
import toolsets from './toolsets.json' with { type: 'json' }

/** The toolsets of the API. With them, a client with a small context loads only the tools that it needs. */
export const toolsetNames: readonly string[] = toolsets.map(({ name }) => name)

/** The topics of each toolset, for whoever has to choose. */
export const toolsetTopics: Readonly<Record<string, string>> = Object.fromEntries(
  toolsets.map(({ name, topics }) => [name, topics]),
)

const toolsetPatterns = toolsets.flatMap(({ name, paths }) =>
  paths.map((path) => ({ name, pattern: new RegExp(`^${path}`) })),
)

/**
 * Returns the toolset of an operation; null if it belongs to none and only the whole list contains it.
 * @param stated the operation's `x-mcp-toolset`, which wins over its path
 * @throws DocumentError if `stated` is not a toolset
 */
export function getToolset(stated: unknown, path: string): string | null {
  if (stated === undefined) return findToolsetOfPath(path)
  const known = toolsetNames.find((name) => name === stated)
  if (!known) throw new DocumentError(`x-mcp-toolset is not one of ${toolsetNames.join(', ')}`)
  return known
}

/** Finds the toolset with the pattern that matches most of the path. */
function findToolsetOfPath(path: string): string | null {
  let best: { name: string; length: number } | null = null
  for (const { name, pattern } of toolsetPatterns) {
    const length = pattern.exec(path)?.[0].length ?? 0
    if (length > (best?.length ?? 0)) best = { name, length }
  }
  return best?.name ?? null
}
