import { createSingleDryRun, type DryRun, formatCount, rehearse } from '../../kernel/dry-run.ts'
import type { Work } from '../../kernel/work.ts'
import type { ApplicationBlocker, ApplicationPart, ApplicationPartsReader } from '../area.ts'
import type { ApplicationContributions } from './applications.own.ts'
import type { ApplicationShape } from './applications.schema.ts'
import { deleteApplication, lockApplicationForDeletion } from './applications.ts'
import { presentApplication } from './applications.views.ts'
import { countApplicationDomains } from './domains/domains.model.ts'

/**
 * Deletes an application with what goes with it.
 * @returns the application before it was deleted
 * @throws NOT_FOUND
 * @throws PRECONDITION_FAILED
 * @throws APPLICATION_IN_USE
 */
export async function removeApplication(
  work: Work,
  id: string,
  blockers: readonly ApplicationBlocker[],
  precondition: (shown: unknown) => void,
): Promise<ApplicationShape> {
  const { application, checks } = await lockApplicationForDeletion(work, id, blockers)
  const presented = await presentApplication(work, application)
  precondition(presented)
  await deleteApplication(work.trx, application, checks)
  return presented
}

/**
 * Tells what deleting an application would do.
 * @param remove deletes it in the given work, with its refusals
 */
export async function previewApplicationDeletion(
  work: Work,
  id: string,
  readers: readonly ApplicationPartsReader[],
  remove: (work: Work) => Promise<ApplicationShape>,
): Promise<DryRun> {
  const { name } = await rehearse(work, remove)
  const parts = await listApplicationParts(work, id, readers)
  return createSingleDryRun(
    { id, name },
    parts.map(({ noun, count }) => `${formatCount(count, noun)} will be deleted too.`),
  )
}

/** Lists what goes with an application: each kind of which there is any, with how many. */
async function listApplicationParts(
  { trx }: Work,
  id: string,
  readers: readonly ApplicationPartsReader[],
): Promise<ApplicationPart[]> {
  const parts: ApplicationPart[] = [{ noun: 'domain', count: await countApplicationDomains(trx, id) }]
  for (const readParts of readers) parts.push(...(await readParts(trx, id)))
  return parts.filter(({ count }) => count > 0)
}

/**
 * Tries the deletion of an application without deleting it.
 * @returns what would go with it
 * @throws NOT_FOUND, APPLICATION_IN_USE
 */
export async function rehearseApplicationDeletion(
  work: Work,
  id: string,
  { applicationBlockers, applicationParts }: ApplicationContributions,
): Promise<ApplicationPart[]> {
  await rehearse(work, (rehearsal) => removeApplication(rehearsal, id, applicationBlockers, () => undefined))
  return listApplicationParts(work, id, applicationParts)
}
