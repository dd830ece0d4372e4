import { InitError, type RowError } from './imports.types.ts'
import type { MapperRow } from './mappers.schema.ts'
import { findColumns } from './mapping.columns.ts'
import { readerOf, type Reader } from './mapping.jsonpath.ts'
import type { Container } from './mapping.paths.ts'
import { readRows, type ReadRow } from './mapping.rows.ts'
import { makerOf } from './mapping.values.ts'
import { mostMade, mostRead, sizeOf, tooMuch } from './mapping.size.ts'
import { applyAll } from './transforms.ts'
import { Fault } from './transforms.types.ts'

/** What the rows of a mapper are applied to. CSV: the names in the header, as `Source.columns` has them. */
export type SourceShape = { format: 'csv'; columns: readonly string[] } | { format: 'json' }

export interface MappedRow { body: Record<string, unknown>; errors: RowError[] }

/** @param value CSV: the cells in the order of the header. JSON: one item. Never throws. */
export type RowMapper = (value: unknown) => MappedRow

/** Characters of a value that an error shows. */
const shownLength = 200
/** Values that fail before the others of a row are left out. */
const mostFailed = 50

/**
 * Rows of a mapper made ready for a source; nothing is parsed any more when values go through. A row whose value is
 * blank, null or not there leaves its destination out; a list closes up where places of it stay empty. One value may
 * go to many places: a row ends with `too_large` where it makes or reads more than a passport holds, and after 50 faults.
 * @throws InitError IMPORT_COLUMNS_MISSING, IMPORT_COLUMN_TWICE, IMPORT_MAPPER_INVALID for rows that no mapper can have
 */
export function compileMapper(rows: readonly MapperRow[], shape: SourceShape): RowMapper {
  const { rows: read, containers, wrong: [wrong] } = readRows(rows)
  if (wrong) throw new InitError('IMPORT_MAPPER_INVALID', `The mapper cannot be used: ${wrong.path} ${wrong.message}.`)
  const readers = shape.format === 'csv' ? findColumns(read, shape.columns).readers : jsonReaders(read)
  const work: Work = { left: 0 }
  const steps = read.map((row) => stepOf(row, readers, work))
  const body = builderOf(containers)
  return (value) => {
    body.begin()
    const errors: RowError[] = []
    if (shape.format === 'json' && !isObject(value)) {
      errors.push({ path: '', code: 'type', message: 'is not an object', value: shown(value) })
      return { body: body.end(), errors }
    }
    let left = mostMade
    work.left = mostRead
    for (const { row, make } of steps) {
      const made = make(value)
      if (made instanceof Failed && (errors.push(made.error) >= mostFailed || work.left < 0)) break
      if (made === undefined || made instanceof Failed) continue
      left -= sizeOf(made, left)
      if (left < 0) {
        errors.push(new Failed(row.destination, tooMuch, undefined).error)
        break
      }
      body.put(row.container, row.key, made)
    }
    return { body: body.end(), errors }
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

function jsonReaders(rows: readonly ReadRow[]): Map<string, Reader> {
  return new Map(rows.flatMap(({ sources }) => sources).map((source) => {
    const reader = readerOf(source)
    if (typeof reader === 'string') throw new InitError('IMPORT_MAPPER_INVALID', `The source ${source} ${reader}.`)
    return [source, reader]
  }))
}

class Failed {
  readonly error: RowError
  constructor(path: string, { code, message }: Fault, value: unknown) {
    this.error = { path, code, message, value: value === undefined ? null : shown(value) }
  }
}

const missing = new Fault('required', 'is required')

/** What the rows of a mapper may still read of one item. */
interface Work { left: number }

/** The value of a row's destination, undefined where it has none, or why it failed. */
function stepOf(row: ReadRow, readers: ReadonlyMap<string, Reader>, work: Work) {
  const { destination, required, transforms, making, sources } = row
  const sourceReaders = sources.map((name) => readers.get(name) ?? (() => undefined))
  const [first = () => undefined] = sourceReaders
  const source = makerOf(making, sourceReaders)
  const make = (value: unknown): unknown => {
    const found = source(value)
    if (found instanceof Fault) {
      return new Failed(destination, found, making.kind === 'lookup' ? first(value) : undefined)
    }
    work.left -= sizeOf(found, work.left) * (1 + transforms.length)
    if (work.left < 0) return new Failed(destination, tooMuch, undefined)
    const made = applyAll(transforms, found)
    if (made instanceof Fault) return new Failed(destination, made, found)
    return made === undefined && required ? new Failed(destination, missing, undefined) : made
  }
  return { row, make }
}

/** A value as an error shows it. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : jsonOf(value)
  return text.slice(0, shownLength).replaceAll('\0', '').toWellFormed()
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // Nests deeper than the stack.
    return Array.isArray(value) ? '[…]' : '{…}'
  }
}

/** Builds one body after the other; objects and lists come to be when the first value is put into them. */
function builderOf(containers: readonly Container[]) {
  const lists = containers.flatMap(({ list }, at) => (list ? [at] : []))
  const live = new Array<Record<string | number, unknown> | undefined>(containers.length).fill(undefined)
  const opened = (at: number): Record<string | number, unknown> => {
    const known = live[at]
    if (known) return known
    const { parent, key, list } = containers[at] as Container
    const made = (list ? [] : {}) as Record<string | number, unknown>
    opened(parent)[key] = made
    return live[at] = made
  }
  return {
    begin: () => {
      live.fill(undefined)
      live[0] = {}
    },
    put: (container: number, key: string | number, value: unknown) => {
      opened(container)[key] = value
    },
    end: (): Record<string, unknown> => {
      for (const at of lists) if (live[at]) closeUp(live[at] as unknown as unknown[])
      return live[0] as Record<string, unknown>
    },
  }
}

function closeUp(list: unknown[]): void {
  let next = 0
  for (let at = 0; at < list.length; at += 1) if (at in list) list[next++] = list[at]
  list.length = next
}
