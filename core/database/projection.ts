/**
 * A value of a projection in both of its forms: the SQL that writes it as JSON, and the function that takes it from a
 * row.
 */
export interface ProjectedValue<Row> {
  readonly sql: string
  /** The SQL that is null where the value is null. */
  readonly nullSql: string
  /** The columns of the row that the value needs. */
  readonly columns: readonly string[]
  readonly read: (row: Row) => unknown
  /** Whether an object lacks the member where the value is null. Only the last member of an object can be optional. */
  readonly isOptional?: true
}

/** Members of an object, in their order. */
export type ProjectedMembers<Row> = readonly (readonly [string, ProjectedValue<Row>])[]

/** The part of a row that several values need together. */
export type RowOf<Value> = [Value] extends [ProjectedValue<infer Row>] ? Row : never

/** Returns the column of a table that a member of a row stands for. */
export const toColumn = (member: string): string => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Creates the functions that declare values of rows of one table. */
export function createProjector<Row extends object>(table: string) {
  type Name = keyof Row & string
  const column = <N extends Name>(name: N): ProjectedValue<Pick<Row, N>> => {
    const sql = `${table}.${toColumn(name)}`
    return { sql, nullSql: sql, columns: [name], read: compileFunction(['row'], `return row[${JSON.stringify(name)}]`) }
  }
  return {
    /** Declares a column as it is. */
    column,
    /** Declares an instant, which a row holds as text already. */
    instant<N extends Name>(name: N): ProjectedValue<Pick<Row, N>> {
      const value = column(name)
      return { ...value, sql: `to_char(${value.sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` }
    },
    /** Declares a column, or a number where the column is null. */
    numberOr<N extends Name>(name: N, otherwise: number): ProjectedValue<Pick<Row, N>> {
      const value = column(name)
      return {
        ...value,
        sql: `coalesce(${value.sql}, ${otherwise})`,
        read: (row) => value.read(row) ?? otherwise,
      }
    },
    /** Declares a value that stands in no column of the table. */
    related: <N extends Name>(name: N, sql: string): ProjectedValue<Pick<Row, N>> => ({
      sql,
      nullSql: sql,
      columns: [],
      read: (row) => row[name],
    }),
  }
}

/** Makes a value the optional member of its object. */
export const optional = <Row>(value: ProjectedValue<Row>): ProjectedValue<Row> => ({ ...value, isOptional: true })

const formatMembers = (members: ProjectedMembers<never>) =>
  members.map(([name, { sql }]) => `'${name}', ${sql}`).join(', ')

/** Creates the SQL of a JSON object with these members. */
export function createObjectSql(members: ProjectedMembers<never>): string {
  const [, last] = members.at(-1) ?? []
  const whole = `json_build_object(${formatMembers(members)})`
  if (!last?.isOptional) return whole
  return `case when ${last.nullSql} is null then json_build_object(${formatMembers(members.slice(0, -1))}) else ${whole} end`
}

type Members = Readonly<Record<string, ProjectedValue<never>>>

/**
 * Declares an object.
 * @param required names of members without which there is null instead of the object
 */
export function object<M extends Members>(
  members: M,
  required: readonly (keyof M & string)[] = [],
): ProjectedValue<RowOf<M[keyof M]>> {
  // Each value needs a part of the row that all of them need.
  const entries = Object.entries(members) as unknown as ProjectedMembers<RowOf<M[keyof M]>>
  const requiredValues = entries.filter(([name]) => required.includes(name)).map(([, value]) => value)
  const optionalName = entries.find(([, { isOptional }]) => isOptional)?.[0]
  const readEntries = createReader(entries)
  const condition = requiredValues.map(({ nullSql }) => `${nullSql} is not null`).join(' and ')
  const whole = createObjectSql(entries)
  const sql = condition === '' ? whole : `case when ${condition} then ${whole} end`
  return {
    sql,
    nullSql: sql,
    columns: entries.flatMap(([, { columns }]) => columns),
    read(row) {
      if (requiredValues.some(({ read }) => read(row) === null)) return null
      const shown = readEntries(row)
      if (optionalName !== undefined && shown[optionalName] === null) delete shown[optionalName]
      return shown
    },
  }
}

/** Creates the function that reads members of a row, in their order. */
export function createReader<Row>(members: ProjectedMembers<Row>): (row: Row) => Record<string, unknown> {
  const readNames = members.map((_, at) => `read${at}`)
  const entries = members.map(([name], at) => `${JSON.stringify(name)}: ${readNames[at]}(row)`)
  const create = compileFunction<(...reads: unknown[]) => (row: Row) => Record<string, unknown>>(
    readNames,
    `return (row) => ({ ${entries.join(', ')} })`,
  )
  return create(...members.map(([, { read }]) => read))
}

/**
 * Compiles a function from a text of ours, which never contains a caller's. One function that takes the names of members
 * as values is slow: V8 optimizes the access to a member by where it stands in the code, and that would be one place for
 * all names (a page of ten passports took 5 µs instead of 1).
 */
const compileFunction = <F>(parameters: readonly string[], body: string): F => new Function(...parameters, body) as F
