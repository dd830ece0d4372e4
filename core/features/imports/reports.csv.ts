import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { ReportedError } from './reports.ts'

const columns = ['line', 'path', 'code', 'message', 'value']

/**
 * An error report as CSV with a header. A cell that a spreadsheet would take for a formula begins with an apostrophe:
 * values come out of files that anybody may have written. Source: RFC 4180; OWASP, CSV Injection.
 * @param batches errors in their order
 */
export function errorsAsCsv(batches: AsyncIterable<ReportedError[]>): Readable {
  const written = (rows: ReportedError[], header: boolean) =>
    stringify(rows, { header, columns, escape_formulas: true, record_delimiter: 'windows' })
  return Readable.from((async function* () {
    yield written([], true)
    for await (const batch of batches) yield written(batch, false)
  })(), { objectMode: false })
}
