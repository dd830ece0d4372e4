import { resolveReference, type Schema } from '../document.ts'
import { toNode, type Node } from './json.ts'

/** Where something is in a body. */
export interface Place {
  path: readonly (string | number)[]
  /** Of an object: `strict` where it takes no other members than these. Null for what is no object. */
  members: { strict: boolean; declared: readonly string[]; required: readonly string[] } | null
}

export interface Sample {
  node: Node
  places: readonly Place[]
}

/** Values of a passport, as the sheet of the stage defines them. */
const values = { serialNumber: '{{serial}}', color: 'red', size: 2, origin: { country: 'IT', year: 2026 } }

/** Definitions of many types, with all that these types allow. */
const definitions = [
  { name: 'serialNumber', type: 'string', label: 'No.', required: true, minLength: 1, maxLength: 40 },
  { name: 'colour', type: 'enum', variants: ['red', 'blue'], default: 'red' },
  { name: 'size', type: 'number', min: 0, max: 9.5, default: 1 },
  { name: 'made', type: 'date', min: '2026-01-01', default: '2026-02-01' },
  { name: 'home', type: 'url', default: 'https://example.com/' },
  { name: 'more', type: 'json', default: { a: [1, null] } },
  {
    name: 'parts',
    type: 'array',
    maxLength: 5,
    default: [{ weight: 1 }],
    itemsType: { name: '[]', type: 'object', fields: [{ name: 'weight', type: 'number', required: true }] },
  },
]

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Values that a schema cannot say: what refers to the stage, in double braces, and what has to fit together. */
const known: Record<string, unknown> = {
  application: '{{application}}',
  product: '{{sheet}}',
  passport: '{{published}}',
  organizationId: '{{organization}}',
  email: '{{email}}',
  slug: '{{slug}}',
  reference: '{{serial}}',
  allowedClaimEmail: '{{email}}',
  phone: '{{phone}}',
  otp: '123456',
  magicToken: 'text',
  name: 'Bag',
  allowedClaimPhoneNumber: '+33612345678',
  domains: ['{{slug}}.example.com'],
  features: ['dpp'],
  googleFont: 'Inter',
  passTypeIdentifier: 'pass.example',
  teamIdentifier: 'ABCDE12345',
  issuerId: '1',
  certificateUri: 'https://example.com/a',
  currencyToPointRatio: 2,
  'NewPassport.fields': values,
  'PassportPatch.fields': values,
  'NewSheet.passportsFields': definitions,
  'SheetPatch.passportsFields': definitions,
  'NewPassport.certifiedPaths': ['serialNumber'],
  'PassportPatch.certifiedPaths': ['serialNumber'],
  'NewSheet.certifiedPaths': ['colour'],
  'SheetPatch.certifiedPaths': ['colour'],
  'NewSheet.fields': {},
  'SheetPatch.fields': {},
  'FieldDefinition.name': 'colour',
  'Product.modelNumber': '{{serial}}',
  'NewImportMapper.name': '{{slug}}',
  'ImportMapperPatch.name': '{{slug}}',
  'ImportMapperRow.destination': 'reference',
  'ImportMapperRow.source': '$.reference',
  'ImportMapperRow.transforms': ['trim'],
  // The other suite would have hosts asked.
  'CertificationSettings.cryptosuites': ['eddsa-jcs-2022'],
  'ImportPreviewRequest.mapperId': '{{mapper}}',
  'CredentialToVerify.credential': `${encoded({ alg: 'EdDSA', typ: 'vc+jwt' })}.${encoded({
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    type: ['VerifiableCredential'],
    issuer: 'did:example:issuer',
    credentialSubject: { id: 'did:example:subject' },
  })}.AAAA`,
  texts: { en: { tagline: 'Made to last' } },
  'NewTransfer.phone': '+33612345679',
  'ImportMappingQuestion.sample': [{ sku: 'A-1', title: 'Bag' }],
  'NewAccountAssignment.optimisticBalance': 5,
  'PosIntegrationSettingsPatch.baseUrl': '{{posAddress}}',
  'PosIntegrationSettingsPatch.apiKey': '{{posKey}}',
  'PosIntegrationSettingsPatch.webhookSecret': '{{webhookSecret}}',
  'PosRestaurant.restaurantId': '{{restaurant}}',
  'PosRestaurant.pointOfSale': '{{pointOfSale}}',
  'NewPointOfSale.externalId': '{{serial}}',
  'PointOfSalePatch.externalId': '{{serial}}',
  'PosOrder.total': '10.00',
  'PosOrder.refundedTotal': '2.50',
  'PosOrder.id': '{{serial}}',
  'PosOrder.restaurantId': '{{restaurant}}',
  'PosItem.unitPrice': '21.25',
  'CampaignTargeting.rewardTiers': ['{{tier}}'],
  'CampaignSchedule.sendAt': '2026-01-01T10:00:00+01:00',
  'SignInMethodPatch.enabled': true,
  // A key makes nobody an owner.
  'NewInvitation.role': 'viewer',
  'MemberPatch.role': 'viewer',
  // What a PNG begins with.
  'NewOptInForm.content': 'iVBORw0KGgo=',
}

/** Members that rules need, as those of the stage's sheet, though their schema does not. */
const needed: readonly string[] = [
  'NewPassport.fields',
  'CredentialToVerify.credential',
  'NewAccountAssignment.email',
  'ImportMappingQuestion.fields',
  'NewWalletCredentials.certificate',
  'NewWalletCredentials.privateKey',
]

/** Members of mappers that fetch. */
const ofUrls = ['url', 'schedule', 'headers', 'onDuplicate', 'encoding', 'delimiter', 'sheet']

/** Members that exclude others, by how many ways there are to fill the object. */
const ways: Record<string, readonly (readonly string[])[]> = {
  SendCode: [['phoneCallingCode', 'phone'], ['email']],
  VerifyCode: [['phoneCallingCode', 'phone'], ['email']],
  NewTransfer: [['phone'], ['email']],
  SetActive: [['organizationSlug']],
  NewWalletCredentials: [['serviceAccount']],
  // No installation offers it yet.
  SignInPatch: [['google']],
  NewPassport: [['data', 'network'], ['fields']],
  Product: [[], ['batchNumber', 'itemNumber']],
  PassportPatch: [['product', 'data']],
  // Of a mapper for files, and of a row that takes one field.
  NewImportMapper: [ofUrls],
  ImportMapperPatch: [['type', ...ofUrls]],
  // Only where the format is CSV.
  ImportPreviewMapper: [['delimiter']],
  ImportMapperRow: [['value', 'lookup', 'lookupDefault']],
  ImportPreviewRequest: [['mapperId'], ['mapper']],
  FieldDefinition: [
    ['minLength', 'maxLength', 'min', 'max', 'variants', 'variantLabels', 'itemsType', 'fields', 'default'],
  ],
}

export const countWays = (schema: Schema): number => ways[String(resolveReference(schema).title)]?.length ?? 1

/**
 * A body that the schema takes, with every member that it can have or only those it needs.
 * @param way which of the members that exclude each other are left out
 */
export function createSample(schema: Schema, whole: boolean, way = 0): Sample {
  const places: Place[] = []
  const value = new Sampler(whole, way, places).of(schema, [], '')
  return { node: toNode(value), places }
}

class Sampler {
  readonly #whole: boolean
  readonly #way: number
  readonly #places: Place[]

  constructor(whole: boolean, way: number, places: Place[]) {
    this.#whole = whole
    this.#way = way
    this.#places = places
  }

  of(given: Schema, path: Place['path'], name: string): unknown {
    const schema = resolveReference(given)
    const branches = (schema.anyOf ?? []) as Schema[]
    // Of a word or an object the second way is the object.
    if (this.#way === 1 && branches[1] && resolveReference(branches[1]).properties)
      return this.of(branches[1], path, name)
    const fixed = known[name] ?? known[name.split('.').at(-1) ?? '']
    if (fixed !== undefined && !schema.properties) return this.#fixed(path, fixed)
    if (branches[0]) return this.of(branches[0], path, name)
    if (schema.type === 'object') return this.#object(schema, path)
    if (schema.type === 'array') return this.#array(schema, path, name)
    return this.#leaf(path, plain(schema))
  }

  #leaf(path: Place['path'], value: unknown): unknown {
    this.#places.push({ path, members: null })
    return value
  }

  /** A value that is known, with everything inside it. */
  #fixed(path: Place['path'], value: unknown): unknown {
    const inside = typeof value === 'object' && value !== null && !Array.isArray(value)
    this.#places.push({ path, members: inside ? { strict: false, declared: [], required: [] } : null })
    if (typeof value !== 'object' || value === null) return value
    for (const [name, member] of Object.entries(value))
      this.#fixed([...path, Array.isArray(value) ? Number(name) : name], member)
    return value
  }

  #array(schema: Schema, path: Place['path'], name: string): unknown {
    this.#places.push({ path, members: null })
    return 'items' in schema ? [this.of(schema.items as Schema, [...path, 0], name)] : []
  }

  /** An object of whatever names; what their values are its schema may say. */
  #free(schema: Schema, path: Place['path']): unknown {
    const [inside] = Object.values((schema as { patternProperties?: Record<string, Schema> }).patternProperties ?? {})
    if (!inside || Object.keys(inside).every((keyword) => keyword === 'description')) return this.#fixed(path, values)
    this.#places.push({ path, members: { strict: false, declared: [], required: [] } })
    return { text: this.of(inside, [...path, 'text'], '') }
  }

  #object(schema: Schema, path: Place['path']): unknown {
    if (!schema.properties) return this.#free(schema, path)
    const title = String(schema.title ?? '')
    this.#places.push({
      path,
      members: {
        strict: schema.additionalProperties === false,
        declared: Object.keys(schema.properties ?? {}),
        required: schema.required ?? [],
      },
    })
    const left = ways[title]?.[this.#way] ?? []
    const wanted = Object.keys(schema.properties).filter(
      (member) =>
        !left.includes(member)
        && (this.#whole
          || left.length > 0
          || schema.required?.includes(member)
          || needed.includes(`${title}.${member}`)),
    )
    const members = wanted.map((member) => {
      const inside = schema.properties?.[member] as Schema
      const value =
        this.#way === 1 && member === 'type'
          ? this.#leaf([...path, member], 'phone-otp')
          : this.of(inside, [...path, member], `${title}.${member}`)
      return [member, value] as const
    })
    return Object.fromEntries(members)
  }
}

const formats: Record<string, string> = {
  uuid: '00000000-0000-4000-8000-000000000000',
  email: '{{email}}',
  uri: 'https://example.com/',
  'date-time': '2026-01-31T12:00:00.000Z',
}

function plain({ type, enum: words, examples, minimum, exclusiveMinimum, format = '', pattern = '' }: Schema): unknown {
  if (words?.[0] !== undefined) return words[0] as unknown
  if (examples?.[0] !== undefined) return examples[0] as unknown
  if (type === 'integer' || type === 'number') return minimum ?? (exclusiveMinimum === undefined ? 1 : 2)
  if (type === 'boolean') return false
  if (type === 'string') return formats[format] ?? (pattern.includes('[Hh]') ? 'https://example.com/' : 'text')
  return 'anything'
}
