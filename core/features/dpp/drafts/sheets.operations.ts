import { networkNames } from '../../../chains/networks.ts'
import { answerJson } from '../../../kernel/answer.ts'
import { DryRun, dryRunQuery, orDryRun } from '../../../kernel/dry-run.ts'
import { AcceptedJob } from '../../../kernel/job.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { enumFilter, uuidFilter, textFilter, commonFilters, commonSorters } from '../../../kernel/page.ts'
import { Type, integer, optional } from '../../../kernel/schema.ts'
import {
  listSheets,
  NewSheet,
  presentSheet,
  readOrganizationStats,
  readOwnSheetStats,
  readVisibleSheet,
  Sheet,
  SheetList,
  SheetPatch,
  SheetsStats,
  SheetStats,
  sheetStatuses,
  sheetEntity,
} from '../sheets/index.ts'
import { previewSheetDeletion } from './deletions.ts'
import { createSheet, deleteSheet, updateSheet } from './sheets.ts'
import { applicationEntity } from '../../applications/index.ts'

const tag = 'Product sheets'

const createOne = declareOperation({
  id: 'create_dpp_product_v1',
  method: 'POST',
  path: '/v1/dpp/products',
  access: 'dpp:create',
  scope: { body: { application: applicationEntity } },
  body: NewSheet,
  returns: { 201: Sheet },
  problemCodes: ['NOT_FOUND'],
  transport: { location: ({ id }: Sheet) => `/v1/dpp/products/${id}` },
  document: {
    tag,
    summary: 'Create a product sheet',
    description: "Defines the fields of a product's passports.",
    mcpName: 'create_dpp_product',
  },
}).withTransactionHandler(async ({ body, caller, work }) => presentSheet(await createSheet(work, caller, body)))

const listAll = declareOperation({
  id: 'list_dpp_products_v1',
  method: 'GET',
  path: '/v1/dpp/products',
  access: 'dpp:read',
  scope: { list: 'application.id' },
  list: {
    rowSchema: Sheet,
    filters: {
      ...commonFilters,
      'application.id': uuidFilter('eq'),
      name: textFilter('eq', 'contains'),
      status: enumFilter(sheetStatuses, 'eq', 'ne'),
      network: enumFilter(networkNames, 'eq'),
    },
    sorters: [...commonSorters, 'name'],
  },
  returns: { 200: SheetList },
  document: {
    tag,
    summary: 'List product sheets',
    description: 'Sheets of all applications of the organization, the newest first.',
    mcpName: 'list_dpp_products',
  },
}).withReadHandler(({ caller, page, work }) => listSheets(work, caller, page))

const getStats = declareOperation({
  id: 'get_dpp_products_stats_v1',
  method: 'GET',
  path: '/v1/dpp/products/stats',
  access: 'dpp:read',
  returns: { 200: SheetsStats },
  document: {
    tag,
    summary: 'Count sheets, passports and claims',
    description: 'Over all sheets of the organization, by status.',
    mcpName: 'get_dpp_products_stats',
  },
}).withReadHandler(({ caller, work }) => readOrganizationStats(work.trx, caller.organization))

const getOne = declareOperation({
  id: 'get_dpp_product_v1',
  method: 'GET',
  path: '/v1/dpp/products/:id',
  access: 'public',
  scope: { params: { id: sheetEntity } },
  query: { version: optional(integer('Version of its definitions, else the present one.', { minimum: 1 })) },
  returns: { 200: Sheet },
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Read a product sheet',
    description: 'Public. A DRAFT is answered to callers of its organization with dpp:read only.',
    mcpName: 'get_dpp_product',
  },
}).withReadHandler(async ({ caller, params, query, work }) =>
  presentSheet(await readVisibleSheet(work.trx, caller, params.id, query.version)),
)

const updateOne = declareOperation({
  id: 'update_dpp_product_v1',
  method: 'PATCH',
  path: '/v1/dpp/products/:id',
  access: 'dpp:update',
  scope: { params: { id: sheetEntity } },
  query: dryRunQuery,
  body: SheetPatch,
  returns: {
    200: Type.Union([Sheet, DryRun], { description: 'The sheet; with dryRun what would become of its passports.' }),
    202: AcceptedJob,
  },
  problemCodes: ['DPP_PRODUCT_STATUS_FINAL', 'DPP_PRODUCT_NETWORK_FIXED', 'DPP_PRODUCT_SCHEMA_IN_USE'],
  transport: { hasEtag: true },
  execution: { hasDryRun: true },
  document: {
    tag,
    summary: 'Change a product sheet',
    description:
      'Any status can follow any other, but no DRAFT after a mint. Definitions that passports do not fit need `migrate`.',
    mcpName: 'update_dpp_product',
  },
}).withTransactionHandler(async ({ body, params, query, work, precondition }) => {
  const made = await updateSheet(work, params.id, body, { precondition, dryRun: query.dryRun ?? false })
  if ('job' in made) return answerJson({ jobId: made.job }, undefined, 202)
  return 'dryRun' in made ? made.dryRun : presentSheet(made.sheet)
})

const deleteOne = declareOperation({
  id: 'delete_dpp_product_v1',
  method: 'DELETE',
  path: '/v1/dpp/products/:id',
  access: 'dpp:delete',
  scope: { params: { id: sheetEntity } },
  query: dryRunQuery,
  returns: { 200: orDryRun(Sheet) },
  problemCodes: ['DPP_PRODUCT_HAS_PASSPORTS'],
  transport: { hasEtag: true },
  execution: { hasDryRun: true },
  document: {
    tag,
    summary: 'Delete a product sheet',
    description: 'Refused while it has passports.',
    mcpName: 'delete_dpp_product',
    needsConfirmation: true,
  },
}).withTransactionHandler(async ({ params, query, work, precondition }) =>
  query.dryRun
    ? previewSheetDeletion(work, params.id, precondition)
    : presentSheet(await deleteSheet(work, params.id, precondition)),
)

const getOneStats = declareOperation({
  id: 'get_dpp_product_stats_v1',
  method: 'GET',
  path: '/v1/dpp/products/:id/stats',
  access: 'dpp:read',
  scope: { params: { id: sheetEntity } },
  returns: { 200: SheetStats },
  document: {
    tag,
    summary: 'Count the passports and claims of a sheet',
    description: 'By status, with scans and the last activity.',
    mcpName: 'get_dpp_product_stats',
  },
}).withReadHandler(({ params, work }) => readOwnSheetStats(work, params.id))

/**
 * The operations of sheets. The statistics of all sheets come before the single sheet, whose path would match them too.
 */
export const sheetOperations: Operation[] = [createOne, listAll, getStats, getOne, updateOne, deleteOne, getOneStats]
