import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { ImportWarning } from './imports.types.ts'
import type { ReportedError } from './reports.ts'

const columns = ['line', 'path', 'code', 'message', 'value', 'severity', 'count']

/**
 * A report as CSV with a header: first the warnings, which are of the file and so of no line, then the errors. A cell
 * that a spreadsheet would take for a formula begins with an apostrophe: values come out of files that anybody may have
 * written. Source: RFC 4180; OWASP, CSV Injection.
 * @param batches errors in their order
 */
export function reportAsCsv(warnings: readonly ImportWarning[], batches: AsyncIterable<ReportedError[]>): Readable {
  const written = (severity: 'warning' | 'error', rows: readonly object[], header = false) =>
    stringify(rows.map((row) => ({ severity, ...row })), { header, columns, escape_formulas: true, record_delimiter: 'windows' })
  return Readable.from((async function* () {
    yield written('warning', warnings, true)
    for await (const batch of batches) yield written('error', batch)
  })(), { objectMode: false })
}
