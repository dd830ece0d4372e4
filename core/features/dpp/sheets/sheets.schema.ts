import { networkNames } from '../../../chains/networks.ts'
import {
  Type,
  boolean,
  instant,
  integer,
  list,
  nameText,
  nullable,
  object,
  oneOf,
  optional,
  record,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { createListSchema } from '../../../kernel/page.ts'
import { FieldDefinition } from '../fields/index.ts'

export const sheetStatuses = ['DRAFT', 'ACTIVE', 'UNLISTED', 'ARCHIVED'] as const
export type SheetStatus = (typeof sheetStatuses)[number]

const application = uuid('Its application.')
const network = oneOf(networkNames, 'Fixed by the first mint.')
const name = nameText('Name for people.')
const status = oneOf(
  sheetStatuses,
  'DRAFT: organization only. ACTIVE: minted and claimed. UNLISTED: the same, by link only.',
)
const productFields = list(FieldDefinition, 'Fields of the product; at most 500 definitions in all.', {
  maxItems: 500,
})
const passportsFields = list(FieldDefinition, 'Fields of each passport.', { maxItems: 500 })
const certifiedPaths = list(
  Type.String({ minLength: 1, maxLength: 500 }),
  ['Paths to certify in the fields, as `parts[].weight`.'].join(' '),
  { maxItems: 500, uniqueItems: true },
)
const fields = record('Values of `productFields`.')

export const Sheet = object(
  {
    id: uuid('Identifier of the sheet.'),
    application,
    network,
    name,
    status,
    productFields,
    passportsFields,
    certifiedPaths,
    fields,
    version: integer('Version of its definitions: 1 at first, one more with every change of them.', { minimum: 1 }),
    createdAt: instant('When the sheet was created.'),
    updatedAt: instant('When it last changed.'),
  },
  {
    title: 'Sheet',
    description: 'Which fields the passports of a product have, on which network they are minted, and its own values.',
  },
)
export type Sheet = Static<typeof Sheet>

export const SheetList = createListSchema(Sheet, 'SheetList')

const writable = {
  network: optional(network),
  status: optional(status),
  productFields: optional(productFields),
  passportsFields: optional(passportsFields),
  certifiedPaths: optional(certifiedPaths),
  fields: optional(fields),
}

export const NewSheet = object(
  { application, name, ...writable },
  {
    title: 'NewSheet',
    description: "What a sheet is created from: DRAFT, on its application's network, without fields unless stated.",
  },
)
export type NewSheet = Static<typeof NewSheet>

export const SheetPatch = object(
  {
    name: optional(name),
    ...writable,
    migrate: optional(boolean('Judge all passports again in a job (202); misfits keep their version.')),
  },
  { title: 'SheetPatch', description: 'A JSON Merge Patch of a sheet (RFC 7396).' },
)
export type SheetPatch = Static<typeof SheetPatch>

const count = (description: string) => integer(description, { minimum: 0 })

const activity = {
  passports: object(
    {
      total: count('Passports of any status.'),
      draft: count('Passports not yet published.'),
      published: count('Published passports that nobody has claimed.'),
      claimed: count('Passports that a buyer holds.'),
      archived: count('Passports taken out of use.'),
    },
    { title: 'PassportCounts', description: 'Passports by status.' },
  ),
  minted: count('Passports whose token is on the chain.'),
  claims: object(
    {
      pending: count('Claims on their way.'),
      completed: count("Claims that ended with the token in a buyer's wallet."),
      failed: count('Claims that failed for good.'),
    },
    { title: 'ClaimCounts', description: 'Claims by status.' },
  ),
  scans: count('Scans by people outside the organization, as far back as events are kept.'),
  lastActivityAt: nullable(instant('When a passport was last changed, claimed or scanned; null while there is none.')),
}

export const SheetStats = object(
  { product: uuid('The sheet.'), ...activity },
  {
    title: 'SheetStats',
    description: 'What became of the passports of one sheet.',
  },
)
export type SheetStats = Static<typeof SheetStats>

export const SheetsStats = object(
  {
    products: object(
      {
        total: count('Sheets of any status.'),
        DRAFT: count('Sheets in preparation.'),
        ACTIVE: count('Sheets in use.'),
        UNLISTED: count('Sheets in use by direct link.'),
        ARCHIVED: count('Sheets out of use.'),
      },
      { title: 'SheetCounts', description: 'Sheets by status.' },
    ),
    ...activity,
  },
  { title: 'SheetsStats', description: 'What became of all sheets and passports of the organization.' },
)
export type SheetsStats = Static<typeof SheetsStats>
