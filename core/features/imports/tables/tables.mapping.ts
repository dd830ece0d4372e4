import type { RecordSink } from '../../../kernel/ports/record-sink.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import { createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { suggestCorrespondences } from '../drafts/index.ts'
import { assertMappingValid } from '../intake/index.ts'
import type { MapperRow } from '../records/index.ts'
import { type Correspondence, isFilled, toMapperRow } from '../suggest/index.ts'
import type { Table } from './tables.read.ts'
import type { TableRequest } from './tables.schema.ts'

/** The mapping of a table. */
export interface TableMapping {
  /** The rows of the mapper; null if the rows of the table are records already. */
  rows: readonly MapperRow[] | null
  /** What was suggested for it; empty if the caller sent the mapping. */
  suggested: readonly Correspondence[]
}

/**
 * Returns the caller's mapping, or else a suggested one, of which the rows of low confidence are left out. Items of JSON
 * with no other members than those of a record are records already.
 * @throws VALIDATION_FAILED, IMPORT_MAPPER_REQUIRED for a table with columns whose mapping is empty, NOT_FOUND
 */
export async function chooseMapping(
  work: Work,
  table: Table,
  { application, entityName, mapping }: TableRequest,
  signal: AbortSignal,
): Promise<TableMapping> {
  const sink = getRecordSink(entityName)
  if (mapping) {
    assertMappingValid(mapping, table.format, sink)
    if (mapping.length > 0) return { rows: mapping, suggested: [] }
    if (table.format !== 'csv') return { rows: null, suggested: [] }
    throw createProblem('IMPORT_MAPPER_REQUIRED', 'A table with columns needs a mapping that is not empty.', {
      path: 'mapping',
    })
  }
  if (hasRecordsOnly(table, sink)) return { rows: null, suggested: [] }
  const suggested = await suggestCorrespondences(work, { application, entityName: sink.entity, sample: table }, signal)
  return { rows: suggested.filter(isFilled).map(toMapperRow), suggested }
}

const hasRecordsOnly = ({ format, rows }: Table, { members }: RecordSink): boolean =>
  format !== 'csv'
  && rows.every(({ value, issue }) =>
    issue !== null || typeof value !== 'object' || value === null
      ? true
      : Object.keys(value).every((name) => members.includes(name)),
  )
