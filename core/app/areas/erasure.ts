import type { OrganizationErasure } from '../../features/area.ts'
import { listApplicationIds } from '../../features/applications/index.ts'
import { finishErasure, listOrganizationsToErase, lockForErasure } from '../../features/identity/index.ts'
import type { Context } from '../../kernel/work.ts'

/** About how many rows a step erases at most, so that no transaction is long. */
const stepSize = 500

/**
 * Erases the personal data of organizations that were deleted 30 days ago, in small steps. A process that dies leaves the
 * rest to the next one. An organization with which something fails does not keep the others waiting.
 * @throws AggregateError with what failed
 */
export async function eraseDeletedOrganizations(
  context: Context,
  erasures: readonly OrganizationErasure[],
): Promise<void> {
  const failures: unknown[] = []
  for (const organization of await listOrganizationsToErase(context.db)) {
    await eraseOrganization(context, organization, erasures).catch((cause: unknown) => failures.push(cause))
  }
  if (failures.length > 0)
    throw new AggregateError(failures, 'Deleted organizations keep personal data until the next hour')
}

async function eraseOrganization(
  context: Context,
  organization: string,
  erasures: readonly OrganizationErasure[],
): Promise<void> {
  const { db } = context
  const applications = await listApplicationIds(db, organization)
  const runStep = (step: (trx: typeof db) => Promise<number>) =>
    db.transaction(async (trx) => ((await lockForErasure(trx, organization)) ? step(trx) : 0))
  for (const erase of erasures) {
    while ((await erase({ context, organization, applications, limit: stepSize, runStep })) > 0);
  }
  await runStep(async (trx) => {
    await finishErasure(trx, organization)
    return 1
  })
}
