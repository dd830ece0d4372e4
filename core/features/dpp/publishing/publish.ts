import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { isFiltered, type PageRequest } from '../../../kernel/page.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import type { JobItem } from '../../../queue/batches/items.ts'
import { PassportRow, publishPassports, recordEventsByIds } from '../passports/index.ts'
import { listPictureAddresses, namePictures } from '../pictures/index.ts'
import { startStructureJob } from '../structure/index.ts'
import { enrolModels } from './trust.ts'
import {
  queueForCertification,
  type StartedUnitsJob,
  startUnitsJob,
  type UnitsJobSelection,
} from '../selection/index.ts'

export interface PublishPayload {
  skipCertification: boolean
}

export interface PublishOptions extends PublishPayload {
  /** Whether batches and items do not come along with their models. */
  isAlone?: boolean
}

/**
 * Starts a job that publishes the passports that match the list parameters: every draft without filters; exactly the
 * requested page if there is one, otherwise every match. Batches and items are published along with
 * their models, unless `isAlone` says otherwise. The
 * set of passports is fixed now.
 * @throws VALIDATION_FAILED for more than 100,000 passports, and for a passport to certify on a network on which
 * nothing can be sent
 */
export function startPublish(
  work: Work,
  caller: OrganizationCaller,
  page: PageRequest,
  options: PublishOptions,
): Promise<StartedUnitsJob> {
  return startUnitsJob(work, selectForPublish(work, caller, page, options))
}

/** Selects the passports that the list parameters publish. */
export function selectForPublish(
  { trx }: Work,
  { organization }: OrganizationCaller,
  page: PageRequest,
  { skipCertification, isAlone = false }: PublishOptions,
): UnitsJobSelection {
  const payload: PublishPayload = { skipCertification }
  const mine = PassportRow.query(trx).modify('ofOrganization', organization)
  const matching = isFiltered(page) ? mine : mine.where('passports.status', 'draft')
  return { organization, step: 'publish', payload, page, matching, certifies: !skipCertification, isAlone }
}

interface PublishTask {
  job: string
  organization: string
  skipCertification: boolean
}

/** The result of one batch: the number of passports published, and of units that still have to be certified. */
export interface PublishedBatch {
  published: number
  queuedForCertification: number
}

/** Publishes units of a job in the caller's transaction. */
export async function publishUnits(
  trx: Knex,
  context: Context,
  { job, organization, skipCertification }: PublishTask,
  units: readonly JobItem[],
): Promise<PublishedBatch> {
  // The drafts are locked in the order of ids, as every writer of many passports does, so that two writers never wait
  // for each other.
  const drafts = await PassportRow.query(trx)
    .modify('ofOrganization', organization)
    .select('passports.id')
    .whereRaw('passports.id = any(?::uuid[])', [units.map(({ subject }) => subject)])
    .where('status', 'draft')
    .orderBy('passports.id')
    .forUpdate()
  const ids = drafts.map((row) => row.id)
  await publishPassports(trx, job, ids, skipCertification)
  const published = await recordEventsByIds(trx, 'publish', ids)
  await namePictures(trx, context, organization, await listPictureAddresses(trx, published))
  const products = published.filter(({ product }) => product !== null).map(({ id }) => id)
  await enrolModels(trx, products)
  await startStructureJob(trx, context, organization, products)
  const fresh = new Set(ids)
  const certifiedUnits = skipCertification ? [] : units.filter(({ subject }) => fresh.has(subject))
  await queueForCertification(trx, job, certifiedUnits)
  return { published: published.length, queuedForCertification: certifiedUnits.length }
}
