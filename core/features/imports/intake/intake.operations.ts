import { networkNames } from '../../../chains/networks.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { Type, boolean, list, object, oneOf, optional, record, string, uuid } from '../../../kernel/schema.ts'
import { readApplication } from '../../applications/index.ts'
import { AcceptedImport, delimiterPattern, duplicatePolicies, entityNames, recordSink } from '../records/index.ts'
import { findImportView } from './imports.view.ts'
import { startImport } from './intake.ts'
import { maxFileBytes, workbookType } from '../staging/index.ts'
import { receiveFile } from './intake.receive.ts'

const query = {
  entityName: oneOf(entityNames, 'What is imported.'),
  application: uuid('Application of the passports; a row may name no other.'),
  mapperId: optional(uuid('Mapper of it that rows go through; CSV needs one.')),
  network: optional(
    oneOf(
      networkNames,
      'Network of passports that name none; BaseMainnet where it can be used, else the ' + "application's.",
    ),
  ),
  dryRun: optional(boolean('Whether all is done but the writing.')),
  onDuplicate: optional(
    oneOf(duplicatePolicies, 'A row whose passport is there: skipped unless stated; update needs ' + 'dpp:update too.'),
  ),
  atomic: optional(boolean('Whether all rows are stored or none; at most 100,000.')),
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

const items = list(record('What creates a passport, or what the mapper reads.'), 'The rows of the import.')
const text = (description: string) => Type.String({ description })

const createImportOperation = declareOperation({
  id: 'create_import_v1',
  method: 'POST',
  path: '/v1/imports',
  access: 'dpp:create',
  query,
  upload: {
    'application/json': items,
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
    summary: 'Import passports from a file',
    description:
      'Takes JSON, NDJSON, CSV or an Excel workbook of at most 256 MB unpacked, and answers before its rows are looked at. Each row '
      + 'is judged like a creation; a bad one fails alone and stands in the report. `warnings` tells what to look at.',
    mcpName: 'create_import',
    // With onDuplicate=update the operation changes existing passports.
    mcpHints: { destructiveHint: true },
  },
}).withUploadHandler(
  ({ context, work, caller, query: requestQuery, upload }) =>
    receiveFile({ context, work, caller, query: requestQuery, upload }),
  async ({ caller: { organization }, query: importQuery, received: { file, mapper, notes }, work }) => {
    const { id: application } = await readApplication(work, importQuery.application, { lock: 'forKeyShare' })
    const {
      network = recordSink.findDefaultNetwork(work.context),
      onDuplicate = 'skip',
      dryRun = false,
      atomic = false,
    } = importQuery
    const id = await startImport(work, {
      organization,
      application,
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
