import { answerJson } from '../../../kernel/answer.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { RecordSink } from '../../../kernel/ports/record-sink.ts'
import { getRecordSink, recordPermissions } from '../../../kernel/ports/record-sinks.ts'
import { declareOperation, type Operation, type OutboundHandlerInput } from '../../../kernel/operation.ts'
import type { Context } from '../../../kernel/work.ts'
import { applicationEntity, readApplication } from '../../applications/index.ts'
import {
  assertImportNetwork,
  findImportView,
  openTextFile,
  rethrowAsProblem,
  runWithinUploadLimits,
  stageFile,
  startImport,
} from '../intake/index.ts'
import {
  AcceptedImport,
  authorizeRecords,
  authorizeUpdate,
  type FileNotes,
  importJobResult,
  type MapperRow,
} from '../records/index.ts'
import { previewTable } from './tables.preview.ts'
import { chooseMapping } from './tables.mapping.ts'
import { readTable, type Table } from './tables.read.ts'
import { TablePreview, TableRequest } from './tables.schema.ts'

const importTableOperation = declareOperation({
  id: 'import_table_v1',
  method: 'POST',
  path: '/v1/imports/table',
  access: { rule: recordPermissions.create },
  scope: { body: { application: applicationEntity } },
  body: TableRequest,
  returns: { 200: TablePreview, 202: AcceptedImport },
  problemCodes: [
    'IMPORT_BODY_MISSING',
    'IMPORT_MAPPER_REQUIRED',
    'IMPORT_COLUMNS_MISSING',
    'IMPORT_ROW_CAP_EXCEEDED',
    'NOT_FOUND',
  ],
  // The text has at most 1 MiB; the rest is how JSON writes its characters, and the mapping.
  transport: { maxBodyBytes: 8 * 1024 * 1024, tooLargeCode: 'IMPORT_TOO_LARGE' },
  execution: { startsJobType: 'import' },
  document: {
    tag: 'Imports',
    summary: 'Import records from a table',
    description:
      'Without `mapping` it suggests one, and imports if nothing is unclear; else it stores nothing and answers mapping, '
      + 'preview and what is unclear. Call again with the corrected mapping.',
    mcpName: 'import_table',
    jobResult: importJobResult,
    // It may change passports with onDuplicate=update, and asks a model where one is configured.
    mcpHints: { destructiveHint: true, openWorldHint: true },
  },
}).withOutboundHandler(async ({ body, caller, context, work, request, finish }) => {
  const { onDuplicate = 'skip' } = body
  const sink = getRecordSink(body.entityName)
  authorizeRecords(caller, sink, 'create')
  if (onDuplicate === 'update') authorizeUpdate(caller, sink)
  const { id: application } = await readApplication(work, body.application)
  const { organization } = caller
  await assertImportNetwork(context, { organization, network: body.network, sink })
  const network = body.network ?? (await sink.findDefaultNetwork(context, organization))
  const table = await readTable(body)
  const mapping = await chooseMapping(work, table, body, request.signal)
  const { preview, notes } = await previewTable(context, table, mapping, {
    organization,
    application,
    network,
    sink,
  })
  const isUnclear = body.mapping === undefined && preview.unclear.length > 0
  if (body.dryRun === true || isUnclear) return preview
  return startTableImport({ body, caller, context, finish }, { table, sink, rows: mapping.rows, network, notes })
})

interface StartOptions {
  table: Table
  sink: RecordSink
  rows: readonly MapperRow[] | null
  network: string | null
  notes: FileNotes
}

/** Stages the text like a file that was sent, and starts its import. @throws RATE_LIMITED, IMPORT_ROW_CAP_EXCEEDED */
async function startTableImport(
  {
    body,
    caller,
    context,
    finish,
  }: Pick<OutboundHandlerInput, 'finish'> & { body: TableRequest; caller: OrganizationCaller; context: Context },
  { table: { format }, sink, rows, network, notes }: StartOptions,
) {
  const { organization } = caller
  const { onDuplicate = 'skip' } = body
  const { staged, discard } = await runWithinUploadLimits(context.db, caller, () =>
    stageFile(context, openTextFile(body.text, format), { organization, format, encoding: 'utf-8' }).catch(
      rethrowAsProblem,
    ),
  )
  try {
    return await finish(async (inside) => {
      const { id: application } = await readApplication(inside, body.application, { lock: 'forKeyShare' })
      const jobId = await startImport(inside, {
        organization,
        application,
        entityName: sink.entity,
        source: 'upload',
        isMapperRun: false,
        mapper: rows && { id: null, rows },
        network,
        onDuplicate,
        dryRun: false,
        file: { ...staged, fileName: null },
        notes,
      })
      return answerJson({ ...(await findImportView(inside.trx, jobId, organization)), jobId }, undefined, 202)
    })
  } catch (cause) {
    await discard()
    throw cause
  }
}

export const tableOperations: Operation[] = [importTableOperation]
