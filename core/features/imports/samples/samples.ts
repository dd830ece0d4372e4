import { isObject } from '../../../kernel/json/values.ts'
import type { Knex } from 'knex'
import { openSource } from '../formats/index.ts'
import type { Dialect, Source, SourceRow } from '../records/index.ts'
import type { SourceShape } from '../mapping/index.ts'
import { openPieces } from '../staging/index.ts'

/** A field that a mapper can take values from, and what its values look like. */
export interface FileField {
  /** CSV: name of the column. JSON: a JSONPath into one item. */
  id: string
  /** The name for people. */
  name: string
  example?: string
  /** The number of different values, and of missing values, in the rows of the sample. */
  distinct: number
  nulls: number
  /** A few different values. */
  examples: string[]
}

export interface FileSample {
  shape: SourceShape
  fields: readonly FileField[]
  /** The first rows. */
  rows: readonly SourceRow[]
}

/** The maximum number of rows in a sample. */
export const sampleSize = 1_000

/** The maximum number of fields, and the maximum length of an example. */
const maxFields = 1_000
const maxExampleLength = 80

/** Reads the fields of a staged file with examples, and its first rows. @throws InitError if the file cannot be read */
export async function readFileSample(
  db: Knex,
  { upload, dialect }: { upload: string; dialect: Dialect },
): Promise<FileSample> {
  return readSourceSample(await openSource(openPieces(db, upload), dialect, null))
}

/** Reads the fields of a source with examples, and its first rows. @throws InitError if the source cannot be read */
export async function readSourceSample(source: Source): Promise<FileSample> {
  let sampledRows: SourceRow[] = []
  for await (const batch of source.batches(sampleSize)) {
    sampledRows = batch.rows
    break
  }
  const values = sampledRows.filter(({ issue }) => issue === null).map(({ value }) => value)
  const fields = source.columns ? describeColumns(source.columns, values as string[][]) : describeMembers(values)
  return {
    shape: source.columns ? { format: 'csv', columns: source.columns } : { format: 'json' },
    fields,
    rows: sampledRows,
  }
}

function describeColumns(columns: readonly string[], rows: readonly (readonly string[])[]): FileField[] {
  return columns.slice(0, maxFields).map((name, at) =>
    describeField(
      name,
      name,
      rows.map((cells) => cells[at]),
    ),
  )
}

/** Describes the members of the items, and the members of an object inside an item. */
function describeMembers(items: readonly unknown[]): FileField[] {
  const valuesByPath = new Map<string, { name: string; values: unknown[] }>()
  const addValue = (path: string, name: string, value: unknown) => {
    const known = valuesByPath.get(path) ?? { name, values: [] }
    if (valuesByPath.size < maxFields) valuesByPath.set(path, known)
    known.values.push(value)
  }
  for (const item of items.filter(isObject)) {
    for (const [name, value] of Object.entries(item)) {
      if (!isObject(value)) addValue(`$${formatStep(name)}`, name, value)
      else
        for (const [inner, one] of Object.entries(value))
          addValue(`$${formatStep(name)}${formatStep(inner)}`, `${name}.${inner}`, one)
    }
  }
  return [...valuesByPath].map(([path, { name, values }]) =>
    describeField(path, name, [...values, ...Array.from({ length: items.length - values.length }, () => null)]),
  )
}

/** Formats the step of a JSONPath into a member. Source: RFC 9535, section 2.5.1. */
const formatStep = (name: string) =>
  /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`

function describeField(id: string, name: string, values: readonly unknown[]): FileField {
  const texts = values
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value ?? '')))
    .map((text) => (text === '""' ? '' : text))
  const different = [...new Set(texts.filter((text) => text.trim() !== ''))]
  const examples = different
    .slice(0, 3)
    .map((text) => (text.length > maxExampleLength ? `${text.slice(0, maxExampleLength - 1)}…` : text))
  const nulls = texts.filter((text) => text.trim() === '').length
  const [first] = different
  return {
    id,
    name,
    ...(first !== undefined && { example: first.slice(0, 1_000) }),
    distinct: different.length,
    nulls,
    examples,
  }
}
