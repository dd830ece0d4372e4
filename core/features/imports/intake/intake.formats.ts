import { createProblem } from '../../../kernel/problem.ts'
import type { UploadedFile } from '../../../kernel/upload.ts'
import { type Format, workbookType } from '../staging/index.ts'

/** The formats by media type. Source: RFC 8259, section 11; RFC 7111; the NDJSON specification. */
const formatsByMediaType: Record<string, Format> = {
  'application/json': 'json',
  'text/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  [workbookType]: 'xlsx',
  'text/csv': 'csv',
  'application/csv': 'csv',
  'text/tab-separated-values': 'csv',
}
const formatsByExtension: Record<string, Format> = {
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
  tsv: 'csv',
  tab: 'csv',
  txt: 'csv',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
}
const unreadableWorkbookExtensions = ['xlsb', 'xls', 'ods', 'numbers']

/**
 * Returns the format that a file was sent as: by its type, or by the end of its name if the type says nothing, because
 * browsers send an unspecific type for what they do not know, or CSV with the type of a workbook.
 * @throws UNSUPPORTED_MEDIA_TYPE
 */
export function getDeclaredFormat({ type, name }: Pick<UploadedFile, 'type' | 'name'>): Format {
  const ending = /\.(\w+)$/.exec(name ?? '')?.[1]?.toLowerCase() ?? ''
  const format =
    formatsByMediaType[type ?? '']
    ?? (Object.hasOwn(formatsByExtension, ending) ? formatsByExtension[ending] : undefined)
  if (format) return format
  const what =
    name === null
      ? 'The first part of the form is no file'
      : 'The file in the form is neither CSV, JSON nor an Excel workbook'
  const advice = unreadableWorkbookExtensions.includes(ending)
    ? ' Save the workbook as .xlsx or CSV, and send that.'
    : ''
  throw createProblem('UNSUPPORTED_MEDIA_TYPE', `${what}, by its type and by the end of its name.${advice}`)
}

/** Returns the name of a file in a form that can be stored and shown. */
export const cleanFileName = (name: string): string =>
  name
    .replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
    .slice(0, 255)
