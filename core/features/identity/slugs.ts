/** Converts a name to a part of an address: small letters, digits and hyphens, at most 60. */
export function createSlug(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const slug = plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '')
  return slug === '' ? 'organization' : slug
}

/**
 * Checks whether the database refused a duplicate value in one of these constraints. Source: PostgreSQL, appendix A,
 * 23505.
 */
export const isDuplicate = (error: unknown, ...constraints: string[]): boolean =>
  isViolation(error, '23505', constraints)

/**
 * Checks whether the database refused a row because the row that it refers to, by one of these constraints, is gone.
 * Source: PostgreSQL, appendix A, 23503.
 */
export const isReferenceLost = (error: unknown, ...constraints: string[]): boolean =>
  isViolation(error, '23503', constraints)

function isViolation(error: unknown, state: string, constraints: readonly string[]): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === state && typeof constraint === 'string' && constraints.includes(constraint)
}
