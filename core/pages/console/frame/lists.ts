import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import { answerStream, type Answer } from '../../../kernel/answer.ts'
import {
  readAllPages,
  type FilterNode,
  type FilterOperator,
  type PageRequest,
  type PageResult,
  type Sorter,
} from '../../../kernel/page.ts'
import { createValidationProblem } from '../../../kernel/problem.ts'
import { optional, string } from '../../../kernel/schema.ts'

/** The number of rows that a page of a list shows. */
const rowsPerPage = 25

/** What the forms above lists send for a field that was left empty. */
export type QueryText = string | undefined
export const isGiven = (text: QueryText): text is string => text !== undefined && text !== ''

/** A query parameter of a form above a list. An empty text means that the field was left empty. */
export const textField = (description: string, options: Record<string, unknown> = {}) =>
  optional(string(description, { maxLength: 200, ...options }))

const uuidPattern = '^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$'
export const uuidField = (description: string) => textField(description, { pattern: uuidPattern })

export const dayField = (description: string) => textField(description, { pattern: '^(\\d{4}-\\d\\d-\\d\\d)?$' })

/** Returns the first instant of a day, in UTC. @throws VALIDATION_FAILED for a day that no calendar has */
export function parseDay(day: QueryText, path: string): string | undefined {
  if (!isGiven(day)) return undefined
  const date = new Date(`${day}T00:00:00Z`)
  if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)) return date.toISOString()
  throw createValidationProblem([{ path, code: 'format', message: 'must be a day, as 2026-03-01' }])
}

export const cursorField = textField('Where the page begins, as the page before says.', { maxLength: 1_000 })

/** Creates the condition of a field that was filled in, as a list of one or none. */
export const createFilter = (field: string, operator: FilterOperator, value: QueryText): FilterNode[] =>
  isGiven(value) ? [{ field, operator, value, path: field }] : []

/** Creates the request for a page of rows that match all filters. */
export const createPageRequest = (
  filters: readonly FilterNode[],
  { sorter, cursor }: { sorter?: Sorter; cursor?: string | undefined } = {},
): PageRequest => ({
  currentPage: 1,
  pageSize: rowsPerPage,
  isPageExplicit: false,
  cursor: isGiven(cursor) ? cursor : null,
  filters: { operator: 'and', value: filters },
  sorters: sorter ? [sorter] : [],
})

/** The number of rows that a file reads at a time. */
const rowsPerBatch = 100

/** Reads all rows of a list that match the filters, for its file. */
export const readPages = <T>(
  sorter: Sorter,
  list: (request: PageRequest) => Promise<PageResult<T>>,
  filters: readonly FilterNode[] = [],
): AsyncGenerator<T[]> => readAllPages({ ...createPageRequest(filters, { sorter }), pageSize: rowsPerBatch }, list)

/** Formats the address of a page with those of the fields that are filled in. */
export function formatAddress(path: string, fields: Readonly<Record<string, QueryText>>): string {
  const search = new URLSearchParams(
    Object.entries(fields).filter((field): field is [string, string] => isGiven(field[1])),
  ).toString()
  return search === '' ? path : `${path}?${search}`
}

type CsvCell = string | number | bigint | null

/** The name of a column of a CSV file, and what a row has there. */
export type CsvColumns<T> = readonly (readonly [name: string, read: (row: T) => CsvCell])[]

/** Characters at the beginning of a cell from which spreadsheets conclude that it is a formula. */
const formulaPattern = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** A text that a spreadsheet would take for a formula gets an apostrophe before it; a number below zero is a number. */
const formatCell = (cell: CsvCell): string => {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell)
  return formulaPattern.test(cell) ? `'${cell}` : cell
}

/**
 * Answers rows as a CSV file with a header, batch by batch. No cell is a formula, because people write their own names.
 * Source: RFC 4180; OWASP, CSV Injection.
 */
export function answerCsv<T>(
  fileName: string,
  columns: CsvColumns<T>,
  batches: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
  headers: Record<string, string> = {},
): Answer {
  const formatRows = (rows: readonly (readonly CsvCell[])[]) =>
    stringify(
      rows.map((row) => row.map(formatCell)),
      { record_delimiter: 'windows' },
    )
  async function* formatFile() {
    yield formatRows([columns.map(([name]) => name)])
    for await (const rows of batches) yield formatRows(rows.map((row) => columns.map(([, read]) => read(row))))
  }
  return answerStream(Readable.from(formatFile(), { objectMode: false }), 'text/csv; charset=utf-8; header=present', {
    'Content-Disposition': `attachment; filename="${fileName}.csv"`,
    'Cache-Control': 'no-store',
    ...headers,
  })
}
