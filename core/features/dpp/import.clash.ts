/** Somebody changed what rows were about to be stored by. They are looked up again; the statement is undone. */
export class ImportClash extends Error {
  override name = 'ImportClash'
}

/** Rows that were hoped to be new are not. The whole transaction has to be undone and done again without that hope. */
export class HopeLost extends Error {
  override name = 'HopeLost'
}

/** SQLSTATE of what the database refuses about a row, and no other row. Source: PostgreSQL, appendix A. */
const ofRow = /^(22|23|54)/

/** Whether one of the rows is to blame, by its own content or by what somebody else has stored. */
export function isOfRow(cause: unknown): boolean {
  if (cause instanceof ImportClash) return true
  const { code } = cause as { code?: unknown }
  return typeof code === 'string' && code.length === 5 && ofRow.test(code)
}
