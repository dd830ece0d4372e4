import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import {
  changePointOfSale,
  createPointOfSale,
  listPointsOfSale,
  readPointOfSale,
  removePointOfSale,
} from './points-of-sale.ts'
import {
  NewPointOfSale,
  PointOfSale,
  PointOfSaleList,
  pointOfSaleList,
  PointOfSalePatch,
} from './points-of-sale.schema.ts'
import { applicationEntity } from '../../applications/index.ts'
import { pointOfSaleEntity } from './points-of-sale.model.ts'

const tag = 'Points of sale'

const listOperation = declareOperation({
  id: 'list_points_of_sale_v1',
  method: 'GET',
  path: '/v1/points-of-sale',
  access: 'loyalty:read',
  scope: { list: 'application.id' },
  list: pointOfSaleList,
  returns: { 200: PointOfSaleList },
  document: { tag, summary: 'List points of sale', mcpName: 'list_points_of_sale' },
}).withReadHandler(({ caller, page, work }) => listPointsOfSale(work, caller, page))

const createOperation = declareOperation({
  id: 'create_point_of_sale_v1',
  method: 'POST',
  path: '/v1/points-of-sale',
  access: 'loyalty:create',
  scope: { body: { application: applicationEntity } },
  body: NewPointOfSale,
  returns: { 201: PointOfSale },
  problemCodes: ['NOT_FOUND'],
  transport: { location: ({ id }: PointOfSale) => `/v1/points-of-sale/${id}` },
  document: {
    tag,
    summary: 'Create a point of sale',
    description: 'A place where customers buy, as a shop or a restaurant.',
    mcpName: 'create_point_of_sale',
  },
}).withTransactionHandler(({ body, caller, work }) => createPointOfSale(work, caller, body))

const readOperation = declareOperation({
  id: 'get_point_of_sale_v1',
  method: 'GET',
  path: '/v1/points-of-sale/:id',
  access: 'loyalty:read',
  scope: { params: { id: pointOfSaleEntity } },
  returns: { 200: PointOfSale },
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Read a point of sale',
    description: 'Its time zone says when its days begin.',
    mcpName: 'get_point_of_sale',
  },
}).withReadHandler(({ caller, params, work }) => readPointOfSale(work, caller, params.id))

const updateOperation = declareOperation({
  id: 'update_point_of_sale_v1',
  method: 'PATCH',
  path: '/v1/points-of-sale/:id',
  access: 'loyalty:update',
  scope: { params: { id: pointOfSaleEntity } },
  body: PointOfSalePatch,
  returns: { 200: PointOfSale },
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Change a point of sale',
    description: 'An inactive one counts no orders.',
    mcpName: 'update_point_of_sale',
  },
}).withTransactionHandler(({ body, caller, params, work, precondition }) =>
  changePointOfSale(work, caller, { id: params.id, patch: body, precondition }),
)

const deleteOperation = declareOperation({
  id: 'delete_point_of_sale_v1',
  method: 'DELETE',
  path: '/v1/points-of-sale/:id',
  access: 'loyalty:delete',
  scope: { params: { id: pointOfSaleEntity } },
  returns: { 200: PointOfSale },
  problemCodes: ['POINT_OF_SALE_IN_USE'],
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Delete a point of sale',
    description: 'Its orders stay. Refused while a restaurant is bound to it.',
    mcpName: 'delete_point_of_sale',
    needsConfirmation: true,
  },
}).withTransactionHandler(({ caller, params, work, precondition }) =>
  removePointOfSale(work, caller, { id: params.id, precondition }),
)

export const pointOfSaleOperations: Operation[] = [
  listOperation,
  createOperation,
  readOperation,
  updateOperation,
  deleteOperation,
]
