import { createProblem, createValidationProblem } from '../../../kernel/problem.ts'
import type { RecordSink, RowIssue } from '../../../kernel/ports/record-sink.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import type { Context } from '../../../kernel/work.ts'
import { collectFileNotes } from '../intake/index.ts'
import { compileMapper, mapRows, type TriedRow, tryRows } from '../mapping/index.ts'
import { type FileNotes, InitError, type MapperRow } from '../records/index.ts'
import type { Correspondence } from '../suggest/index.ts'
import type { TableMapping } from './tables.mapping.ts'
import type { Table } from './tables.read.ts'
import { maxShown, type TablePreview, type Unclear } from './tables.schema.ts'

interface PreviewOptions {
  organization: string
  application: string
  network: string | null
  sink: RecordSink
}

/** What a table would make, and what else is known of it. */
export interface PreviewedTable {
  preview: TablePreview
  notes: FileNotes
}

/**
 * Previews the first rows of a table, which are validated as an import validates rows, except that nobody looks for
 * records that are there already, and collects what is unclear. Nothing is stored.
 * @throws IMPORT_COLUMNS_MISSING if the mapping needs columns that the table lacks; VALIDATION_FAILED if it cannot be
 * used for another reason, for example because two columns have the name that it reads
 */
export async function previewTable(
  context: Context,
  table: Table,
  { rows: mapping, suggested }: TableMapping,
  options: PreviewOptions,
): Promise<PreviewedTable> {
  const { sink } = options
  const { mapper, notes } = prepareMapping(table, mapping, sink)
  const { issues, records } = await checkRows(context, table, mapper, options)
  const failed = issues.filter(({ errors }) => errors.length > 0)
  const unusedColumns = table.shape.format === 'csv' ? notes.unusedColumns : listUnusedFields(table, mapping)
  return {
    preview: {
      mapping: [...(mapping ?? [])],
      preview: {
        rows: table.total,
        checked: issues.length,
        failed: failed.length,
        ...(sink === getRecordSink() ? { passports: records } : { passports: [], records }),
        errors: failed
          .flatMap(({ line, errors }) => errors.map((error) => ({ line, ...error })))
          .slice(0, maxShown.errors),
      },
      unclear: [
        ...suggested.flatMap(askAboutSuggestion),
        ...askAboutFailures(
          issues.map(({ errors }) => errors),
          { unusedColumns, sink },
        ),
      ].slice(0, maxShown.unclear),
      unusedColumns,
      warnings: notes.warnings,
    },
    notes: { ...notes, unusedColumns: table.shape.format === 'csv' ? unusedColumns : [] },
  }
}

interface CheckedRows {
  issues: TriedRow[]
  /** The first rows without an error. */
  records: Record<string, unknown>[]
}

async function checkRows(
  context: Context,
  { rows }: Table,
  mapper: ReturnType<typeof compileMapper> | null,
  options: PreviewOptions,
): Promise<CheckedRows> {
  const records: Record<string, unknown>[] = []
  const issues = await tryRows(context, rows, { sink: options.sink, target: options, mapper }, (batch, tried) => {
    const good = batch.filter((_, place) => tried[place]?.errors.length === 0)
    const shown = good.slice(0, maxShown.passports - records.length)
    for (const { body } of mapRows({ rows: shown }, mapper)) records.push(body as Record<string, unknown>)
  })
  return { issues, records }
}

function prepareMapping({ shape, dialect }: Table, mapping: readonly MapperRow[] | null, sink: RecordSink) {
  try {
    const columns = shape.format === 'csv' ? [...shape.columns] : null
    return {
      mapper: mapping && compileMapper(mapping, shape, sink),
      notes: collectFileNotes(dialect, { columns }, mapping, sink),
    }
  } catch (cause) {
    if (!(cause instanceof InitError)) throw cause
    const { code, message } = cause
    if (code === 'IMPORT_COLUMNS_MISSING') throw createProblem(code, message, { path: 'mapping' })
    throw createValidationProblem([
      { path: 'mapping', code: code.toLowerCase(), message: `cannot be used: ${message}` },
    ])
  }
}

/** Lists the members of items that no row of the mapping reads. */
function listUnusedFields({ fields }: Table, mapping: readonly MapperRow[] | null): string[] {
  if (!mapping) return []
  const read = new Set(mapping.flatMap(({ source }) => source ?? []))
  return fields.filter(({ id }) => !read.has(id)).map(({ id }) => id)
}

/** Asks about a correspondence that a person should look at; the one of low confidence was not applied. */
function askAboutSuggestion({ source, destination, confidence, evidence }: Correspondence): Unclear[] {
  if (confidence === 'high') return []
  const question = confidence === 'low' ? `Not applied. ${evidence}` : evidence
  return [{ ...(source !== null && { column: source }), destination, question, candidates: [destination] }]
}

/** Asks about each path for which every checked row fails, because then the mapping is to blame and not a row. */
function askAboutFailures(
  rows: readonly (readonly RowIssue[])[],
  { unusedColumns, sink }: { unusedColumns: readonly string[]; sink: RecordSink },
): Unclear[] {
  const counts = new Map<string, { count: number; issue: RowIssue }>()
  for (const errors of rows) {
    for (const [path, issue] of new Map(errors.map((error) => [error.path, error]))) {
      counts.set(path, { count: (counts.get(path)?.count ?? 0) + 1, issue })
    }
  }
  return [...counts]
    .filter(([, { count }]) => count === rows.length)
    .map(([path, { issue }]) => ({
      destination: path,
      question: `Every row fails: ${describePath(path, sink)} ${issue.message}.`,
      candidates: issue.code === 'required' ? unusedColumns.slice(0, maxShown.candidates) : [],
    }))
}

const describePath = (path: string, { destinations }: RecordSink) => {
  const label = destinations.find((one) => one.path === path)?.label
  return label === undefined ? path : `${path} (${label})`
}
