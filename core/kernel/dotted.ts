/** Characters of a path that are told: a name can be as long as a body, and each of a hundred violations may have it. */
const longestPart = 100
const longestPath = 500

/** The parts of a path as one: `fields`, `parts`, `0`, `name` is `fields.parts[0].name`. */
export function dotted(parts: readonly string[]): string {
  const join = (path: string, part: string) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part)
  return parts.map((part) => part.slice(0, longestPart)).reduce(join, '').slice(0, longestPath)
}
