import { networkNames } from '../../chains/networks.ts'
import { listPage } from '../../database/list.ts'
import { json } from '../../kernel/answer.ts'
import { DryRun } from '../../kernel/dry-run.ts'
import { Accepted } from '../../kernel/job.ts'
import { operation, type Operation } from '../../kernel/operation.ts'
import { byEnum, byId, byText, commonFilters, commonSorters, mapListed } from '../../kernel/page.ts'
import { Type, boolean, integer, optional } from '../../kernel/schema.ts'
import { presentSheet, sheetColumns, SheetRow } from './sheets.model.ts'
import { NewSheet, Sheet, SheetList, SheetPatch, SheetStats, SheetsStats, sheetStatuses } from './sheets.schema.ts'
import { organizationStats, sheetStats } from './sheets.stats.ts'
import { readSheet, readVisibleSheet } from './sheets.reads.ts'
import { createSheet, deleteSheet, updateSheet } from './sheets.ts'

const tag = 'Product sheets'

const createOne = operation({
  id: 'create_dpp_product_v1', method: 'POST', path: '/v1/dpp/products', summary: 'Create a product sheet', tag,
  description: 'Defines which fields the passports of a product have.',
  access: 'dpp:create', mcp: 'create_dpp_product',
  body: NewSheet, returns: { 201: Sheet }, problems: ['NOT_FOUND'],
  location: ({ id }: Sheet) => `/v1/dpp/products/${id}`,
}).handledBy(async ({ body, caller, work }) => presentSheet(await createSheet(work, caller, body)))

const listSheets = operation({
  id: 'list_dpp_products_v1', method: 'GET', path: '/v1/dpp/products', summary: 'List product sheets', tag,
  description: 'Sheets of all applications of the organization, the newest first.',
  access: 'dpp:read', mcp: 'list_dpp_products',
  list: {
    of: Sheet,
    filters: {
      ...commonFilters, 'application.id': byId('eq'), name: byText('eq', 'contains'),
      status: byEnum(sheetStatuses, 'eq', 'ne'), network: byEnum(networkNames, 'eq'),
    },
    sorters: [...commonSorters, 'name'],
  },
  returns: { 200: SheetList },
}).readBy(async ({ caller, page, work }) => {
  const sheets = SheetRow.query(work.trx).modify('ofOrganization', caller.organization)
  return mapListed(await listPage(sheets, page, sheetColumns), presentSheet)
})

const getStats = operation({
  id: 'get_dpp_products_stats_v1', method: 'GET', path: '/v1/dpp/products/stats', tag,
  summary: 'Count sheets, passports and claims',
  description: 'Over all sheets of the organization, by status.',
  access: 'dpp:read', mcp: 'get_dpp_products_stats',
  returns: { 200: SheetsStats },
}).readBy(({ caller, work }) => organizationStats(work.trx, caller.organization))

const getOne = operation({
  id: 'get_dpp_product_v1', method: 'GET', path: '/v1/dpp/products/:id', summary: 'Read a product sheet', tag,
  description: 'Public. A DRAFT is answered to callers of its organization with dpp:read only.',
  access: 'public', mcp: 'get_dpp_product', etag: true,
  query: { version: optional(integer('Version of its definitions, else the present one.', { minimum: 1 })) },
  returns: { 200: Sheet },
}).readBy(async ({ caller, params, query, work }) =>
  presentSheet(await readVisibleSheet(work.trx, caller, params.id, query.version)))

const updateOne = operation({
  id: 'update_dpp_product_v1', method: 'PATCH', path: '/v1/dpp/products/:id', summary: 'Change a product sheet', tag,
  description: 'Any status can follow any other, but DRAFT none once a passport was minted. Definitions that passports do '
    + 'not fit are refused without `migrate`.',
  access: 'dpp:update', mcp: 'update_dpp_product', etag: true,
  query: { dryRun: optional(boolean('Only tell what it would do.')) },
  dryRun: true,
  body: SheetPatch,
  returns: {
    200: Type.Union([Sheet, DryRun], { description: 'The sheet; with dryRun what would become of its passports.' }),
    202: Accepted,
  },
  problems: ['DPP_PRODUCT_STATUS_FINAL', 'DPP_PRODUCT_NETWORK_FIXED', 'DPP_PRODUCT_SCHEMA_IN_USE'],
}).handledBy(async ({ body, params, query, work, precondition }) => {
  const made = await updateSheet(work, params.id, body, { precondition, dryRun: query.dryRun ?? false })
  if ('job' in made) return json({ jobId: made.job }, undefined, 202)
  return 'dryRun' in made ? made.dryRun : presentSheet(made.sheet)
})

const deleteOne = operation({
  id: 'delete_dpp_product_v1', method: 'DELETE', path: '/v1/dpp/products/:id', summary: 'Delete a product sheet', tag,
  description: 'Refused while it has passports.',
  access: 'dpp:delete', mcp: 'delete_dpp_product', confirm: true, etag: true,
  returns: { 200: Sheet }, problems: ['DPP_PRODUCT_HAS_PASSPORTS'],
}).handledBy(async ({ params, work, precondition }) => presentSheet(await deleteSheet(work, params.id, precondition)))

const getOneStats = operation({
  id: 'get_dpp_product_stats_v1', method: 'GET', path: '/v1/dpp/products/:id/stats', tag,
  summary: 'Count the passports and claims of a sheet',
  description: 'By status, with scans and the last activity.',
  access: 'dpp:read', mcp: 'get_dpp_product_stats',
  returns: { 200: SheetStats },
}).readBy(async ({ params, work }) => sheetStats(work.trx, await readSheet(work, params.id)))

/** The statistics of all sheets come before the one sheet, whose path would match them too. */
export const sheetOperations: Operation[] = [createOne, listSheets, getStats, getOne, updateOne, deleteOne, getOneStats]
