import { dryRunQuery, orDryRun } from '../../../kernel/dry-run.ts'
import { recordPermissions } from '../../../kernel/ports/record-sinks.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { list, object, optional, uuid } from '../../../kernel/schema.ts'
import { applicationEntity } from '../../applications/index.ts'
import {
  AcceptedImport,
  ImportJob,
  importJobResult,
  Mapper,
  MapperList,
  mapperList,
  MapperPatch,
  NewMapper,
} from '../records/index.ts'
import { mapperEntity, presentMapper } from './mappers.model.ts'
import { runMapper, listRunningMappers } from './mappers.run.ts'
import { createMapper, deleteMapper, listMappers, previewMapperDeletion, readMapper, updateMapper } from './mappers.ts'
import { previewMapper } from './preview.ts'
import { Preview, PreviewRequest } from './preview.schema.ts'

const tag = 'Import mappers'

const listMappersOperation = declareOperation({
  id: 'list_import_mappers_v1',
  method: 'GET',
  path: '/v1/import/mappers',
  access: { rule: recordPermissions.read },
  scope: { list: 'application.id' },
  list: mapperList,
  returns: { 200: MapperList },
  document: {
    tag,
    summary: 'List import mappers',
    description: 'Mappers of all applications of the organization, the newest first.',
    mcpName: 'list_import_mappers',
  },
}).withReadHandler(({ caller, page, work }) => listMappers(work, caller, page))

const createMapperOperation = declareOperation({
  id: 'create_import_mapper_v1',
  method: 'POST',
  path: '/v1/import/mappers',
  access: { rule: recordPermissions.create },
  scope: { body: { application: applicationEntity } },
  body: NewMapper,
  returns: { 201: Mapper },
  problemCodes: ['NOT_FOUND', 'IMPORT_MAPPER_DUPLICATE_NAME'],
  transport: { location: ({ id }: Mapper) => `/v1/import/mappers/${id}`, invalidBodyStatus: 400 },
  document: {
    tag,
    summary: 'Create an import mapper',
    description: 'Says where columns of foreign files go.',
    mcpName: 'create_import_mapper',
  },
}).withTransactionHandler(async ({ body, caller, work }) =>
  presentMapper(work.context, await createMapper(work, caller, body)),
)

const listRunningOperation = declareOperation({
  id: 'list_running_import_mappers_v1',
  method: 'GET',
  path: '/v1/import/mappers/running',
  access: { rule: recordPermissions.read },
  scope: { query: 'application' },
  query: { application: optional(uuid('Only those of this application.')) },
  returns: {
    200: list(
      object(
        { mapper: Mapper, job: ImportJob },
        {
          title: 'RunningImportMapper',
          description: 'A mapper and an import that goes on with it.',
        },
      ),
      'Imports that go on.',
    ),
  },
  problemCodes: ['NOT_FOUND'],
  document: {
    tag,
    summary: 'List mappers that are importing',
    description: 'Each import that goes on through a mapper, newest first: fetches and files that were sent.',
    mcpName: 'list_running_import_mappers',
  },
}).withReadHandler(({ query, work }) => listRunningMappers(work, query.application))

const previewMapperOperation = declareOperation({
  id: 'preview_import_mapper_v1',
  method: 'POST',
  path: '/v1/import/mappers/preview',
  access: { rule: recordPermissions.read },
  scope: {
    body: { application: applicationEntity, 'mapper.application': applicationEntity, mapperId: mapperEntity },
  },
  body: PreviewRequest,
  returns: { 200: Preview },
  problemCodes: ['NOT_FOUND'],
  transport: { invalidBodyStatus: 400 },
  document: {
    tag,
    summary: 'Try an import mapper',
    description: 'At most 20 rows as records, with their faults. Stores nothing.',
    mcpName: 'preview_import_mapper',
    mcpHints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
}).withOutboundHandler(({ body, caller, work }) => previewMapper(work, caller, body))

const getMapperOperation = declareOperation({
  id: 'get_import_mapper_v1',
  method: 'GET',
  path: '/v1/import/mappers/:id',
  access: { rule: recordPermissions.read },
  scope: { params: { id: mapperEntity } },
  returns: { 200: Mapper },
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Read an import mapper',
    description:
      'With its rows, and its schedule where it fetches from an address. Values of headers are never answered.',
    mcpName: 'get_import_mapper',
  },
}).withReadHandler(({ params, work }) => readMapper(work, params.id))

const updateMapperOperation = declareOperation({
  id: 'update_import_mapper_v1',
  method: 'PATCH',
  path: '/v1/import/mappers/:id',
  access: { rule: recordPermissions.update },
  scope: { params: { id: mapperEntity } },
  body: MapperPatch,
  returns: { 200: Mapper },
  problemCodes: ['IMPORT_MAPPER_DUPLICATE_NAME'],
  transport: { hasEtag: true, invalidBodyStatus: 400 },
  document: {
    tag,
    summary: 'Change an import mapper',
    description: '`rows` replaces the whole list. Running imports keep theirs.',
    mcpName: 'update_import_mapper',
  },
}).withTransactionHandler(async ({ body, params, work, precondition }) =>
  presentMapper(work.context, await updateMapper(work, params.id, body, precondition)),
)

const deleteMapperOperation = declareOperation({
  id: 'delete_import_mapper_v1',
  method: 'DELETE',
  path: '/v1/import/mappers/:id',
  access: { rule: recordPermissions.delete },
  scope: { params: { id: mapperEntity } },
  query: dryRunQuery,
  returns: { 200: orDryRun(Mapper) },
  transport: { hasEtag: true },
  execution: { hasDryRun: true },
  document: {
    tag,
    summary: 'Delete an import mapper',
    description: 'Its schedule goes too; what was imported stays.',
    mcpName: 'delete_import_mapper',
    needsConfirmation: true,
  },
}).withTransactionHandler(async ({ params, query, work, precondition }) =>
  query.dryRun
    ? previewMapperDeletion(work, params.id, precondition)
    : presentMapper(work.context, await deleteMapper(work, params.id, precondition)),
)

const runMapperOperation = declareOperation({
  id: 'run_import_mapper_v1',
  method: 'POST',
  path: '/v1/import/mappers/:id/run',
  access: { rule: recordPermissions.update },
  scope: { params: { id: mapperEntity } },
  returns: { 202: AcceptedImport },
  problemCodes: ['IMPORT_MAPPER_NOT_URL', 'IMPORT_RUN_IN_PROGRESS'],
  execution: { startsJobType: 'import' },
  document: {
    tag,
    summary: 'Fetch and import now',
    description:
      'For type url. Skips rows whose record exists, unless `onDuplicate` says otherwise; an unchanged source gives no row.',
    mcpName: 'run_import_mapper',
    jobResult: importJobResult,
    mcpHints: { destructiveHint: true, openWorldHint: true },
  },
}).withTransactionHandler(({ params, work }) => runMapper(work, params.id))

/**
 * The operations of mappers. Those with a fixed path come before the one that reads a mapper, whose path would match it
 * too.
 */
export const mapperOperations: Operation[] = [
  listMappersOperation,
  createMapperOperation,
  listRunningOperation,
  previewMapperOperation,
  getMapperOperation,
  updateMapperOperation,
  deleteMapperOperation,
  runMapperOperation,
]
