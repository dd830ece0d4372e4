import { getRecordSink, recordPermissions } from '../../../kernel/ports/record-sinks.ts'
import { entityNames } from '../../../kernel/words.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { Type, boolean, object, oneOfWords, optional, string, uuid } from '../../../kernel/schema.ts'
import { readApplication } from '../../applications/index.ts'
import { AcceptedImport, delimiterPattern, duplicatePolicy, importJobResult, importNetwork } from '../records/index.ts'
import { findImportView } from './imports.view.ts'
import { startImport } from './intake.ts'
import { maxFileBytes, workbookType } from '../staging/index.ts'
import { receiveFile } from './intake.receive.ts'
import { items, TextUpload, textUploadType } from './intake.text.ts'

const query = {
  entityName: oneOfWords(entityNames, 'What the rows are.'),
  application: uuid('Application of the records.'),
  mapperId: optional(uuid('CSV needs one, or `mapping` instead.')),
  network: optional(importNetwork),
  dryRun: optional(boolean('Only tell what it would do.')),
  onDuplicate: optional(duplicatePolicy),
  atomic: optional(boolean('All rows or none; at most 100,000.')),
  encoding: optional(
    string(
      'CSV: label of its encoding (WHATWG), as utf-8, windows-1252 or shift_jis; else the charset of the content type, '
        + 'else found out.',
      { maxLength: 40, 'x-mcp-omit': true },
    ),
  ),
  sheet: optional(
    string('Excel: name of the sheet; the first one unless stated.', { maxLength: 200, 'x-mcp-omit': true }),
  ),
  delimiter: optional(
    string('CSV: the character between cells, or tab; found out unless stated.', {
      pattern: delimiterPattern,
      'x-mcp-omit': true,
    }),
  ),
}

const text = (description: string) => Type.String({ description })

const createImportOperation = declareOperation({
  id: 'create_import_v1',
  method: 'POST',
  path: '/v1/imports',
  access: { rule: recordPermissions.create },
  // A mapper has to be one of this application, for every caller.
  scope: { query: 'application' },
  query,
  upload: {
    'application/json': items,
    [textUploadType]: TextUpload,
    'application/x-ndjson': text('A JSON object a line.'),
    'text/csv': text('A header, then a row a line; comma, semicolon or tab; UTF-8, UTF-16 or Windows-1252.'),
    [workbookType]: Type.String({
      contentEncoding: 'binary',
      description: 'An Excel workbook of at most 32 MB, of which one sheet is read like CSV.',
    }),
    'multipart/form-data': object(
      { file: string('The one file, as JSON, NDJSON, CSV or Excel workbook.', { contentEncoding: 'binary' }) },
      {
        description: 'A form with one file, whose own type or name tells what it is.',
      },
    ),
  },
  returns: { 202: AcceptedImport },
  problemCodes: [
    'IMPORT_BODY_MISSING',
    'IMPORT_MAPPER_REQUIRED',
    'IMPORT_MAPPER_FORMAT_MISMATCH',
    'IMPORT_ROW_CAP_EXCEEDED',
    'INVALID_JSON',
    'IMPORT_ENCODING_INVALID',
    'IMPORT_COLUMNS_MISSING',
    'NOT_FOUND',
    'VALIDATION_FAILED',
  ],
  transport: { maxBodyBytes: maxFileBytes, tooLargeCode: 'IMPORT_TOO_LARGE' },
  execution: { startsJobType: 'import' },
  document: {
    tag: 'Imports',
    summary: 'Import records from a file',
    description:
      'At most 256 MB unpacked. After the answer each row is judged like a creation; a bad one fails alone, in the '
      + 'report.',
    mcpName: 'create_import',
    jobResult: importJobResult,
    // With onDuplicate=update the operation changes existing passports.
    mcpHints: { destructiveHint: true },
  },
}).withUploadHandler(
  ({ context, work, caller, query: requestQuery, upload }) =>
    receiveFile({ context, work, caller, query: requestQuery, upload }),
  async ({ caller: { organization }, query: importQuery, received: { file, mapper, notes }, work }) => {
    const { id: application } = await readApplication(work, importQuery.application, { lock: 'forKeyShare' })
    const {
      network = await getRecordSink(importQuery.entityName).findDefaultNetwork(work.context, organization),
      onDuplicate = 'skip',
      dryRun = false,
      atomic = false,
    } = importQuery
    const id = await startImport(work, {
      organization,
      application,
      entityName: importQuery.entityName,
      source: 'upload',
      isMapperRun: false,
      mapper,
      network,
      onDuplicate,
      dryRun,
      atomic,
      file,
      notes,
    })
    return { ...(await findImportView(work.trx, id, organization)), jobId: id }
  },
)

export const intakeOperations: Operation[] = [createImportOperation]
