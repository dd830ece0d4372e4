import type { RecordTarget, RowIssue } from '../../../kernel/ports/record-sink.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import type { Context } from '../../../kernel/work.ts'
import { compileMapper, mapRows, type TriedRow, tryRows } from '../mapping/index.ts'
import { maxPreviewRows } from '../mappers/index.ts'
import type { MapperRow } from '../records/index.ts'
import { type FileSample, readFileSample } from '../samples/index.ts'
import { type Fix, findFixes, getFaultKey } from '../suggest/index.ts'
import type { Draft } from './drafts.ts'

/** A row of a file as it would be imported. */
export interface PreviewRow {
  line: number
  /** The body of the record, even if it is invalid; null if the row cannot be read. */
  record: unknown
  errors: readonly RowIssue[]
  /** Changes of the mapping with which its errors would go. */
  fixes: readonly Fix[]
}

/** What the first rows of a draft would make. */
export interface DraftPreview {
  /** The number of rows that were tried, and of those that would fail. */
  checked: number
  failed: number
  /** Some of them: the first ones, and the first of those that would fail. */
  rows: PreviewRow[]
}

/**
 * Previews what the first rows of a draft would make, validated as an import validates them. Nothing is stored.
 * @param rows the rows of the mapper; null if the rows of the file are records already
 * @throws InitError if the mapper names columns that are missing, or the file cannot be read
 */
export async function previewDraft(
  context: Context,
  organization: string,
  draft: Draft & { application: string },
  rows: readonly MapperRow[] | null,
): Promise<DraftPreview> {
  const sample = await readFileSample(context.db, draft)
  const sink = getRecordSink(draft.entityName)
  const network = await sink.findDefaultNetwork(context, organization)
  const target: RecordTarget = { organization, application: draft.application, network }
  const mapper = rows && compileMapper(rows, sample.shape, sink)
  const tried = await tryRows(context, sample.rows, { sink, target, mapper })
  const places = chooseShown(tried)
  const fixes =
    rows && draft.entityName === undefined
      ? await findDraftFixes(context, draft, { rows, sample, tried, target })
      : new Map<string, Fix[]>()
  const shown = places.flatMap((place) => sample.rows[place] ?? [])
  const made = [...mapRows({ rows: shown }, mapper)]
  return {
    checked: tried.length,
    failed: tried.filter(({ errors }) => errors.length > 0).length,
    rows: places.map((place, at) => {
      const { line, errors } = tried[place] as TriedRow
      return {
        line,
        record: made[at]?.body ?? null,
        errors,
        fixes: errors.flatMap((error) => fixes.get(getFaultKey(error)) ?? []),
      }
    }),
  }
}

/** The most rows that are shown because they would fail. */
const maxFailingRows = 50

/** Chooses the rows that are shown: the first ones, and the first of those that would fail. */
function chooseShown(tried: readonly TriedRow[]): number[] {
  const first = tried.slice(0, maxPreviewRows).map((_, place) => place)
  const failing = tried.flatMap(({ errors }, place) => (errors.length > 0 ? [place] : [])).slice(0, maxFailingRows)
  return [...new Set([...first, ...failing])].sort((a, b) => a - b)
}

interface TriedDraft {
  rows: readonly MapperRow[]
  sample: FileSample
  tried: readonly TriedRow[]
  target: RecordTarget
}

function findDraftFixes(
  context: Context,
  { entityName }: Draft,
  { rows, sample, tried, target }: TriedDraft,
): Promise<Map<string, Fix[]>> {
  const fields = sample.fields.map(({ id, example }) => ({ id, ...(example !== undefined && { example }) }))
  return findFixes(context, { sink: getRecordSink(entityName), target, rows, fields, sample, tried })
}
