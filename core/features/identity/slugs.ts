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
export function isDuplicate(error: unknown, ...constraints: string[]): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23505' && typeof constraint === 'string' && constraints.includes(constraint)
}
