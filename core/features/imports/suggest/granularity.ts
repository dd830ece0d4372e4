import type { RecordSink } from '../../../kernel/ports/record-sink.ts'
import { Columns, type SuggestionSample } from './columns.ts'
import { matchByNames } from './names.ts'
import { findGranularity, type Granularity } from './suggest.numbers.ts'
import { findFilled } from './suggest.rows.ts'
import type { SourceField } from './suggestions.schema.ts'

/**
 * Finds what a row of a file is, by names and values alone: the answer has to be there before anybody waits for a model.
 * @returns null if a column says it of each row
 */
export function detectGranularity(
  fields: readonly SourceField[],
  sample: SuggestionSample,
  sink: RecordSink,
): Granularity | null {
  const columns = new Columns(fields, sample)
  const rows = matchByNames(columns.fields, sink)
  return findFilled(rows, 'product.idGranularity') ? null : findGranularity(rows, columns)[0]
}
