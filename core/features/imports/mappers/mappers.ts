import { isDeepStrictEqual } from 'node:util'
import { UniqueViolationError } from 'objection'
import { createModelSource, listPage } from '../../../database/list/index.ts'
import { newId } from '../../../database/model.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import type { Action } from '../../../kernel/permission.ts'
import { getCallerOrganization, type OrganizationCaller } from '../../../kernel/caller.ts'
import { createSingleDryRun, type DryRun, rehearse } from '../../../kernel/dry-run.ts'
import { mapPageResult, type PageRequest, type PageResult } from '../../../kernel/page.ts'
import { createNotFoundProblem, createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { mergeHeaders, openHeaders, sealHeaders } from './mappers.headers.ts'
import { mapperColumns, MapperModel, presentMapper } from './mappers.model.ts'
import { assertMapperValid, type MapperContent } from './mappers.rules.ts'
import {
  authorizeRecords,
  listReadableEntities,
  type Mapper,
  type MapperPatch,
  type NewMapper,
} from '../records/index.ts'
import { findNextRun } from './schedule.cron.ts'

/**
 * @throws AUTH_INSUFFICIENT_PERMISSIONS, VALIDATION_FAILED, IMPORT_MAPPER_DUPLICATE_NAME, NOT_FOUND if the organization has
 * no such application
 */
export async function createMapper(work: Work, caller: OrganizationCaller, body: NewMapper): Promise<MapperModel> {
  const { organization } = caller
  const sink = getRecordSink(body.entityName)
  authorizeRecords(caller, sink, 'create')
  const {
    url = null,
    schedule = null,
    headers = null,
    onDuplicate = null,
    encoding = null,
    delimiter = null,
    sheet = null,
    type,
    format,
    rows,
  } = body
  const content: MapperContent = { type, format, rows, url, schedule, headers, onDuplicate, encoding, delimiter, sheet }
  assertMapperValid(work.context, content, sink)
  const application = await readApplication(work, body.application, { lock: 'forKeyShare' })
  const id = newId()
  await awaitUniqueName(
    MapperModel.query(work.trx).insert({
      id,
      organization,
      application: application.id,
      name: body.name,
      entityName: sink.entity,
      type,
      format,
      url,
      schedule,
      rows,
      onDuplicate,
      encoding,
      delimiter,
      sheet,
      headers: sealHeaders(work.context, { id, organization }, headers),
      nextRunAt: getNextRunAt(work, schedule),
    }),
  )
  return MapperModel.query(work.trx).findById(id).throwIfNotFound()
}

/** Waits for a statement that may repeat the name of another mapper. @throws IMPORT_MAPPER_DUPLICATE_NAME */
async function awaitUniqueName(statement: PromiseLike<unknown>): Promise<void> {
  try {
    await statement
  } catch (cause) {
    if (!(cause instanceof UniqueViolationError) || cause.constraint !== 'import_mappers_name_unique') throw cause
    throw createProblem('IMPORT_MAPPER_DUPLICATE_NAME', 'The application already has a mapper of this name.', {
      path: 'name',
    })
  }
}

const getNextRunAt = ({ context }: Pick<Work, 'context'>, schedule: string | null): string | null =>
  schedule === null ? null : (findNextRun(schedule, context.clock.now())?.toISOString() ?? null)

/** Lists the mappers of the caller's organization, of the entities that the caller may read. */
export async function listMappers(
  { trx, context }: Work,
  caller: OrganizationCaller,
  page: PageRequest,
): Promise<PageResult<Mapper>> {
  const mappers = createModelSource(
    MapperModel.query(trx)
      .modify('ofOrganization', caller.organization)
      .whereIn('entity_name', listReadableEntities(caller)),
  )
  return mapPageResult(await listPage(mappers, page, mapperColumns), (row) => presentMapper(context, row))
}

/**
 * Reads a mapper of the caller's organization.
 * @throws NOT_FOUND, AUTH_INSUFFICIENT_PERMISSIONS
 */
export const readMapper = async (work: Work, id: string): Promise<Mapper> =>
  presentMapper(work.context, await findMapper(work, id, 'read'))

/**
 * Finds a mapper of the caller's organization for an action.
 * @throws NOT_FOUND if it is absent or belongs to another organization; AUTH_INSUFFICIENT_PERMISSIONS
 */
export async function findMapper(
  { trx, caller }: Pick<Work, 'trx' | 'caller'>,
  id: string,
  action: Action,
  lock?: 'forUpdate' | 'forShare',
): Promise<MapperModel> {
  const organization = getCallerOrganization(caller)
  if (organization === null) throw createNotFoundProblem()
  const query = MapperModel.query(trx).findById(id).modify('ofOrganization', organization)
  if (lock) void query[lock]()
  const mapper = await query
  if (!mapper) throw createNotFoundProblem()
  authorizeRecords(caller, getRecordSink(mapper.entityName), action)
  return mapper
}

/**
 * Applies a merge patch; the rows are replaced as a whole. If anything other than the name or the schedule changes, the
 * next fetch is imported whether the source has changed or not.
 * @throws VALIDATION_FAILED, NOT_FOUND, PRECONDITION_FAILED, IMPORT_MAPPER_DUPLICATE_NAME
 */
export async function updateMapper(
  work: Work,
  id: string,
  patch: MapperPatch,
  precondition: (shown: unknown) => void,
): Promise<MapperModel> {
  const { trx, context } = work
  const mapper = await findMapper(work, id, 'update', 'forUpdate')
  precondition(presentMapper(context, mapper))
  const { type, format, rows, url, schedule, onDuplicate, encoding, delimiter, sheet } = mapper
  const currentHeaders = openHeaders(context, mapper, mapper.headers)
  const before: MapperContent = {
    type,
    format,
    rows,
    url,
    schedule,
    headers: currentHeaders,
    onDuplicate,
    encoding,
    delimiter,
    sheet,
  }
  const { name = mapper.name, headers, ...changes } = patch
  const after: MapperContent = {
    ...before,
    ...changes,
    headers: headers === undefined ? currentHeaders : mergeHeaders(currentHeaders, headers),
  }
  if (name === mapper.name && isDeepStrictEqual(before, after)) return mapper
  assertMapperValid(context, after, getRecordSink(mapper.entityName))
  await awaitUniqueName(
    MapperModel.query(trx)
      .findById(id)
      .patch({
        name,
        type: after.type,
        format: after.format,
        rows: after.rows,
        url: after.url,
        schedule: after.schedule,
        onDuplicate: after.onDuplicate,
        encoding: after.encoding,
        delimiter: after.delimiter,
        sheet: after.sheet,
        ...(!isDeepStrictEqual(before.headers, after.headers) && {
          headers: sealHeaders(context, mapper, after.headers),
        }),
        ...(!isDeepStrictEqual(omitSchedule(before), omitSchedule(after)) && { etag: null }),
        ...(after.schedule !== schedule && { nextRunAt: getNextRunAt(work, after.schedule) }),
        // The start of this transaction would be wrong: the transaction that locked the mapper before may have begun
        // later.
        updatedAt: trx.raw('clock_timestamp()') as unknown as string,
      }),
  )
  return MapperModel.query(trx).findById(id).throwIfNotFound()
}

/** Returns the members that decide which records a fetch makes. */
const omitSchedule = ({ schedule: _when, ...fetchContent }: MapperContent) => fetchContent

/**
 * Deletes a mapper; an import that is still running keeps its rows.
 * @returns the mapper as it was.
 * @throws NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteMapper(
  work: Work,
  id: string,
  precondition: (shown: unknown) => void,
): Promise<MapperModel> {
  const mapper = await findMapper(work, id, 'delete', 'forUpdate')
  precondition(presentMapper(work.context, mapper))
  await MapperModel.query(work.trx).deleteById(id)
  return mapper
}

/**
 * Tells what deleting a mapper would do.
 * @throws as `deleteMapper`
 */
export async function previewMapperDeletion(
  work: Work,
  id: string,
  precondition: (shown: unknown) => void,
): Promise<DryRun> {
  const { name, schedule, headers } = await rehearse(work, (rehearsal) => deleteMapper(rehearsal, id, precondition))
  return createSingleDryRun({ id, name }, [
    ...(schedule === null ? [] : [`Its schedule (${schedule}) goes with it: nothing more is fetched.`]),
    ...(headers === null ? [] : ['The headers that it keeps go with it and cannot be read again.']),
  ])
}
