import { isDeepStrictEqual } from 'node:util'
import { UniqueViolationError } from 'objection'
import { newId } from '../../database/model.ts'
import { organizationOf, type OrganizationCaller } from '../../kernel/caller.ts'
import { notFound, problem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { findApplication } from '../applications/index.ts'
import { mergeHeaders, openHeaders, sealHeaders } from './mappers.headers.ts'
import { MapperModel, presentMapper } from './mappers.model.ts'
import { refuseContradictions, type MapperContent } from './mappers.rules.ts'
import type { MapperPatch, NewMapper } from './mappers.schema.ts'
import { nextRun } from './schedule.cron.ts'

/**
 * @throws VALIDATION_FAILED, IMPORT_MAPPER_DUPLICATE_NAME, NOT_FOUND for an application that is not the organization's
 */
export async function createMapper(
  work: Work, { organization }: OrganizationCaller, body: NewMapper,
): Promise<MapperModel> {
  const { url = null, schedule = null, headers = null, onDuplicate = null, encoding = null, delimiter = null, sheet = null, type, format, rows } = body
  const content: MapperContent = { type, format, rows, url, schedule, headers, onDuplicate, encoding, delimiter, sheet }
  refuseContradictions(work.context, content)
  const application = await findApplication(work, body.application, { lock: 'forKeyShare' })
  const id = newId()
  await taken(MapperModel.query(work.trx).insert({
    id, organization, application: application.id, name: body.name, type, format, url, schedule, rows, onDuplicate, encoding, delimiter, sheet,
    headers: sealHeaders(work.context, { id, organization }, headers),
    nextRunAt: due(work, schedule),
  }))
  return MapperModel.query(work.trx).findById(id).throwIfNotFound()
}

/** Waits for a statement that may meet the name of another mapper. @throws IMPORT_MAPPER_DUPLICATE_NAME */
async function taken(statement: PromiseLike<unknown>): Promise<void> {
  try {
    await statement
  } catch (cause) {
    if (!(cause instanceof UniqueViolationError) || cause.constraint !== 'import_mappers_name_unique') throw cause
    throw problem('IMPORT_MAPPER_DUPLICATE_NAME', 'The application already has a mapper of this name.', {
      path: 'name',
    })
  }
}

const due = ({ context }: Pick<Work, 'context'>, schedule: string | null): string | null =>
  (schedule === null ? null : nextRun(schedule, context.clock.now())?.toISOString() ?? null)

/** A mapper of the caller's organization. @throws NOT_FOUND for an absent or foreign one */
export async function findMapper(
  { trx, caller }: Pick<Work, 'trx' | 'caller'>, id: string, lock?: 'forUpdate' | 'forShare',
): Promise<MapperModel> {
  const organization = organizationOf(caller)
  if (organization === null) throw notFound()
  const query = MapperModel.query(trx).findById(id).modify('ofOrganization', organization)
  if (lock) void query[lock]()
  const mapper = await query
  if (!mapper) throw notFound()
  return mapper
}

/**
 * Applies a merge patch; the rows are replaced as a whole. What is fetched next is taken whether it has changed or not,
 * once anything but the name or the schedule has become another.
 * @throws VALIDATION_FAILED, NOT_FOUND, PRECONDITION_FAILED, IMPORT_MAPPER_DUPLICATE_NAME
 */
export async function updateMapper(
  work: Work, id: string, patch: MapperPatch, precondition: (shown: unknown) => void,
): Promise<MapperModel> {
  const { trx, context } = work
  const mapper = await findMapper(work, id, 'forUpdate')
  precondition(presentMapper(context, mapper))
  const { type, format, rows, url, schedule, onDuplicate, encoding, delimiter, sheet } = mapper
  const present = openHeaders(context, mapper, mapper.headers)
  const before: MapperContent = { type, format, rows, url, schedule, headers: present, onDuplicate, encoding, delimiter, sheet }
  const { name = mapper.name, headers, ...changes } = patch
  const after: MapperContent = {
    ...before, ...changes, headers: headers === undefined ? present : mergeHeaders(present, headers),
  }
  if (name === mapper.name && isDeepStrictEqual(before, after)) return mapper
  refuseContradictions(context, after)
  await taken(MapperModel.query(trx).findById(id).patch({
    name, type: after.type, format: after.format, rows: after.rows, url: after.url, schedule: after.schedule,
    onDuplicate: after.onDuplicate, encoding: after.encoding, delimiter: after.delimiter, sheet: after.sheet,
    ...(!isDeepStrictEqual(before.headers, after.headers) && { headers: sealHeaders(context, mapper, after.headers) }),
    ...(!isDeepStrictEqual(taking(before), taking(after)) && { etag: null }),
    ...(after.schedule !== schedule && { nextRunAt: due(work, after.schedule) }),
    // Not the beginning of this transaction: whoever held the mapper before may have begun later.
    updatedAt: trx.raw('clock_timestamp()') as unknown as string,
  }))
  return MapperModel.query(trx).findById(id).throwIfNotFound()
}

/** What decides which passports a fetch makes. */
const taking = ({ schedule: _when, ...taken }: MapperContent) => taken

/** An import that goes on keeps its rows. @returns the mapper as it was. @throws NOT_FOUND, PRECONDITION_FAILED */
export async function deleteMapper(
  work: Work, id: string, precondition: (shown: unknown) => void,
): Promise<MapperModel> {
  const mapper = await findMapper(work, id, 'forUpdate')
  precondition(presentMapper(work.context, mapper))
  await MapperModel.query(work.trx).deleteById(id)
  return mapper
}
