/**
 * Finds a number that was too large to be kept and returns its path, like `.fields.sizes[0]`; null if there is none.
 * JSON would write such a number as null, which is another value.
 */
export function findInfinitePath(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : ''
  if (typeof value !== 'object' || value === null) return null
  for (const [name, inner] of Object.entries(value)) {
    const path = findInfinitePath(inner)
    if (path !== null) return Array.isArray(value) ? `[${name}]${path}` : `.${name}${path}`
  }
  return null
}
