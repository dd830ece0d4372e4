import {
  commonFilters,
  commonSorters,
  createListSchema,
  enumFilter,
  uuidFilter,
  type ListDeclaration,
} from '../../../kernel/page.ts'
import {
  instant,
  nameText,
  nullable,
  object,
  oneOf,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { pointOfSaleStates } from './points-of-sale.machine.ts'

const name = nameText('Its name.')
const externalId = string('Its identifier elsewhere.', { minLength: 1, maxLength: 200 })
const address = string('Postal address.', { minLength: 1, maxLength: 500 })
const timeZone = string('IANA time zone.', { minLength: 1, maxLength: 64, examples: ['Europe/Rome'] })
const status = oneOf(pointOfSaleStates, 'Whether orders there earn points.')

export const PointOfSale = object(
  {
    id: uuid('Identifier of the point of sale.'),
    application: uuid('Its application.'),
    name,
    externalId: optional(string('Its identifier elsewhere.')),
    address: optional(string('Postal address.')),
    timeZone: string('IANA time zone.'),
    status,
    createdAt: instant('When it was created.'),
    updatedAt: instant('When it last changed.'),
  },
  { title: 'PointOfSale', description: 'A place where customers of an application pay.' },
)
export type PointOfSale = Static<typeof PointOfSale>

export const PointOfSaleList = createListSchema(PointOfSale, 'PointOfSaleList')

export const NewPointOfSale = object(
  {
    application: uuid('Its application.'),
    name,
    externalId: optional(externalId),
    address: optional(address),
    timeZone,
    status: optional(status),
  },
  { title: 'NewPointOfSale', description: 'A point of sale.' },
)
export type NewPointOfSale = Static<typeof NewPointOfSale>

export const PointOfSalePatch = object(
  {
    name: optional(name),
    externalId: optional(nullable(externalId)),
    address: optional(nullable(address)),
    timeZone: optional(timeZone),
    status: optional(status),
  },
  { title: 'PointOfSalePatch', description: 'Changes of a point of sale.' },
)
export type PointOfSalePatch = Static<typeof PointOfSalePatch>

export const pointOfSaleList: ListDeclaration = {
  rowSchema: PointOfSale,
  filters: {
    ...commonFilters,
    'application.id': uuidFilter('eq'),
    status: enumFilter(pointOfSaleStates, 'eq'),
  },
  sorters: [...commonSorters, 'name'],
}
