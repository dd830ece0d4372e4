/**
 * The error for stored data that changed after the plan for its rows was made. The statements are undone, and the rows
 * are looked up again.
 */
export class ImportConflictError extends Error {
  override name = 'ImportConflictError'
}

/**
 * The SQLSTATE classes of errors that concern a single row: its content, or its conflict with stored data. Source:
 * PostgreSQL, appendix A.
 */
const rowErrorPattern = /^(22|23|54)/

/** Checks whether an error was caused by one of the rows: by its content, or by a conflict with stored data. */
export function isRowError(cause: unknown): boolean {
  if (cause instanceof ImportConflictError) return true
  const { code } = cause as { code?: unknown }
  return typeof code === 'string' && code.length === 5 && rowErrorPattern.test(code)
}
