import type { ImportRow, RowIssue } from '../../../kernel/ports/record-sink.ts'
import type { Context } from '../../../kernel/work.ts'
import { compileMapper, mapRows } from '../mapping/index.ts'
import { type MapperRow, recordSink } from '../records/index.ts'
import { maxPreviewRows } from '../mappers/index.ts'
import type { Draft } from './drafts.ts'
import { readFileSample, type FileSample } from './sample.ts'

/** A row of a file as it would be imported. */
export interface PreviewRow {
  line: number
  /** The body of the passport, even if it is invalid; null if the row cannot be read. */
  passport: unknown
  errors: readonly RowIssue[]
}

/**
 * Previews what the first rows of a draft would make, validated as an import validates them. Nothing is stored.
 * @param rows the rows of the mapper; null if the rows of the file are passports already
 * @throws InitError if the mapper names columns that are missing, or the file cannot be read
 */
export async function previewDraft(
  context: Context,
  organization: string,
  draft: Draft & { application: string },
  rows: readonly MapperRow[] | null,
): Promise<PreviewRow[]> {
  const sample = await readFileSample(context.db, draft, maxPreviewRows)
  const made = mapSample(sample, rows)
  const options = { organization, application: draft.application, network: recordSink.findDefaultNetwork(context) }
  const prepared = await recordSink.validate(context, options, made)
  return made.map(({ line, body }, at) => ({ line, passport: body, errors: prepared[at]?.errors ?? [] }))
}

const mapSample = ({ rows: found, shape }: FileSample, rows: readonly MapperRow[] | null): ImportRow[] => [
  ...mapRows({ rows: found }, rows && compileMapper(rows, shape)),
]
