import { dryRunQuery, orDryRun } from '../../kernel/dry-run.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { commonFilters, commonSorters } from '../../kernel/page.ts'
import type { Work } from '../../kernel/work.ts'
import {
  Application,
  ApplicationList,
  ApplicationPatch,
  ApplicationView,
  NewApplication,
  type ApplicationShape,
} from './applications.schema.ts'
import { readAnyApplication, applicationEntity } from './applications.ts'
import {
  addApplication,
  changeApplication,
  listApplications,
  type ApplicationContributions,
} from './applications.own.ts'
import { previewApplicationDeletion, removeApplication } from './applications.deletion.ts'
import { domainOperations } from './domains/domains.operations.ts'
import { presentApplicationTo } from './applications.views.ts'

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

const createUpdateOperation = (shared: ApplicationContributions): Operation =>
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
  }).withTransactionHandler(({ body, params, work, precondition }) =>
    changeApplication(work, params.appId, { patch: body, precondition }, shared),
  )

const createDeleteOperation = (shared: ApplicationContributions): Operation =>
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
export const createApplicationOperations = (shared: ApplicationContributions): Operation[] => [
  listApplicationsOperation,
  createApplicationOperation,
  readApplicationOperation,
  createUpdateOperation(shared),
  createDeleteOperation(shared),
  ...domainOperations,
]
