import { createProblem, createValidationProblem, type Issue } from '../../../kernel/problem.ts'
import { list, object, oneOf, optional, record, string, type Static } from '../../../kernel/schema.ts'
import type { UploadedFile, UploadedObject } from '../../../kernel/upload.ts'
import { hasColumns } from '../formats/index.ts'
import { type RecordShape, validateMapperRows } from '../mapping/index.ts'
import { MapperRow, maxMapperRows } from '../records/index.ts'
import { detectTextFormat, type Format } from '../staging/index.ts'

/** The media type of a file as text inside a JSON object, which is how assistants send one. */
export const textUploadType = 'application/vnd.tessera.import+json'

/** The maximum size in bytes of a file that is sent as text. */
export const maxTextBytes = 1024 * 1024

const textFormats = ['csv', 'ndjson', 'json'] as const

export const items = list(record('A new record, or what the mapper reads.'), 'Rows, instead of `text`.')

/** The members of a text and of its mapping. Tools that have the same ones are shown with a reference to the first. */
export const textMembers = {
  text: string('The file as text, at most 1 MiB.'),
  format: optional(oneOf(textFormats, 'Format of `text`; detected by default.')),
  mapping: optional(
    list(MapperRow, 'Rows as import_table answers them, corrected; [] if the rows are records.', {
      maxItems: maxMapperRows,
      'x-mcp-short': true,
    }),
  ),
}

export const TextUpload = object(
  {
    ...textMembers,
    text: optional(textMembers.text),
    items: optional(items),
  },
  {
    title: 'ImportText',
    description: 'A file as text, or its items. Exactly one of `text` and `items`.',
    examples: [
      {
        text: 'sku,title\nBAG-0001,Weekend bag\n',
        format: 'csv',
        mapping: [{ destination: 'product.name', kind: 'field', source: 'title' }],
      },
    ],
  },
)
type TextUpload = Static<typeof TextUpload>

/** A file that was sent as text. */
export interface TextFile {
  file: UploadedFile
  /** The mapper whose rows came along; null if none did. */
  mapper: { id: null; format: 'csv' | 'json'; rows: readonly MapperRow[] } | null
  /** Digest of the whole body, because the same text with another mapping is another request. */
  digest: Buffer
}

/** Asserts that a text is not larger than an import takes as text. @throws IMPORT_TOO_LARGE */
export function assertTextSize(text: string): void {
  if (Buffer.byteLength(text) <= maxTextBytes) return
  throw createProblem(
    'IMPORT_TOO_LARGE',
    `The text has more than ${maxTextBytes} bytes. Send it in parts, or as a file to POST /v1/imports.`,
    { path: 'text' },
  )
}

/** Validates the rows of a mapper that came with a file. @throws VALIDATION_FAILED */
export function assertMappingValid(mapping: readonly MapperRow[], format: Format, records: RecordShape): void {
  const issues = validateMapperRows(mapping, hasColumns(format) ? 'csv' : 'json', records)
  if (issues.length === 0) return
  throw createValidationProblem(
    issues.slice(0, 100).map((issue) => ({ ...issue, path: issue.path.replace(/^rows\b/, 'mapping') })),
  )
}

const mediaTypes = { csv: 'text/csv', ndjson: 'application/x-ndjson', json: 'application/json' } as const

/** Opens a text as the file that it is, in UTF-8. */
export const openTextFile = (text: string, format: Exclude<Format, 'xlsx'>): UploadedFile => ({
  type: mediaTypes[format],
  charset: 'utf-8',
  name: null,
  bytes: (async function* () {
    yield Buffer.from(text)
  })(),
})

/** Opens the file of a body that is a JSON object. @throws IMPORT_TOO_LARGE, VALIDATION_FAILED */
export function openTextUpload(
  { value, digest }: UploadedObject,
  { mapperId, records }: { mapperId: string | undefined; records: RecordShape },
): TextFile {
  const { text, items: rows, mapping, format: declared } = value as TextUpload
  const issues = listMemberIssues(value as TextUpload, mapperId)
  if (issues.length > 0) throw createValidationProblem(issues)
  if (text !== undefined) assertTextSize(text)
  const format = rows ? 'json' : (declared ?? detectTextFormat(text ?? ''))
  const file = openTextFile(text ?? JSON.stringify(rows), format)
  if (!mapping || mapping.length === 0) return { file, mapper: null, digest }
  assertMappingValid(mapping, format, records)
  return { file, mapper: { id: null, format: hasColumns(format) ? 'csv' : 'json', rows: mapping }, digest }
}

function listMemberIssues({ text, items: rows, mapping, format }: TextUpload, mapperId: string | undefined): Issue[] {
  const issue = (path: string, message: string, code = 'not_allowed'): Issue => ({ path, code, message })
  return [
    ...(text === undefined && !rows ? [issue('text', 'or items is required', 'required')] : []),
    ...(text !== undefined && rows ? [issue('items', 'cannot be sent with text')] : []),
    ...(rows && format !== undefined && format !== 'json'
      ? [issue('format', 'must be json where items are sent')]
      : []),
    ...(mapping && mapperId !== undefined ? [issue('mapping', 'cannot be sent with mapperId')] : []),
  ]
}
