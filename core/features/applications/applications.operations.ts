import { networkNames, type Network } from '../../chains/networks.ts'
import { listPage } from '../../database/list.ts'
import { operation, type Operation } from '../../kernel/operation.ts'
import { commonFilters, commonSorters } from '../../kernel/page.ts'
import type { Context } from '../../kernel/work.ts'
import { Application as ApplicationRow } from './applications.model.ts'
import {
  Application, ApplicationList, ApplicationPatch, ApplicationView, NewApplication, type ApplicationShape,
} from './applications.schema.ts'
import {
  createApplication, deleteApplication, findAnyApplication, findApplication, lockToDelete, updateApplication,
} from './applications.ts'
import { parseDomains } from './domains/domains.hosts.ts'
import { nameDomains } from './domains/domains.names.ts'
import { domainOperations } from './domains/domains.operations.ts'
import { presentApplication, presentApplications, presentTo } from './applications.views.ts'

const tag = 'Applications'

const columns = {
  id: { sql: 'applications.id' },
  name: { sql: 'applications.name' },
  createdAt: { sql: 'applications.created_at' },
  updatedAt: { sql: 'applications.updated_at' },
}

/** The network of applications that name none: the first one that this installation can send on. */
export function defaultNetwork({ chains }: Pick<Context, 'chains'>): Network {
  return networkNames.find((network) => chains.usable(network)) ?? 'EthereumAnvil'
}

const listApplications = operation({
  id: 'list_applications_v1', method: 'GET', path: '/v1/applications', summary: 'List applications', tag,
  description: 'Those of the organization, with their settings; the newest first.',
  access: 'application:read', mcp: 'list_applications',
  list: { of: Application, filters: commonFilters, sorters: [...commonSorters, 'name'] },
  returns: { 200: ApplicationList },
}).readBy(async ({ caller, page, work }) => {
  const applications = ApplicationRow.query(work.trx).modify('ofOrganization', caller.organization)
  const listed = await listPage(applications, page, columns)
  return { ...listed, data: await presentApplications(work, listed.data) }
})

const createOne = operation({
  id: 'create_application_v1', method: 'POST', path: '/v1/applications', summary: 'Create an application', tag,
  description: 'Without `slug` one is made from the name, with a suffix where it is taken.',
  access: 'application:create', mcp: 'create_application',
  body: NewApplication, returns: { 201: Application }, problems: ['APPLICATION_SLUG_TAKEN'],
  location: ({ id }: ApplicationShape) => `/v1/applications/${id}`,
}).handledBy(async ({ body, caller, work }) => {
  const defaults = { network: defaultNetwork(work.context) }
  const domains = parseDomains(work.context.settings, body.domains ?? [])
  const created = await createApplication(work.trx, caller.organization, { ...body, domains }, defaults)
  await nameDomains(work, created)
  return presentApplication(work, created)
})

const getOne = operation({
  id: 'get_application_v1', method: 'GET', path: '/v1/applications/:appId', summary: 'Read an application', tag,
  description: 'Public. Callers of the organization with application:read also see its settings.',
  access: 'public', mcp: 'get_application', etag: true,
  returns: { 200: ApplicationView },
}).readBy(async ({ caller, params, work }) => presentTo(caller, work, await findAnyApplication(work.trx, params.appId)))

const updateOne = operation({
  id: 'update_application_v1', method: 'PATCH', path: '/v1/applications/:appId', summary: 'Change an application', tag,
  description: 'Lists are replaced whole.',
  access: 'application:update', mcp: 'update_application', etag: true,
  body: ApplicationPatch, returns: { 200: Application }, problems: ['APPLICATION_SLUG_TAKEN'],
}).handledBy(async ({ body, params, work, precondition }) => {
  const application = await findApplication(work, params.appId, { lock: 'forNoKeyUpdate' })
  precondition(await presentApplication(work, application))
  const domains = body.domains && parseDomains(work.context.settings, body.domains)
  const updated = await updateApplication(work.trx, application, { ...body, ...(domains && { domains }) })
  if (domains) await nameDomains(work, updated)
  return presentApplication(work, updated)
})

const deleteOne = operation({
  id: 'delete_application_v1', method: 'DELETE', path: '/v1/applications/:appId', summary: 'Delete an application', tag,
  description: 'Its product sheets go with it. Refused while it has passports or accounts.',
  access: 'application:delete', mcp: 'delete_application', confirm: true, etag: true,
  returns: { 200: Application }, problems: ['APPLICATION_IN_USE'],
}).handledBy(async ({ params, work, precondition }) => {
  const { application, sheets } = await lockToDelete(work, params.appId)
  const presented = await presentApplication(work, application)
  precondition(presented)
  await deleteApplication(work.trx, application, sheets)
  return presented
})

export const applicationOperations: Operation[] = [
  listApplications, createOne, getOne, updateOne, deleteOne, ...domainOperations,
]
