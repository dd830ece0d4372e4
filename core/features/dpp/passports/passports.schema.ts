import { jobStatuses } from '../../../kernel/job.ts'
import {
  enumFilter,
  uuidFilter,
  presenceFilter,
  textFilter,
  commonFilters,
  commonSorters,
  createListSchema,
  type FilterField,
  type ListDeclaration,
} from '../../../kernel/page.ts'
import {
  Type,
  instant,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { networkNames } from '../../../chains/networks.ts'
import { ApplicationRef } from '../../applications/index.ts'
import { granularities, Product, ProductPatch } from '../content/index.ts'

export const passportStatuses = ['draft', 'published', 'claimed', 'archived'] as const
export const passportSources = ['manual', 'import', 'ecommerce'] as const
export const certificationStatuses = ['none', 'pending', 'certified', 'error'] as const

export type PassportStatus = (typeof passportStatuses)[number]

/** The maximum length of a reference, in characters. */
const maxReferenceLength = 200

const createEmailSchema = (description: string) => Type.String({ format: 'email', maxLength: 254, description })
export const createPhoneNumberSchema = (description: string) =>
  Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$', description, examples: ['+33612345678'] })
const reference = (description: string) =>
  Type.String({ minLength: 1, maxLength: maxReferenceLength, pattern: '^[^\\u0000-\\u001f\\u007f]*$', description })
const certifiedPaths = (description: string) =>
  list(Type.String({ minLength: 1, maxLength: 500 }), description, {
    maxItems: 500,
    uniqueItems: true,
  })
const certificateUri = (description: string) =>
  Type.String({ format: 'uri', pattern: '^https://', maxLength: 2000, description })

const PassportUnit = object(
  {
    id: uuid('Identifier of the job.'),
    status: oneOf(jobStatuses, 'What became of this passport in that job.'),
    error: optional(string('Why it failed, in English.')),
  },
  { title: 'PassportUnit', description: 'This passport as a unit of the last job of its kind.' },
)

const MintedTo = object(
  {
    id: optional(uuid('Account that owns the passport; absent for callers outside its organization.')),
    address: string('Address that the token was given to.'),
    network: oneOf(networkNames, 'Network of that address.'),
  },
  { title: 'MintedTo', description: 'Who claimed the passport.' },
)

const Token = object(
  {
    contract: string('Address of the token contract.'),
    transactionHash: string('Transaction that minted the token.'),
    owner: string('Address that owns it now.'),
  },
  { title: 'PassportToken', description: 'The token on chain.' },
)

const Parent = object(
  {
    id: uuid('Identifier of the parent.'),
    product: record('Its product object.'),
  },
  { title: 'PassportParent', description: 'Product flow: the passport of the model or batch that the numbers name.' },
)

const Trust = object(
  {
    enrolledAt: instant('When it was enrolled.'),
    url: string('Web page of the product.'),
  },
  { title: 'PassportTrust', description: 'Product flow: the tracking that a model was enrolled for, once.' },
)

export const Passport = object(
  {
    id: uuid('Identifier of the passport.'),
    tokenId: Type.String({
      pattern: '^0x[0-9a-f]{64}$',
      description: '`0x` and the SHA-256 of the identifier in small letters, as UTF-8. It never changes.',
    }),
    application: ApplicationRef,
    network: oneOf(networkNames, 'Network of its token; in the sheet flow that of the sheet.'),
    status: oneOf(passportStatuses, 'draft → published → claimed; any can become archived, which is final.'),
    source: oneOf(passportSources, 'How it came to be. A passport of a shop (`ecommerce`) is read-only here.'),
    reference: optional(
      nullable(reference('Your own name for it, unique within the application; null when none was given.')),
    ),
    product: Type.Union([uuid('Sheet it was made from.'), record('UNTP 0.7.0 product that it describes itself.')], {
      description: 'The identifier of its sheet in the sheet flow, an object in the product flow.',
    }),
    sheetVersion: optional(integer('Sheet flow: the version of the sheet that judged its values.', { minimum: 1 })),
    fields: optional(record('Sheet flow: its values, as the `passportsFields` of the sheet define them.')),
    data: optional(record('Product flow: its values.')),
    model: optional(nullable(Parent)),
    batch: optional(nullable(Parent)),
    trust: optional(nullable(Trust)),
    certifiedPaths: certifiedPaths(
      'Fields or paths of `data` to certify; in the sheet flow those of the sheet when empty.',
    ),
    certificateUri: nullable(certificateUri('Where you host the certificate.')),
    allowedClaimEmail: optional(
      nullable(createEmailSchema('Who may claim it by verified e-mail; small and capital letters are the same.')),
    ),
    allowedClaimPhoneNumber: optional(nullable(createPhoneNumberSchema('Who may claim it (E.164).'))),
    mintedTo: nullable(MintedTo),
    token: nullable(Token),
    certificationStatus: oneOf(certificationStatuses, 'Whether its credential is signed and anchored.'),
    certifiedAt: nullable(instant('When it was certified last.')),
    contentHash: nullable(string('`0x` and the SHA-256 of the certified content in JCS (RFC 8785).')),
    ipfsCid: nullable(string('Content identifier of the stored credential.')),
    structureJob: optional(nullable(PassportUnit)),
    certifyJob: optional(nullable(PassportUnit)),
    createdAt: instant('When it was created.'),
    updatedAt: instant('When it last changed.'),
  },
  {
    title: 'Passport',
    description:
      'A digital product passport: of a sheet (`fields`) or of a product object (`data`). '
      + 'Callers outside its organization see published, claimed and archived ones only, '
      + 'without allowedClaimEmail, allowedClaimPhoneNumber, reference, structureJob, certifyJob and mintedTo.id.',
  },
)
export type Passport = Static<typeof Passport>

export const PassportList = createListSchema(Passport, 'PassportList')

const emailDescription = 'Who may claim it.'
const phoneDescription = 'Who may claim it (E.164).'
const certificateUriDescription = 'Where you host the certificate.'
const referenceDescription = 'Your own id, unique in the application.'
const certifiedPathsDescription = 'Paths to certify in `data` or `passportsFields`; empty: as the sheet says.'

export const NewPassport = object(
  {
    product: Type.Union([uuid('Sheet flow.'), Product], {
      description: 'Id of a sheet, or a product.',
    }),
    application: optional(uuid("Product flow; else the sheet's.")),
    network: optional(oneOf(networkNames, "Product flow; else the application's.")),
    fields: optional(record('Sheet flow: values of `passportsFields`.')),
    data: optional(record('Product flow: own values, at most 20 levels, 256 KiB; `opt_in_form`: ipfs:// uri.')),
    reference: optional(nullable(reference(referenceDescription))),
    certifiedPaths: optional(certifiedPaths(certifiedPathsDescription)),
    certificateUri: optional(nullable(certificateUri(certificateUriDescription))),
    allowedClaimEmail: optional(nullable(createEmailSchema(emailDescription))),
    allowedClaimPhoneNumber: optional(nullable(createPhoneNumberSchema(phoneDescription))),
  },
  { title: 'NewPassport', description: 'A passport to create, as a draft: from a sheet, or from a product object.' },
)
export type NewPassport = Static<typeof NewPassport>

export const PassportPatch = object(
  {
    fields: optional(record('Sheet flow: values to change.')),
    product: optional(ProductPatch),
    data: optional(record('Product flow: values to change.')),
    reference: optional(nullable(reference(referenceDescription))),
    certifiedPaths: optional(certifiedPaths(certifiedPathsDescription)),
    certificateUri: optional(nullable(certificateUri(certificateUriDescription))),
    allowedClaimEmail: optional(nullable(createEmailSchema(emailDescription))),
    allowedClaimPhoneNumber: optional(nullable(createPhoneNumberSchema(phoneDescription))),
    status: optional(oneOf(passportStatuses, 'archived (final), or the present one.')),
  },
  { title: 'PassportPatch', description: 'JSON Merge Patch (RFC 7396) of a passport.' },
)
export type PassportPatch = Static<typeof PassportPatch>

const numberFilter: FilterField = textFilter('eq')

const passportFilters = {
  ...commonFilters,
  'application.id': uuidFilter('eq'),
  status: enumFilter(passportStatuses, 'eq', 'ne'),
  source: enumFilter(passportSources, 'eq', 'ne'),
  import: uuidFilter('eq'),
  product: uuidFilter('eq'),
  reference: textFilter('eq', 'contains'),
  allowedClaimEmail: { ...textFilter('eq'), insensitive: true },
  'product.idGranularity': enumFilter(granularities, 'eq'),
  'product.modelNumber': numberFilter,
  'product.batchNumber': numberFilter,
  'product.itemNumber': numberFilter,
  modelNumber: { ...numberFilter, alias: 'product.modelNumber' },
  'product.name': textFilter('contains'),
  'mintedTo.id': uuidFilter('eq'),
  structureJob: presenceFilter,
  certifyJob: presenceFilter,
  'structureJob.status': enumFilter(jobStatuses, 'eq'),
  'certifyJob.status': enumFilter(jobStatuses, 'eq'),
} satisfies Record<string, FilterField>

/** The parameters of the list of passports; publishing takes the same ones. */
export const passportList: ListDeclaration = { rowSchema: Passport, filters: passportFilters, sorters: commonSorters }
