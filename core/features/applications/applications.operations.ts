import { dryRunQuery, orDryRun } from '../../kernel/dry-run.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { commonFilters, commonSorters } from '../../kernel/page.ts'
import type { Work } from '../../kernel/work.ts'
import type { SharedContributions } from '../area.ts'
import {
  Application,
  ApplicationList,
  ApplicationPatch,
  ApplicationView,
  NewApplication,
  type ApplicationShape,
} from './applications.schema.ts'
import { readAnyApplication, readApplication, updateApplication, applicationEntity } from './applications.ts'
import { addApplication, listApplications } from './applications.own.ts'
import { previewApplicationDeletion, removeApplication } from './applications.deletion.ts'
import { parseDomains } from './domains/domains.hosts.ts'
import { syncDomains } from './domains/domains.names.ts'
import { domainOperations } from './domains/domains.operations.ts'
import { presentApplication, presentApplicationTo } from './applications.views.ts'

const tag = 'Applications'

const listApplicationsOperation = declareOperation({
  id: 'list_applications_v1',
  method: 'GET',
  path: '/v1/applications',
  access: 'application:read',
  scope: { list: 'id' },
  list: { rowSchema: Application, filters: commonFilters, sorters: [...commonSorters, 'name'] },
  returns: { 200: ApplicationList },
  document: {
    tag,
    summary: 'List applications',
    description: 'Those of the organization, with their settings; the newest first.',
    mcpName: 'list_applications',
  },
}).withReadHandler(({ caller, page, work }) => listApplications(work, caller, page))

const createApplicationOperation = declareOperation({
  id: 'create_application_v1',
  method: 'POST',
  path: '/v1/applications',
  access: 'application:create',
  body: NewApplication,
  returns: { 201: Application },
  problemCodes: ['APPLICATION_SLUG_TAKEN'],
  transport: { location: ({ id }: ApplicationShape) => `/v1/applications/${id}` },
  document: {
    tag,
    summary: 'Create an application',
    description: 'Without `slug` one is made from the name.',
    mcpName: 'create_application',
  },
}).withTransactionHandler(({ body, caller, work }) => addApplication(work, caller, body))

const readApplicationOperation = declareOperation({
  id: 'get_application_v1',
  method: 'GET',
  path: '/v1/applications/:appId',
  access: 'public',
  scope: { params: { appId: applicationEntity } },
  returns: { 200: ApplicationView },
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Read an application',
    description: 'Public. Callers of the organization with application:read also see its settings.',
    mcpName: 'get_application',
  },
}).withReadHandler(async ({ caller, params, work }) =>
  presentApplicationTo(caller, work, await readAnyApplication(work.trx, params.appId)),
)

const createUpdateOperation = ({ applicationChanges }: SharedContributions): Operation =>
  declareOperation({
    id: 'update_application_v1',
    method: 'PATCH',
    path: '/v1/applications/:appId',
    access: 'application:update',
    scope: { params: { appId: applicationEntity } },
    body: ApplicationPatch,
    returns: { 200: Application },
    problemCodes: ['APPLICATION_SLUG_TAKEN'],
    transport: { hasEtag: true },
    document: {
      tag,
      summary: 'Change an application',
      description: 'Lists are replaced whole.',
      mcpName: 'update_application',
    },
  }).withTransactionHandler(async ({ body, params, work, precondition }) => {
    const application = await readApplication(work, params.appId, { lock: 'forNoKeyUpdate' })
    precondition(await presentApplication(work, application))
    const domains = body.domains && parseDomains(work.context.settings, body.domains)
    const updated = await updateApplication(work.trx, application, { ...body, ...(domains && { domains }) })
    if (domains) await syncDomains(work, updated)
    const change = { id: updated.id, organization: updated.organization, before: application, after: updated }
    for (const listen of applicationChanges) await listen(work.trx, work.context, change)
    return presentApplication(work, updated)
  })

const createDeleteOperation = (shared: SharedContributions): Operation =>
  declareOperation({
    id: 'delete_application_v1',
    method: 'DELETE',
    path: '/v1/applications/:appId',
    access: 'application:delete',
    query: dryRunQuery,
    returns: { 200: orDryRun(Application) },
    problemCodes: ['APPLICATION_IN_USE'],
    transport: { hasEtag: true },
    execution: { hasDryRun: true },
    document: {
      tag,
      summary: 'Delete an application',
      description: 'Its sheets go too. Refused while it has passports or accounts.',
      mcpName: 'delete_application',
      needsConfirmation: true,
    },
  }).withTransactionHandler(async ({ params, query, work, precondition }) => {
    const remove = (inner: Work) => removeApplication(inner, params.appId, shared.applicationBlockers, precondition)
    return query.dryRun ? previewApplicationDeletion(work, params.appId, shared.applicationParts, remove) : remove(work)
  })

/** Creates the operations of applications. `shared`: what other areas have of an application that is deleted. */
export const createApplicationOperations = (shared: SharedContributions): Operation[] => [
  listApplicationsOperation,
  createApplicationOperation,
  readApplicationOperation,
  createUpdateOperation(shared),
  createDeleteOperation(shared),
  ...domainOperations,
]
