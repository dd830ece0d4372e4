/**
 * Where a number stands that was too large to be kept, as `.fields.sizes[0]`; null where none does. JSON writes such a
 * number as null, which is another value.
 */
export function endlessPath(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : ''
  if (typeof value !== 'object' || value === null) return null
  for (const [name, inner] of Object.entries(value)) {
    const path = endlessPath(inner)
    if (path !== null) return Array.isArray(value) ? `[${name}]${path}` : `.${name}${path}`
  }
  return null
}
