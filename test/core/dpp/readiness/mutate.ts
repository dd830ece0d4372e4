import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { readFileSync } from 'node:fs'
import { createDice } from '../../../support/values/random.ts'

type Json = Record<string, unknown>
/** A member of something: an object by its name, an array by its index. */
interface Place {
  holder: Json
  name: string
  path: string
}

/** A body that was made wrong in one place, with the path of that place. */
export interface Mutation {
  what: string
  body: Json
  path: string
  code: string
}

const below = (path: string, name: string) =>
  /^\d+$/.test(name) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`

function placesIn(value: unknown, path: string): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Json
  return Object.keys(holder).flatMap((name) => [
    { holder, name, path: below(path, name) },
    ...placesIn(holder[name], below(path, name)),
  ])
}

const wrongTypes = [7, true, { wrong: 1 }, ['wrong'], 'wrong']
const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value)

/** Words that UNTP lists, and members by what they hold, as the last part of their path says. */
const ofName =
  (...names: string[]) =>
  ({ name }: Place) =>
    names.includes(name)
const dates = ofName('productionDate', 'expiryDate', 'claimDate', 'startDate', 'endDate')
const at =
  (wanted: string) =>
  ({ path }: Place) =>
    path === wanted
const addresses = ofName('id', 'linkURL', 'schemeId')
const types = ({ path }: Place) => /\.type\[0\]$/.test(path)
const numbers = ofName('massFraction', 'recycledMassFraction')

/** Members without which an object is not what UNTP has it be, by the object's own members. A product without `id` gets one. */
const needed: Record<string, readonly string[]> = {
  product: ['name', 'idScheme', 'idGranularity', 'productCategory', 'producedAtFacility', 'countryOfProduction'],
  idScheme: ['id', 'name'],
  producedAtFacility: ['id', 'name'],
  countryOfProduction: ['countryCode'],
  originCountry: ['countryCode'],
  addressCountry: ['countryCode'],
  productImage: ['linkURL', 'linkName'],
  relatedDocument: ['linkURL', 'linkName'],
  evidence: ['linkURL', 'linkName'],
  productCategory: ['code', 'name', 'schemeId', 'schemeName'],
  materialType: ['code', 'name', 'schemeId', 'schemeName'],
  relatedParty: ['role', 'party'],
  party: ['id', 'name'],
  partyAddress: ['streetAddress', 'postalCode', 'addressLocality', 'addressRegion', 'addressCountry'],
  weight: ['value', 'unit'],
  height: ['value', 'unit'],
  mass: ['value', 'unit'],
  measure: ['value', 'unit'],
  materialProvenance: ['name', 'originCountry', 'materialType', 'massFraction'],
  materialUsed: ['name', 'originCountry', 'materialType', 'massFraction'],
  packaging: ['description', 'dimensions', 'materialUsed'],
  symbol: ['name', 'imageData', 'mediaType'],
  productLabel: ['name', 'imageData', 'mediaType'],
  performanceClaim: ['id', 'name', 'referenceCriteria', 'claimDate', 'claimedPerformance', 'conformityTopic'],
  applicablePeriod: ['startDate', 'endDate'],
  referenceCriteria: ['id', 'name'],
  conformityTopic: ['id', 'name'],
  metric: ['id', 'name'],
  claimedPerformance: ['metric'],
}
/** Objects that UNTP closes, of which one more member is one too many. */
const closed = new Set([
  'countryOfProduction',
  'originCountry',
  'addressCountry',
  'productImage',
  'relatedDocument',
  'evidence',
  'productCategory',
  'materialType',
  'relatedParty',
  'partyAddress',
  'weight',
  'height',
  'mass',
  'measure',
  'symbol',
  'productLabel',
  'applicablePeriod',
  'conformityTopic',
  'claimedPerformance',
])
const kindOf = (path: string) => /(\w+)(\[\d+\])?$/.exec(path)?.[1] ?? ''
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

export interface MutationWay {
  what: string
  code: string
  fits: (place: Place) => boolean
  change: (place: Place, random: (below: number) => number) => void
  at?: (place: Place) => string
}

const parentOf = (path: string) => path.replace(/(\.\w+|\[\d+\])$/, '')
const set =
  (value: unknown) =>
  ({ holder, name }: Place) => {
    holder[name] = value
  }

function retyped({ holder, name }: Place, random: (below: number) => number): void {
  const others = wrongTypes.filter((value) => typeOf(value) !== typeOf(holder[name]))
  holder[name] = others[random(others.length)]
}

/** Ways to make one place of a passport with a product wrong. A missing or surplus member is at its own path, a wrong `type` at its list. */
export const productWays: readonly MutationWay[] = [
  {
    what: 'a member that is missing',
    code: 'untp_required',
    fits: ({ path, name }) => needed[kindOf(parentOf(path))]?.includes(name) === true,
    change: ({ holder, name }) => {
      delete holder[name]
    },
  },
  {
    what: 'a value of another type',
    code: 'untp_type',
    fits: ({ path, holder }) => path.startsWith('product.') && path !== 'product.gtin' && !Array.isArray(holder),
    change: retyped,
  },
  { what: 'a word that is not listed', code: 'untp_enum', fits: ofName('role', 'idGranularity'), change: set('wrong') },
  { what: 'a day that is none', code: 'untp_format', fits: dates, change: set('2026-02-30') },
  { what: 'an address that is none', code: 'untp_format', fits: addresses, change: set('no address') },
  { what: 'a fraction past the whole', code: 'untp_max_value', fits: numbers, change: set(1.5) },
  {
    what: 'a type that is another',
    code: 'untp_invalid',
    fits: types,
    change: set('Wrong'),
    at: ({ path }) => parentOf(path),
  },
  {
    what: 'a member too many',
    code: 'untp_unknown_member',
    fits: ({ path, holder, name }) => closed.has(kindOf(path)) && isObject(holder[name]),
    change: ({ holder, name }) => {
      ;(holder[name] as Json)['surplus'] = 1
    },
    at: ({ path }) => `${path}.surplus`,
  },
  {
    what: 'a country that is none',
    code: 'country_code_unknown',
    fits: ofName('countryCode'),
    change: (place, random) => set(['UK', 'fr', 'XX', 'FRA', ''][random(5)])(place),
  },
  {
    what: 'a unit that is none',
    code: 'unit_unknown',
    fits: ofName('unit'),
    change: (place, random) => set(['kg', 'metre', 'KG', 'C5', ''][random(5)])(place),
  },
  {
    what: 'a digit of the GTIN',
    code: 'gtin_check_digit',
    fits: ({ path }) => path === 'product.gtin',
    change: ({ holder, name }, random) => {
      const digits = [...String(holder[name])]
      const at = random(digits.length)
      digits[at] = String((Number(digits[at]) + 1 + random(9)) % 10)
      holder[name] = digits.join('')
    },
  },
  {
    what: 'a digit of the GTIN in the identifier',
    code: 'gtin_check_digit',
    fits: ({ path }) => path === 'product.id',
    change: ({ holder, name }, random) => {
      holder[name] = String(holder[name]).replace(/(?<=\/01\/\d{5})\d/, (digit) =>
        String((Number(digit) + 1 + random(9)) % 10),
      )
    },
  },
  {
    what: 'another batch than the identifier names',
    code: 'identifier_number_mismatch',
    fits: at('product.batchNumber'),
    change: set('OTHER'),
  },
  {
    what: 'no application',
    code: 'passport_required',
    fits: at('application'),
    change: ({ holder, name }) => {
      delete holder[name]
    },
  },
  { what: 'a network that is none', code: 'passport_enum', fits: at('network'), change: set('Moon') },
  { what: 'a mailbox that is none', code: 'passport_format', fits: at('allowedClaimEmail'), change: set('nobody') },
  {
    what: 'a number that is none',
    code: 'passport_format',
    fits: at('allowedClaimPhoneNumber'),
    change: set('0612345678'),
  },
  {
    what: 'an insecure address',
    code: 'passport_format',
    fits: at('certificateUri'),
    change: set('http://brand.example/'),
  },
  { what: 'a reference without a character', code: 'passport_min_length', fits: at('reference'), change: set('') },
  { what: 'data that is no object', code: 'passport_type', fits: at('data'), change: set('none') },
  {
    what: 'a path that can lead nowhere',
    code: 'passport_unknown_path',
    fits: ({ path }) => path.startsWith('certifiedPaths['),
    change: set('no..where'),
  },
]

/** Ways to make one value of a sheet's passport wrong; of a list all its elements are values. */
export const fieldWays: readonly MutationWay[] = [
  {
    what: 'a value that is missing',
    code: 'sheet_required',
    fits: ofName('serial', 'country'),
    change: ({ holder, name }) => {
      delete holder[name]
    },
  },
  {
    what: 'a value of another type',
    code: 'sheet_type',
    fits: ({ path }) => path.startsWith('fields.'),
    change: retyped,
  },
  { what: 'a variant that is none', code: 'sheet_enum', fits: ofName('color'), change: set('green') },
  { what: 'a day that is none', code: 'sheet_format', fits: ofName('made', 'repairedAt'), change: set('2026-02-30') },
  { what: 'a web address that is none', code: 'sheet_format', fits: ofName('manual'), change: set('manual') },
  { what: 'a number too small', code: 'sheet_min_value', fits: ofName('size', 'weight'), change: set(-1) },
  { what: 'a text too long', code: 'sheet_max_length', fits: ofName('serial'), change: set('x'.repeat(41)) },
  {
    what: 'a field that is none',
    code: 'sheet_unknown_member',
    fits: ofName('fields', 'origin'),
    change: ({ holder, name }) => {
      ;(holder[name] as Json)['surplus'] = 1
    },
    at: ({ path }) => `${path}.surplus`,
  },
]

/** Bodies with one thing wrong each: every way at every place that it fits, in an order of chance, again from the start. */
export function createMutations(base: Json, ways: readonly MutationWay[], count: number, seed: number): Mutation[] {
  const random = createDice(seed)
  // What the base has in several places is apart in a body of its own.
  const copy = () => JSON.parse(JSON.stringify(base)) as Json
  const all = ways
    .flatMap((way) =>
      placesIn(copy(), '')
        .filter(way.fits)
        .map(({ path }) => ({ way, path, order: random(2 ** 31) })),
    )
    .sort((one, other) => one.order - other.order)
  return Array.from({ length: count }, (_, index) => {
    const { way, path } = all[index % all.length] as (typeof all)[number]
    const body = copy()
    const place = placesIn(body, '').find((one) => one.path === path) as Place
    const reportedPath = way.at?.(place) ?? path
    way.change(place, random)
    return { what: `${way.what} at ${path}`, body, path: reportedPath, code: way.code }
  })
}

/** Paths at which a validator of its own finds a product not as the schema of UNTP has it. */
export function createUntpValidator(file: URL): (product: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  const { $defs } = JSON.parse(readFileSync(file, 'utf8')) as { $defs: object }
  const validate = ajv.compile({ $ref: '#/$defs/Product', $defs })
  const pathOf = ({ instancePath, params }: ErrorObject) =>
    [...instancePath.split('/').slice(1), params['missingProperty'] ?? params['additionalProperty'] ?? []]
      .flat()
      .map(String)
      .reduce(below, 'product')
  return (product) => {
    if (validate(product)) return []
    const errors = (validate.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/contains/'))
    return [...new Set(errors.map(pathOf))].sort()
  }
}
