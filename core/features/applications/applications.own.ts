import { networkNames, type Network } from '../../chains/networks.ts'
import { createModelSource, listPage } from '../../database/list/index.ts'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import type { PageRequest, PageResult } from '../../kernel/page.ts'
import type { Context, Work } from '../../kernel/work.ts'
import { Application } from './applications.model.ts'
import type { ApplicationShape, NewApplication } from './applications.schema.ts'
import { createApplication } from './applications.ts'
import { presentApplication, presentApplications } from './applications.views.ts'
import { parseDomains } from './domains/domains.hosts.ts'
import { syncDomains } from './domains/domains.names.ts'

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
  const defaults = { network: findDefaultNetwork(work.context) }
  const domains = parseDomains(work.context.settings, values.domains ?? [])
  const created = await createApplication(work.trx, organization, { ...values, domains }, defaults)
  await syncDomains(work, created)
  return presentApplication(work, created)
}
