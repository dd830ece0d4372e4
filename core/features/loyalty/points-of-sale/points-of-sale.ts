import { getConstraint } from '../../../kernel/ports/constraint.ts'
import { createModelSource, listPage } from '../../../database/list/index.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { mapPageResult, type PageRequest, type PageResult } from '../../../kernel/page.ts'
import { createNotFoundProblem, createProblem, createValidationProblem } from '../../../kernel/problem.ts'
import { isTimeZone } from '../../../kernel/text/time-zones.ts'
import type { Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { pointOfSaleColumns, PointOfSaleModel } from './points-of-sale.model.ts'
import { presentPointOfSale } from './points-of-sale.present.ts'
import type { NewPointOfSale, PointOfSale, PointOfSalePatch } from './points-of-sale.schema.ts'
import {
  deletePointOfSale,
  insertPointOfSale,
  lockPointOfSale,
  readPointsOfSale,
  updatePointOfSale,
  type PointOfSaleContent,
} from './points-of-sale.store.ts'

type Precondition = (representation: unknown) => void

/** Lists the points of sale of an organization. */
export async function listPointsOfSale(
  { trx }: Pick<Work, 'trx'>,
  { organization }: OrganizationCaller,
  page: PageRequest,
): Promise<PageResult<PointOfSale>> {
  const source = createModelSource(PointOfSaleModel.query(trx).modify('ofOrganization', organization))
  return mapPageResult(await listPage(source, page, pointOfSaleColumns), presentPointOfSale)
}

/** Reads a point of sale of an organization. @throws NOT_FOUND, for another organization's too */
export async function readPointOfSale(
  { trx }: Pick<Work, 'trx'>,
  { organization }: OrganizationCaller,
  id: string,
): Promise<PointOfSale> {
  const [found] = await readPointsOfSale(trx, organization, [id])
  if (!found) throw createNotFoundProblem()
  return presentPointOfSale(found)
}

/**
 * Creates a point of sale.
 * @throws NOT_FOUND if the organization has no such application; VALIDATION_FAILED for a time zone that there is not, or an
 * `externalId` that another one of the application has
 */
export async function createPointOfSale(
  work: Work,
  { organization }: OrganizationCaller,
  { application: id, name, externalId, address, timeZone, status }: NewPointOfSale,
): Promise<PointOfSale> {
  const application = await readApplication(work, id, { lock: 'forKeyShare' })
  assertTimeZone(timeZone)
  const content = { name, externalId: externalId ?? null, address: address ?? null, timeZone }
  const isActive = status !== 'inactive'
  const made = insertPointOfSale(work.trx, { ...content, organization, application: application.id, isActive })
  return presentPointOfSale(await made.catch(throwTakenProblem))
}

/**
 * Changes a point of sale.
 * @throws NOT_FOUND; PRECONDITION_FAILED; VALIDATION_FAILED as `createPointOfSale` does
 */
export async function changePointOfSale(
  work: Work,
  caller: OrganizationCaller,
  { id, patch, precondition }: { id: string; patch: PointOfSalePatch; precondition: Precondition },
): Promise<PointOfSale> {
  const present = await lockOwn(work, caller, id, precondition)
  const { status = present.status, ...members } = patch
  const content = {
    name: members.name ?? present.name,
    externalId: members.externalId === undefined ? present.externalId : members.externalId,
    address: members.address === undefined ? present.address : members.address,
    timeZone: members.timeZone ?? present.timeZone,
  }
  assertTimeZone(content.timeZone)
  const move = status === present.status ? null : status === 'active' ? 'activate' : 'deactivate'
  // What is the same already keeps its version, so that a repeated call changes nothing.
  if (move === null && isSameContent(content, present)) return presentPointOfSale(present)
  return presentPointOfSale(await updatePointOfSale(work.trx, id, content, move).catch(throwTakenProblem))
}

const isSameContent = (content: PointOfSaleContent, present: PointOfSaleContent): boolean =>
  (['name', 'externalId', 'address', 'timeZone'] as const).every((member) => content[member] === present[member])

/**
 * Deletes a point of sale. The orders that were counted there stay.
 * @throws NOT_FOUND; PRECONDITION_FAILED; POINT_OF_SALE_IN_USE while a restaurant is bound to it
 */
export async function removePointOfSale(
  work: Work,
  caller: OrganizationCaller,
  { id, precondition }: { id: string; precondition: Precondition },
): Promise<PointOfSale> {
  const present = await lockOwn(work, caller, id, precondition)
  await deletePointOfSale(work.trx, id).catch(throwBoundProblem)
  return presentPointOfSale(present)
}

async function lockOwn(
  { trx }: Work,
  { organization }: OrganizationCaller,
  id: string,
  precondition: Precondition,
): Promise<PointOfSaleModel> {
  const present = await lockPointOfSale(trx, organization, id)
  if (!present) throw createNotFoundProblem()
  precondition(presentPointOfSale(present))
  return present
}

function assertTimeZone(timeZone: string): void {
  if (isTimeZone(timeZone)) return
  throw createValidationProblem([
    { path: 'timeZone', code: 'time_zone', message: 'is no name of the IANA time zone database, as Europe/Rome' },
  ])
}

/** Refuses an identifier that another point of sale has, which a unique index finds also in a race. */
function throwTakenProblem(error: unknown): never {
  if (getConstraint(error) !== 'points_of_sale_external_id') throw error
  throw createValidationProblem([
    { path: 'externalId', code: 'taken', message: 'is that of another point of sale of the application' },
  ])
}

/** Refuses the deletion of a point of sale that a restaurant names, which a foreign key finds also in a race. */
function throwBoundProblem(error: unknown): never {
  if (getConstraint(error) !== 'pos_restaurants_point_of_sale_fkey') throw error
  throw createProblem('POINT_OF_SALE_IN_USE', 'A restaurant is bound to this point of sale. Unbind it first.')
}
