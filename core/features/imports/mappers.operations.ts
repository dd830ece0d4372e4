import { listPage } from '../../database/list.ts'
import { operation, type Operation } from '../../kernel/operation.ts'
import { mapListed } from '../../kernel/page.ts'
import { list, object, optional, uuid } from '../../kernel/schema.ts'
import { AcceptedImport, ImportJob } from './imports.schema.ts'
import { MapperModel, mapperColumns, presentMapper } from './mappers.model.ts'
import { runMapper, runningMappers } from './mappers.run.ts'
import { Mapper, MapperList, MapperPatch, NewMapper, mapperList } from './mappers.schema.ts'
import { createMapper, deleteMapper, findMapper, updateMapper } from './mappers.ts'
import { preview } from './preview.ts'
import { Preview, PreviewRequest } from './preview.schema.ts'

const tag = 'Import mappers'

const listMappers = operation({
  id: 'list_import_mappers_v1', method: 'GET', path: '/v1/import/mappers', summary: 'List import mappers', tag,
  description: 'Mappers of all applications of the organization, the newest first.',
  access: 'dpp:read', mcp: 'list_import_mappers',
  list: mapperList, returns: { 200: MapperList },
}).readBy(async ({ caller, page, work }) => {
  const mappers = MapperModel.query(work.trx).modify('ofOrganization', caller.organization)
  return mapListed(await listPage(mappers, page, mapperColumns), (row) => presentMapper(work.context, row))
})

const createOne = operation({
  id: 'create_import_mapper_v1', method: 'POST', path: '/v1/import/mappers', summary: 'Create an import mapper', tag,
  description: 'Tells where columns or members of foreign files go.',
  access: 'dpp:create', mcp: 'create_import_mapper', invalidBody: 400,
  body: NewMapper, returns: { 201: Mapper }, problems: ['NOT_FOUND', 'IMPORT_MAPPER_DUPLICATE_NAME'],
  location: ({ id }: Mapper) => `/v1/import/mappers/${id}`,
}).handledBy(async ({ body, caller, work }) => presentMapper(work.context, await createMapper(work, caller, body)))

const listRunning = operation({
  id: 'list_running_import_mappers_v1', method: 'GET', path: '/v1/import/mappers/running', tag,
  summary: 'List mappers that are importing',
  description: 'Each import that goes on through a mapper, newest first: fetches and files that were sent.',
  access: 'dpp:read', mcp: 'list_running_import_mappers',
  query: { application: optional(uuid('Only those of this application.')) },
  returns: {
    200: list(object({ mapper: Mapper, job: ImportJob }, {
      title: 'RunningImportMapper', description: 'A mapper and an import that goes on with it.',
    }), 'Imports that go on.'),
  },
}).readBy(({ query, work }) => runningMappers(work, query.application))

const previewOne = operation({
  id: 'preview_import_mapper_v1', method: 'POST', path: '/v1/import/mappers/preview', tag,
  summary: 'Try an import mapper',
  description: 'Shows the passports that a mapper would make of at most 20 rows, and what is wrong with them. '
    + 'Nothing is stored.',
  access: 'dpp:read', mcp: 'preview_import_mapper', invalidBody: 400,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  body: PreviewRequest, returns: { 200: Preview }, problems: ['NOT_FOUND'],
}).performedBy(({ body, caller, work }) => preview(work, caller, body))

const getOne = operation({
  id: 'get_import_mapper_v1', method: 'GET', path: '/v1/import/mappers/:id', summary: 'Read an import mapper', tag,
  description: 'With its rows, and its schedule where it fetches from an address. Values of headers are never answered.',
  access: 'dpp:read', mcp: 'get_import_mapper', etag: true,
  returns: { 200: Mapper },
}).readBy(async ({ params, work }) => presentMapper(work.context, await findMapper(work, params.id)))

const updateOne = operation({
  id: 'update_import_mapper_v1', method: 'PATCH', path: '/v1/import/mappers/:id', tag,
  summary: 'Change an import mapper',
  description: '`rows` replaces the whole list. An import that goes on keeps its rows.',
  access: 'dpp:update', mcp: 'update_import_mapper', etag: true, invalidBody: 400,
  body: MapperPatch, returns: { 200: Mapper }, problems: ['IMPORT_MAPPER_DUPLICATE_NAME'],
}).handledBy(async ({ body, params, work, precondition }) =>
  presentMapper(work.context, await updateMapper(work, params.id, body, precondition)))

const deleteOne = operation({
  id: 'delete_import_mapper_v1', method: 'DELETE', path: '/v1/import/mappers/:id', tag,
  summary: 'Delete an import mapper',
  description: 'Its schedule goes with it; what was imported stays.',
  access: 'dpp:delete', mcp: 'delete_import_mapper', confirm: true, etag: true,
  returns: { 200: Mapper },
}).handledBy(async ({ params, work, precondition }) =>
  presentMapper(work.context, await deleteMapper(work, params.id, precondition)))

const runOne = operation({
  id: 'run_import_mapper_v1', method: 'POST', path: '/v1/import/mappers/:id/run', summary: 'Fetch and import now', tag,
  description: 'Fetches the address of a mapper of type url and imports what it gives. Rows whose passport '
    + 'is there are skipped unless the mapper says `onDuplicate`; an unchanged source (ETag) ends with no row.',
  access: 'dpp:update', starts: 'import', mcp: 'run_import_mapper', hints: { destructiveHint: true, openWorldHint: true },
  returns: { 202: AcceptedImport }, problems: ['IMPORT_MAPPER_NOT_URL', 'IMPORT_RUN_IN_PROGRESS'],
}).handledBy(({ params, work }) => runMapper(work, params.id))

/** What has a name of its own in the path comes before the one mapper, whose path would match it too. */
export const mapperOperations: Operation[] = [
  listMappers, createOne, listRunning, previewOne, getOne, updateOne, deleteOne, runOne,
]
