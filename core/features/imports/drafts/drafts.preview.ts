import type { ImportRow, RecordSink, RowIssue } from '../../../kernel/ports/record-sink.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import type { Context } from '../../../kernel/work.ts'
import { compileMapper, mapRows } from '../mapping/index.ts'
import type { MapperRow } from '../records/index.ts'
import { maxPreviewRows } from '../mappers/index.ts'
import type { Draft } from './drafts.ts'
import { readFileSample, type FileSample } from './sample.ts'

/** A row of a file as it would be imported. */
export interface PreviewRow {
  line: number
  /** The body of the record, even if it is invalid; null if the row cannot be read. */
  record: unknown
  errors: readonly RowIssue[]
}

/**
 * Previews what the first rows of a draft would make, validated as an import validates them. Nothing is stored.
 * @param options the maximum number of rows, and the rows of the mapper; null if the rows of the file are records already
 * @throws InitError if the mapper names columns that are missing, or the file cannot be read
 */
export async function previewDraft(
  context: Context,
  organization: string,
  draft: Draft & { application: string },
  { rows, count = maxPreviewRows }: { rows: readonly MapperRow[] | null; count?: number },
): Promise<PreviewRow[]> {
  const sample = await readFileSample(context.db, draft, count)
  const sink = getRecordSink(draft.entityName)
  const made = mapSample(sample, rows, sink)
  const network = await sink.findDefaultNetwork(context, organization)
  const options = { organization, application: draft.application, network }
  const prepared = await sink.validate(context, options, made)
  return made.map(({ line, body }, at) => ({ line, record: body, errors: prepared[at]?.errors ?? [] }))
}

const mapSample = (
  { rows: found, shape }: FileSample,
  rows: readonly MapperRow[] | null,
  sink: RecordSink,
): ImportRow[] => [...mapRows({ rows: found }, rows && compileMapper(rows, shape, sink))]
