/** The pattern of a delimiter that a caller can name: one character, or `tab`. */
export const delimiterPattern = '^([^"\\r\\n]|tab)$'

/** Returns the character that separates two cells, from the name that the caller gave. */
export const parseDelimiter = (name: string | null | undefined): string | undefined =>
  name === 'tab' ? '\t' : (name ?? undefined)
