import type { RecordSink, RecordTarget, RowIssue } from '../../../kernel/ports/record-sink.ts'
import type { Context } from '../../../kernel/work.ts'
import type { SourceRow } from '../records/index.ts'
import { mapRows } from './imports.rows.ts'
import type { RowMapper } from './mapping.ts'

/** The number of rows that are in memory as records at a time: a mapping can make each row far larger than its line. */
const batchSize = 100

/** What is wrong with a row, if anything is. */
export interface TriedRow {
  line: number
  errors: readonly RowIssue[]
}

interface TrialOptions {
  sink: RecordSink
  target: RecordTarget
  /** The rows of the mapper; null if the rows are records already. */
  mapper: RowMapper | null
}

/**
 * Tries rows: they are mapped and validated as an import does it, except that nobody looks for records that are there
 * already. Nothing is stored.
 * @param onBatch called with the rows of each batch before the next one is mapped
 */
export async function tryRows(
  context: Context,
  rows: readonly SourceRow[],
  { sink, target, mapper }: TrialOptions,
  onBatch: (rows: readonly SourceRow[], tried: readonly TriedRow[]) => void = () => undefined,
): Promise<TriedRow[]> {
  const all: TriedRow[] = []
  for (let at = 0; at < rows.length; at += batchSize) {
    const batch = rows.slice(at, at + batchSize)
    const validated = await sink.validate(context, target, mapRows({ rows: batch }, mapper))
    const tried = validated.map(({ line, errors }) => ({ line, errors }))
    all.push(...tried)
    onBatch(batch, tried)
  }
  return all
}
