import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { ImportWarning } from '../records/index.ts'
import type { ReportedIssue } from './reports.ts'

const columns = ['line', 'path', 'code', 'message', 'value', 'severity', 'count']

/**
 * Formats a report as CSV with a header: first the warnings, which belong to the file and have no line, then the
 * errors. A cell that a spreadsheet would take for a formula begins with an apostrophe, because values come from files
 * that anybody may have written. Source: RFC 4180; OWASP, CSV Injection.
 * @param batches the errors in their order
 */
export function formatReportCsv(warnings: readonly ImportWarning[], batches: AsyncIterable<ReportedIssue[]>): Readable {
  const formatRows = (severity: 'warning' | 'error', rows: readonly object[], header = false) =>
    stringify(
      rows.map((row) => ({ severity, ...row })),
      { header, columns, escape_formulas: true, record_delimiter: 'windows' },
    )
  return Readable.from(
    (async function* () {
      yield formatRows('warning', warnings, true)
      for await (const batch of batches) yield formatRows('error', batch)
    })(),
    { objectMode: false },
  )
}
