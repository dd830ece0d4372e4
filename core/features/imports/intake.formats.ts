import { problem } from '../../kernel/problem.ts'
import type { UploadedFile } from '../../kernel/upload.ts'
import { workbookType, type Format } from './staging.detect.ts'

/** Source: RFC 8259, section 11; RFC 7111; the NDJSON specification. */
const byType: Record<string, Format> = {
  'application/json': 'json', 'text/json': 'json',
  'application/x-ndjson': 'ndjson', 'application/ndjson': 'ndjson', 'application/jsonl': 'ndjson',
  [workbookType]: 'xlsx',
  'text/csv': 'csv', 'application/csv': 'csv', 'text/tab-separated-values': 'csv',
}
const byEnding: Record<string, Format> = {
  json: 'json', ndjson: 'ndjson', jsonl: 'ndjson', csv: 'csv', tsv: 'csv', tab: 'csv', txt: 'csv', xlsx: 'xlsx', xlsm: 'xlsx',
}
const workbooks = ['xlsb', 'xls', 'ods', 'numbers']

/**
 * What a file was sent as: its type says it, or the end of its name where the type says nothing, as browsers send what
 * they do not know, or CSV as a workbook. @throws UNSUPPORTED_MEDIA_TYPE
 */
export function declaredFormat({ type, name }: Pick<UploadedFile, 'type' | 'name'>): Format {
  const ending = /\.(\w+)$/.exec(name ?? '')?.[1]?.toLowerCase() ?? ''
  const format = byType[type ?? ''] ?? (Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined)
  if (format) return format
  const what = name === null ? 'The first part of the form is no file' : 'The file in the form is neither CSV, JSON nor an Excel workbook'
  const advice = workbooks.includes(ending) ? ' Save the workbook as .xlsx or CSV, and send that.' : ''
  throw problem('UNSUPPORTED_MEDIA_TYPE', `${what}, by its type and by the end of its name.${advice}`)
}

/** A name of a file as it can be kept and shown. */
export const shownName = (name: string): string => name.replaceAll(/\p{Cc}/gu, '').toWellFormed().slice(0, 255)
