/** The columns of a statement, and a row in which all of them are null. */
interface RowShape {
  names: readonly string[]
  emptyRow: object
}

/** The shapes of statements with a name: their columns stay the same, or PostgreSQL refuses the statement. */
const namedShapes = new Map<string, RowShape>()

/**
 * Converts the values of rows to objects. A copy of a complete object is several times as fast as an object that gets one
 * member after the other, as the driver makes it: with more than a dozen members, V8 makes a dictionary of such an
 * object. What JSON.parse creates is none.
 * @param name of the statement, if it has one
 */
export function createRows(
  name: string | undefined,
  fields: readonly { name: string }[],
  rows: readonly (readonly unknown[])[],
): object[] {
  if (rows.length === 0) return []
  const { names, emptyRow } = getShape(name, fields)
  return rows.map((values) => {
    const row = { ...emptyRow } as Record<string, unknown>
    for (let at = 0; at < names.length; at++) if (values[at] !== null) row[names[at] as string] = values[at]
    return row
  })
}

function getShape(name: string | undefined, fields: readonly { name: string }[]): RowShape {
  const known = name === undefined ? undefined : namedShapes.get(name)
  if (known?.names.length === fields.length) return known
  const names = fields.map((field) => field.name)
  const emptyRow = JSON.parse(JSON.stringify(Object.fromEntries(names.map((each) => [each, null])))) as object
  const shape = { names, emptyRow }
  if (name !== undefined) namedShapes.set(name, shape)
  return shape
}
