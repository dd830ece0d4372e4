import { expect } from 'chai'
import { createTenant, type Row, type Tenant } from '../../applications/tenants.ts'

/** What tests of sheets begin with. */
export interface SheetMaker {
  own: Tenant
  other: Tenant
  /** An application of `own`. */
  application: string
  /** Creates a sheet of `own`; only what differs from a plain one is said. */
  create(body?: object): Promise<Row>
  /** Creates a passport of a sheet. @returns its id */
  passportOf(sheet: unknown, fields?: object): Promise<string>
}

/** Two organizations, the first with an application. */
export async function createSheetMaker(): Promise<SheetMaker> {
  const [own, other] = [await createTenant(), await createTenant()]
  const application = await createApplication(own)
  return {
    own,
    other,
    application,
    async create(body = {}) {
      const created = await own.api.post('/v1/dpp/products', { application, name: 'Bag', ...body })
      expect(created.status, created.text).to.equal(201)
      return created.body
    },
    async passportOf(sheet, fields = {}) {
      const created = await own.api.post('/v1/dpp/passports', { product: sheet, fields })
      expect(created.status, created.text).to.equal(201)
      return String(created.body.id)
    },
  }
}

/** @returns the id of a new application */
export async function createApplication(of: Tenant, body: object = {}): Promise<string> {
  return String((await of.api.post('/v1/applications', { name: 'Bags', ...body })).body.id)
}

export const sheetStatuses = ['DRAFT', 'ACTIVE', 'UNLISTED', 'ARCHIVED']

export const productFields = [
  { name: 'brand', type: 'string', required: true },
  { name: 'colour', type: 'enum', variants: ['red', 'green'], default: 'red' },
  {
    name: 'size',
    type: 'object',
    fields: [
      { name: 'height', type: 'number', min: 0 },
      { name: 'unit', type: 'string', default: 'cm' },
    ],
  },
]

export const passportsFields = [
  { name: 'serialNumber', type: 'string', required: true },
  {
    name: 'parts',
    type: 'array',
    itemsType: { name: '[]', type: 'object', fields: [{ name: 'weight', type: 'number' }] },
  },
]
