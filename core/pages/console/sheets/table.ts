import { parse } from 'csv-parse/sync'
import type { FieldDefinition } from '../../../features/dpp/index.ts'
import { parseJson } from '../../../kernel/json/values.ts'
import { ProblemError, type Issue } from '../../../kernel/problem.ts'
import { getFieldLabel, listFieldNames } from '../frame/field-labels.ts'
import type { SheetWords } from './words.ts'

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  oui: true,
  vrai: true,
  1: true,
  false: false,
  no: false,
  non: false,
  faux: false,
  0: false,
}

/**
 * Parses what was written for a field. Text that is not of its type stays text, which the operation then refuses.
 * @returns undefined if nothing was written
 */
export function parseText({ type }: FieldDefinition, written: string): unknown {
  const text = type === 'text' ? written : written.trim()
  if (text.trim() === '') return undefined
  if (type === 'number') return /^[-+]?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : text
  if (type === 'boolean') return truths[text.toLowerCase()] ?? text
  if (type !== 'json' && type !== 'array' && type !== 'object') return text
  const value = parseJson(text)
  return value === undefined ? text : value
}

/** Formats a value as it is written into a form. */
export const formatText = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** What is wrong with a line of a table, or with the table. */
export interface TableFault {
  /** From 1; null for the table as a whole. */
  line: number | null
  text: string
  /** Whether the text is English whatever the page is. */
  isEnglish: boolean
}

/** A table as rows of values for a sheet. */
export interface PastedTable {
  /** The fields of the columns, in their order. */
  columns: readonly FieldDefinition[]
  rows: readonly Record<string, unknown>[]
  /** The line of each row, from 1. */
  lines: readonly number[]
  faults: readonly TableFault[]
}

interface TableRecord {
  cells: readonly string[]
  line: number
}

/** Returns the sign that parts the columns: the most frequent one of the first line. */
function detectDelimiter(text: string): string {
  const [first = ''] = text.trimStart().split(/\r\n|\r|\n/, 1)
  const count = (sign: string) => first.split(sign).length
  return ['\t', ';', ','].reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}

/** @returns null for a table that cannot be read. Source: RFC 4180, interpreted liberally */
function readRecords(text: string): TableRecord[] | null {
  try {
    const records = parse(text, {
      bom: true,
      delimiter: detectDelimiter(text),
      info: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    return records
      .map(({ record, info }) => ({ cells: record, line: info.lines }))
      .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  } catch {
    return null
  }
}

/** Finds the field that a heading names, by its key or its label in any language. */
const findField = (fields: readonly FieldDefinition[], heading: string): FieldDefinition | undefined => {
  const wanted = heading.trim().toLowerCase()
  return (
    fields.find(({ name }) => name === heading.trim())
    ?? fields.find((field) => listFieldNames(field).some((name) => name.toLowerCase() === wanted))
  )
}

const createFault = (text: string, line: number | null = null): TableFault => ({ line, text, isEnglish: false })

/**
 * Parses a pasted table. Its first line names the columns if one of its cells is the key or a label of a field;
 * otherwise the columns are in the order of the fields.
 */
export function parseTable(text: string, fields: readonly FieldDefinition[], phrases: SheetWords): PastedTable {
  const empty = { columns: [], rows: [], lines: [] }
  const records = readRecords(text)
  if (!records) return { ...empty, faults: [createFault(phrases.brokenTable)] }
  const [first] = records
  const hasHeader = first?.cells.some((cell) => findField(fields, cell)) ?? false
  const headings = hasHeader && first ? first.cells : null
  const faults = headings ? listHeadingFaults(headings, fields, phrases) : []
  if (faults.length > 0) return { ...empty, faults }
  const columns = headings ? headings.flatMap((heading) => findField(fields, heading) ?? []) : fields
  const body = headings ? records.slice(1) : records
  if (body.length === 0) return { ...empty, columns, faults: [createFault(phrases.mintEmpty)] }
  return {
    columns,
    rows: body.map(({ cells }) => toRow(cells, columns)),
    lines: body.map(({ line }) => line),
    faults: body
      .filter(({ cells }) => cells.slice(columns.length).some((cell) => cell.trim() !== ''))
      .map(({ line }) => createFault(phrases.tooManyCells, line)),
  }
}

function listHeadingFaults(
  headings: readonly string[],
  fields: readonly FieldDefinition[],
  phrases: SheetWords,
): TableFault[] {
  const seen = new Set<string>()
  return headings.flatMap((heading) => {
    const field = findField(fields, heading)
    if (!field) return [createFault(phrases.unknownColumn(heading.trim()), 1)]
    if (seen.has(field.name)) return [createFault(phrases.doubleColumn(heading.trim()), 1)]
    seen.add(field.name)
    return []
  })
}

const toRow = (cells: readonly string[], columns: readonly FieldDefinition[]): Record<string, unknown> =>
  Object.fromEntries(
    columns.flatMap((column, at) => {
      const value = parseText(column, cells[at] ?? '')
      return value === undefined ? [] : [[column.name, value] as const]
    }),
  )

/** Says what the operation refused, by the lines of the table. `issueWords`: what is wrong, by the code of an issue. */
export function toFaults(
  { errors = [], detail }: ProblemError,
  { columns, lines }: PastedTable,
  { issueWords, language }: { issueWords: Readonly<Record<string, string>>; language: string },
): TableFault[] {
  if (errors.length === 0) return [{ line: null, text: detail, isEnglish: true }]
  return errors.map(({ path, code, message }: Issue) => {
    const [, index, rest = ''] = /^\[(\d+)\]\.?(.*)$/.exec(path) ?? []
    const field = columns.find(({ name }) => name === rest)
    const name = field ? getFieldLabel(field, language) : rest
    const line = index === undefined ? null : (lines[Number(index)] ?? null)
    const words = issueWords[code]
    const subject = index === undefined ? path : name
    return { line, text: `${subject} ${words ?? message}`.trim(), isEnglish: words === undefined }
  })
}
