import type { UnitKind } from './lexical.names.ts'
import type { Look, Values } from './lexical.values.ts'

/** How values suit a destination: `certain` ones hardly suit another, `open` says nothing, `wrong` ones cannot be. */
export type Fit = 'certain' | 'good' | 'open' | 'bad' | 'wrong'

interface Suit { certain?: readonly Look[]; good?: readonly Look[]; bad?: readonly Look[]; units?: readonly UnitKind[] }

const numberText: Suit = { good: ['code', 'integer'], bad: ['words', 'gtin'] }
const someText: Suit = {
  good: ['words'], bad: ['code', 'longText', 'gender', 'sizeWord', 'season', 'country', 'granularity'],
}
const anyNumber: readonly Look[] = ['integer', 'decimal']
const size: Suit = { good: anyNumber, units: ['length'] }
const page: Suit = { good: ['paper', 'link'] }
const share: Suit = { good: [...anyNumber, 'percent'], units: ['percent', 'mass'] }

const suits: Readonly<Record<string, Suit>> = {
  reference: { good: ['code', 'integer', 'uuid'], bad: ['words'] },
  allowedClaimEmail: { certain: ['email'] },
  allowedClaimPhoneNumber: { certain: ['phone'] },
  certificateUri: { good: ['paper', 'link', 'digitalLink'] },
  'product.idGranularity': { certain: ['granularity'] },
  'product.name': someText,
  'product.description': { certain: ['longText'], good: ['words'] },
  'product.id': { certain: ['digitalLink'], good: ['link'], bad: ['paper'] },
  'product.modelNumber': numberText,
  'product.batchNumber': { good: ['code', 'integer', 'date'], bad: ['words', 'decimal', 'sizeWord'] },
  'product.itemNumber': numberText,
  'product.productionDate': { certain: ['date'], bad: ['instant'] },
  'product.expiryDate': { certain: ['date'], bad: ['instant'] },
  'product.countryOfProduction.countryCode': { certain: ['countryCode'] },
  'product.countryOfProduction.countryName': { certain: ['country'], bad: ['words'] },
  'product.producedAtFacility.id': { certain: ['link', 'digitalLink'], bad: ['gtin', 'code', 'integer'] },
  'product.producedAtFacility.name': { good: ['words'], bad: ['code', 'country', 'longText', 'gender'] },
  'product.productImage.linkURL': { certain: ['picture'], good: ['link'] },
  'product.productImage.linkName': { good: ['words', 'longText'], bad: ['code'] },
  'product.relatedDocument[0].linkURL': page,
  'product.relatedDocument[0].linkName': { good: ['words'], bad: ['code', 'longText', 'gender', 'country'] },
  'product.productCategory[0].code': { good: ['code', 'integer', 'decimal'], bad: ['words'] },
  'product.productCategory[0].name': someText,
  'product.dimensions.weight.value': { good: anyNumber, units: ['mass'] },
  'product.dimensions.weight.unit': { certain: ['massUnit'] },
  'product.dimensions.length.value': size,
  'product.dimensions.width.value': size,
  'product.dimensions.height.value': size,
  'product.materialProvenance[0].name': { good: ['words'], bad: ['code', 'longText', 'percent', 'gender', 'country'] },
  'product.materialProvenance[0].massFraction': share,
  'product.materialProvenance[0].recycledMassFraction': share,
  'product.gtin': { certain: ['gtin'], bad: ['integer'] },
  'data.sku': { good: ['code', 'integer'], bad: ['words', 'gtin'] },
  'data.brand': { good: ['words'], bad: ['code', 'country', 'gender', 'longText', 'sizeWord'] },
  'data.manufacturer': { good: ['words'], bad: ['code', 'country', 'gender', 'longText'] },
  'data.supplier': { good: ['words'], bad: ['code', 'country', 'gender', 'longText'] },
  'data.color': { certain: ['color'], good: ['words'], bad: ['code', 'country', 'longText', 'sizeWord', 'gender'] },
  'data.size': {
    certain: ['measure', 'letterSize'], good: ['sizeWord', 'code', 'words', 'integer', 'decimal'],
    bad: ['longText', 'country', 'gtin'], units: ['length', 'volume', 'mass'],
  },
  'data.material': { good: ['words', 'longText', 'percent'], bad: ['code', 'country', 'gender'] },
  'data.careInstructions': { certain: ['longText'], good: ['words'], bad: ['code'] },
  'data.repairInstructions': { certain: ['longText'], good: ['words'], bad: ['code'] },
  'data.category': someText,
  'data.collection': { certain: ['season'], good: ['words', 'code'], bad: ['integer', 'longText', 'country'] },
  'data.gender': { certain: ['gender'], good: ['genderLetter'], bad: ['words'] },
  'data.price': { good: anyNumber, bad: ['words'], units: ['money'] },
  'data.currency': { certain: ['currency'] },
  'data.quantity': { good: ['integer'], bad: ['decimal'], units: ['other'] },
  'data.customsTariffNumber': { good: ['integer', 'decimal'], bad: ['gtin'] },
  'data.warrantyMonths': { good: ['integer'], bad: ['words'], units: ['other'] },
  'data.carbonFootprint': { good: anyNumber, units: ['carbon', 'mass', 'other'] },
  'data.certifications': { good: ['words', 'code', 'longText'] },
}

/** Looks that go nowhere but where a destination names them. */
const peculiar: readonly Look[] = [
  'uuid', 'email', 'phone', 'link', 'picture', 'paper', 'digitalLink', 'instant', 'date', 'boolean', 'nothing',
]

/** How these values, counted in `unit`, suit a destination. */
export function fitOf(path: string, { looks, texts, numbers }: Values, unit: UnitKind | null): Fit {
  const suit = suits[path]
  if (!suit) return 'wrong'
  if (unit !== null && unit !== 'percent' && !suitsUnit(suit, unit)) return 'wrong'
  if (looks.has('none')) return 'open'
  const special = specially(path, texts, numbers)
  if (special) return special
  const has = (some: readonly Look[] | undefined) => some?.some((look) => looks.has(look)) === true
  if (has(suit.certain)) return 'certain'
  const isPeculiar = has(peculiar) && !has(suit.good) && !has(suit.bad) && !looks.has('words') && !looks.has('sizeWord')
  if (isPeculiar) return 'wrong'
  if (has(suit.good)) return has(suit.bad) && !(suit.good ?? []).includes('code') ? softened(suit, looks) : 'good'
  return has(suit.bad) ? 'bad' : 'wrong'
}

const suitsUnit = ({ units, good }: Suit, unit: UnitKind) =>
  (units ? units.includes(unit) : unit === 'other' && good?.includes('words') === true)

/** Words that look like something narrower, as a country, suit less where any words would do. */
const softened = ({ bad }: Suit, looks: ReadonlySet<Look>): Fit =>
  (bad?.some((look) => look !== 'code' && looks.has(look)) ? 'bad' : 'good')

/** What looks cannot tell. */
function specially(path: string, texts: readonly string[], numbers: readonly number[]): Fit | undefined {
  if (path === 'data.customsTariffNumber') {
    const digits = texts.map((text) => text.replace(/[\s.]/g, ''))
    if (digits.every((text) => /^\d{6,11}$/.test(text))) return 'certain'
    return digits.every((text) => /^\d{4,14}$/.test(text)) ? 'bad' : 'wrong'
  }
  if (path === 'data.warrantyMonths' && numbers.some((number) => number < 0 || number > 600)) return 'wrong'
  if (/Fraction$/.test(path) && numbers.some((number) => number < 0 || number > 100)) return 'wrong'
  if (path === 'product.dimensions.weight.value' && numbers.some((number) => number < 0)) return 'wrong'
  return undefined
}
