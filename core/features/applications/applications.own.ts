import { networkNames, type Network } from '../../chains/networks.ts'
import { createModelSource, listPage } from '../../database/list/index.ts'
import { getKeyApplication, type OrganizationCaller } from '../../kernel/caller.ts'
import type { PageRequest, PageResult } from '../../kernel/page.ts'
import { createProblem } from '../../kernel/problem.ts'
import type { Context, Work } from '../../kernel/work.ts'
import { assertPlanNetwork } from '../../meters/index.ts'
import type { SharedContributions } from '../area.ts'
import { Application } from './applications.model.ts'
import type { ApplicationPatch, ApplicationShape, NewApplication } from './applications.schema.ts'
import { createApplication, readApplication, updateApplication } from './applications.ts'
import { presentApplication, presentApplications } from './applications.views.ts'
import { parseDomains } from './domains/domains.hosts.ts'
import { syncDomains } from './domains/domains.names.ts'
import { assertPlanFooter } from './themes/footer.ts'

const applicationColumns = {
  id: { sql: 'applications.id' },
  name: { sql: 'applications.name' },
  createdAt: { sql: 'applications.created_at' },
  updatedAt: { sql: 'applications.updated_at' },
}

/**
 * Returns the network for applications that choose none: the first one that this installation can send transactions on.
 */
export function findDefaultNetwork({ chains }: Pick<Context, 'chains'>): Network {
  return networkNames.find((network) => chains.canSend(network)) ?? 'EthereumAnvil'
}

/** Lists the applications of the caller's organization, with their settings. */
export async function listApplications(
  work: Work,
  { organization }: OrganizationCaller,
  page: PageRequest,
): Promise<PageResult<ApplicationShape>> {
  const applications = createModelSource(Application.query(work.trx).modify('ofOrganization', organization))
  const listed = await listPage(applications, page, applicationColumns)
  return { ...listed, data: await presentApplications(work, listed.data) }
}

/**
 * Creates an application of the caller's organization, on the first network that can be used unless it names one.
 * @throws APPLICATION_SLUG_TAKEN, VALIDATION_FAILED
 */
export async function addApplication(
  work: Work,
  { organization }: OrganizationCaller,
  values: NewApplication,
): Promise<ApplicationShape> {
  await assertDefaultNetwork(work, organization, values.defaultNetwork)
  await assertPlanFooter(work.trx, work.context.meters.table, { organization, theme: values.theme })
  const defaults = { network: findDefaultNetwork(work.context) }
  const domains = parseDomains(work.context.settings, values.domains ?? [])
  const created = await createApplication(work.trx, organization, { ...values, domains }, defaults)
  await syncDomains(work, created)
  return presentApplication(work, created)
}

/** @throws VALIDATION_FAILED for a network that the plan does not have */
const assertDefaultNetwork = ({ trx, context }: Work, organization: string, network: Network | undefined) =>
  assertPlanNetwork(trx, context.meters.table, { organization, network, path: 'defaultNetwork' })

/** What other areas have to say when an application is changed or deleted. */
export type ApplicationContributions = Pick<
  SharedContributions,
  'applicationBlockers' | 'applicationChanges' | 'applicationParts'
>

/**
 * Applies a merge patch to an application of the caller's organization, with its domains and what other areas make of
 * the change.
 * @param precondition throws if the application is no longer what the caller has seen
 * @throws NOT_FOUND, PRECONDITION_FAILED, APPLICATION_SLUG_TAKEN, VALIDATION_FAILED
 */
export async function changeApplication(
  work: Work,
  id: string,
  { patch, precondition }: { patch: ApplicationPatch; precondition: (shown: unknown) => void },
  { applicationChanges }: Pick<ApplicationContributions, 'applicationChanges'>,
): Promise<ApplicationShape> {
  const application = await readApplication(work, id, { lock: 'forNoKeyUpdate' })
  precondition(await presentApplication(work, application))
  if (patch.defaultNetwork !== application.defaultNetwork)
    await assertDefaultNetwork(work, application.organization, patch.defaultNetwork)
  if (application.theme.hideFooter !== true)
    await assertPlanFooter(work.trx, work.context.meters.table, { ...application, theme: patch.theme })
  // A proven domain speaks for the whole organization: as the publisher of all its passports, and about its GTINs.
  if (patch.domains !== undefined && getKeyApplication(work.caller) !== null)
    throw createProblem('AUTH_INSUFFICIENT_PERMISSIONS', 'A key of one application does not change domains.')
  const domains = patch.domains && parseDomains(work.context.settings, patch.domains)
  const updated = await updateApplication(work.trx, application, { ...patch, ...(domains && { domains }) })
  if (domains) await syncDomains(work, updated)
  const change = { id: updated.id, organization: updated.organization, before: application, after: updated }
  for (const listen of applicationChanges) await listen(work.trx, work.context, change)
  return presentApplication(work, updated)
}
