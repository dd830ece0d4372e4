/**
 * Maximum number of characters of a path and of each part of it. A member name can be as long as the body, and each of
 * a hundred issues may contain it.
 */
const maxPartLength = 100
const maxPathLength = 500

/** Joins the parts of a path: `fields`, `parts`, `0`, `name` becomes `fields.parts[0].name`. */
export function formatDottedPath(parts: readonly string[]): string {
  const join = (path: string, part: string) =>
    /^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part
  return parts
    .map((part) => part.slice(0, maxPartLength))
    .reduce(join, '')
    .slice(0, maxPathLength)
}
