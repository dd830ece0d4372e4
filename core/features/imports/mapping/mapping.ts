import { isObject } from '../../../kernel/json/values.ts'
import type { RowIssue } from '../../../kernel/ports/record-sink.ts'
import { InitError, type MapperRow } from '../records/index.ts'
import { findColumns } from './mapping.columns.ts'
import { compileJsonPath, type ValueReader } from './mapping.jsonpath.ts'
import type { Container, RecordShape } from './mapping.paths.ts'
import { parseMapperRows, type ParsedMapperRow } from './mapping.rows.ts'
import { createValueReader } from './mapping.values.ts'
import { maxBodySize, maxReadSize, measureSize, tooLargeIssue } from './mapping.size.ts'
import { applyTransforms, ValueIssue } from '../transforms/index.ts'

/** What the rows of a mapper are applied to. CSV: `columns` has the names in the header, as `Source.columns` does. */
export type SourceShape = { format: 'csv'; columns: readonly string[] } | { format: 'json' }

export interface MappedRow {
  body: Record<string, unknown>
  errors: RowIssue[]
}

/**
 * A function that maps one row; it never throws.
 * @param value CSV: the cells in the order of the header. JSON: one item
 */
export type RowMapper = (value: unknown) => MappedRow

/** The maximum length of a value that an error shows. */
const maxShownLength = 200
/** The number of failed values after which the other values of a row are left out. */
const maxFailedValues = 50

/**
 * Compiles the rows of a mapper for a source, so that nothing is parsed while values go through. A mapper row whose
 * value is blank, null or missing leaves its destination out; a list is closed up if places in it stay empty. A constant
 * beside values of the file, as the unit beside a weight, is left out with them, except for members of the product. One value
 * may go to many places: mapping a row ends with the issue `too_large` if it makes or reads more than a record holds,
 * and after 50 failed values.
 * @throws InitError IMPORT_COLUMNS_MISSING, IMPORT_COLUMN_TWICE; IMPORT_MAPPER_INVALID if the rows of the mapper are
 * invalid
 */
export function compileMapper(rows: readonly MapperRow[], shape: SourceShape, records: RecordShape): RowMapper {
  const {
    rows: parsedRows,
    containers,
    issues: [wrong],
  } = parseMapperRows(rows, records)
  if (wrong) throw new InitError('IMPORT_MAPPER_INVALID', `The mapper cannot be used: ${wrong.path} ${wrong.message}.`)
  const readers =
    shape.format === 'csv' ? findColumns(parsedRows, shape.columns, records).readers : createJsonReaders(parsedRows)
  const readBudget: ReadBudget = { left: 0 }
  const steps = parsedRows.map((row) => createStep(row, readers, readBudget))
  const bodyBuilder = createBodyBuilder(containers, listCompanions(parsedRows, containers))
  return (value) => {
    bodyBuilder.begin()
    const errors: RowIssue[] = []
    if (shape.format === 'json' && !isObject(value)) {
      errors.push({ path: '', code: 'type', message: 'is not an object', value: formatValue(value) })
      return { body: bodyBuilder.end(), errors }
    }
    let left = maxBodySize
    readBudget.left = maxReadSize
    for (const { row, make } of steps) {
      const made = make(value)
      if (made instanceof FailedValue && (errors.push(made.error) >= maxFailedValues || readBudget.left < 0)) break
      if (made === undefined || made instanceof FailedValue) continue
      left -= measureSize(made, left)
      if (left < 0) {
        errors.push(new FailedValue(row.destination, tooLargeIssue, undefined).error)
        break
      }
      bodyBuilder.put(row.container, row.key, made, row.making.kind === 'constant')
    }
    return { body: bodyBuilder.end(), errors }
  }
}

function createJsonReaders(rows: readonly ParsedMapperRow[]): Map<string, ValueReader> {
  return new Map(
    rows
      .flatMap(({ sources }) => sources)
      .map((source) => {
        const reader = compileJsonPath(source)
        if (typeof reader === 'string') throw new InitError('IMPORT_MAPPER_INVALID', `The source ${source} ${reader}.`)
        return [source, reader]
      }),
  )
}

class FailedValue {
  readonly error: RowIssue
  constructor(path: string, { code, message }: ValueIssue, value: unknown) {
    this.error = { path, code, message, value: value === undefined ? null : formatValue(value) }
  }
}

const missingIssue = new ValueIssue('required', 'is required')

/** The size that the rows of a mapper may still read from one item. */
interface ReadBudget {
  left: number
}

/** Creates the step of one mapper row; `make` returns the value, undefined if there is none, or a `FailedValue`. */
function createStep(row: ParsedMapperRow, readers: ReadonlyMap<string, ValueReader>, budget: ReadBudget) {
  const { destination, required, transforms, making, sources } = row
  const sourceReaders = sources.map((name) => readers.get(name) ?? (() => undefined))
  const [first = () => undefined] = sourceReaders
  const source = createValueReader(making, sourceReaders)
  const make = (value: unknown): unknown => {
    const sourceValue = source(value)
    if (sourceValue instanceof ValueIssue) {
      return new FailedValue(destination, sourceValue, making.kind === 'lookup' ? first(value) : undefined)
    }
    budget.left -= measureSize(sourceValue, budget.left) * (1 + transforms.length)
    if (budget.left < 0) return new FailedValue(destination, tooLargeIssue, undefined)
    const made = applyTransforms(transforms, sourceValue)
    if (made instanceof ValueIssue) return new FailedValue(destination, made, sourceValue)
    return made === undefined && required ? new FailedValue(destination, missingIssue, undefined) : made
  }
  return { row, make }
}

/** Formats a value for an error. */
function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : toJson(value)
  return text.slice(0, maxShownLength).replaceAll('\0', '').toWellFormed()
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // The value is nested deeper than the stack allows.
    return Array.isArray(value) ? '[…]' : '{…}'
  }
}

/**
 * Lists the containers in which constants stand beside what comes from the file, as the unit beside a weight. Such
 * constants say something about the value beside them, and not about every row. Members of the body itself are no such
 * containers.
 */
function listCompanions(rows: readonly ParsedMapperRow[], containers: readonly Container[]): number[] {
  const isNested = (at: number) => at !== 0 && containers[at]?.parent !== 0
  const kinds = (at: number) => rows.filter(({ container }) => container === at).map(({ making }) => making.kind)
  return containers.flatMap((_, at) => {
    if (!isNested(at)) return []
    const found = kinds(at)
    return found.includes('constant') && found.some((kind) => kind !== 'constant') ? [at] : []
  })
}

/**
 * Creates a builder that builds one body after the other; it creates an object or a list when the first value is put
 * into it.
 */
function createBodyBuilder(containers: readonly Container[], companions: readonly number[]) {
  // Whether a value of the file stands in each of the companions.
  const filled = new Set<number>()
  const lists = containers.flatMap(({ list }, at) => (list ? [at] : []))
  const containerValues = new Array<Record<string | number, unknown> | undefined>(containers.length).fill(undefined)
  const openContainer = (at: number): Record<string | number, unknown> => {
    const known = containerValues[at]
    if (known) return known
    const { parent, key, list } = containers[at] as Container
    const made = (list ? [] : {}) as Record<string | number, unknown>
    openContainer(parent)[key] = made
    return (containerValues[at] = made)
  }
  /** Removes a container, and those above it that are left with nothing. */
  const removeContainer = (at: number): void => {
    const { parent, key } = containers[at] as Container
    const owner = containerValues[parent]
    if (!owner) return
    delete owner[key]
    containerValues[at] = undefined
    if (parent !== 0 && Object.keys(owner).length === 0) removeContainer(parent)
  }
  return {
    begin: () => {
      containerValues.fill(undefined)
      containerValues[0] = {}
      filled.clear()
    },
    put: (container: number, key: string | number, value: unknown, isConstant: boolean) => {
      openContainer(container)[key] = value
      if (!isConstant && companions.length > 0) filled.add(container)
    },
    end: (): Record<string, unknown> => {
      for (const at of companions) if (containerValues[at] && !filled.has(at)) removeContainer(at)
      for (const at of lists) if (containerValues[at]) removeGaps(containerValues[at] as unknown as unknown[])
      return containerValues[0] as Record<string, unknown>
    },
  }
}

function removeGaps(list: unknown[]): void {
  let next = 0
  for (let at = 0; at < list.length; at += 1) if (at in list) list[next++] = list[at]
  list.length = next
}
