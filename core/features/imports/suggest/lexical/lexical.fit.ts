import { getUnitKind } from '../../transforms/index.ts'
import type { UnitKind } from './lexical.names.ts'
import { findValueUnit } from './lexical.transforms.ts'
import type { ValueLook, ColumnValues } from './lexical.values.ts'

/**
 * How well values suit a destination. `certain`: they hardly suit another one. `open`: there are no values. `wrong`:
 * they cannot go there.
 */
export type Fit = 'certain' | 'good' | 'open' | 'bad' | 'wrong'

interface Suitability {
  certain?: readonly ValueLook[]
  good?: readonly ValueLook[]
  bad?: readonly ValueLook[]
  units?: readonly UnitKind[]
}

const numberSuitability: Suitability = { good: ['code', 'integer'], bad: ['words', 'gtin'] }
const textSuitability: Suitability = {
  good: ['words'],
  bad: ['code', 'longText', 'gender', 'sizeWord', 'season', 'country', 'granularity'],
}
const numberLooks: readonly ValueLook[] = ['integer', 'decimal']
const sizeSuitability: Suitability = { good: [...numberLooks, 'measure'], units: ['length'] }
const pageSuitability: Suitability = { good: ['paper', 'link'] }
const shareSuitability: Suitability = { good: [...numberLooks, 'percent'], units: ['percent', 'mass'] }

const suitabilities: Readonly<Record<string, Suitability>> = {
  reference: { good: ['code', 'integer', 'uuid'], bad: ['words'] },
  allowedClaimEmail: { certain: ['email'] },
  allowedClaimPhoneNumber: { certain: ['phone'] },
  certificateUri: { good: ['paper', 'link', 'digitalLink'] },
  'product.idGranularity': { certain: ['granularity'] },
  'product.name': textSuitability,
  'product.description': { certain: ['longText'], good: ['words'] },
  'product.id': { certain: ['digitalLink'], good: ['link'], bad: ['paper'] },
  'product.modelNumber': numberSuitability,
  'product.batchNumber': { good: ['code', 'integer', 'date'], bad: ['words', 'decimal', 'sizeWord'] },
  'product.itemNumber': numberSuitability,
  'product.productionDate': { certain: ['date'], bad: ['instant'] },
  'product.expiryDate': { certain: ['date'], bad: ['instant'] },
  'product.countryOfProduction.countryCode': { certain: ['countryCode'] },
  'product.countryOfProduction.countryName': { certain: ['country'], bad: ['words'] },
  'product.producedAtFacility.id': { certain: ['link', 'digitalLink'], bad: ['gtin', 'code', 'integer'] },
  'product.producedAtFacility.name': { good: ['words'], bad: ['code', 'country', 'longText', 'gender'] },
  'product.productImage.linkURL': { certain: ['picture'], good: ['link'] },
  'product.productImage.linkName': { good: ['words', 'longText'], bad: ['code'] },
  'product.relatedDocument[0].linkURL': pageSuitability,
  'product.relatedDocument[0].linkName': { good: ['words'], bad: ['code', 'longText', 'gender', 'country'] },
  'product.productCategory[0].code': { good: ['code', 'integer', 'decimal'], bad: ['words'] },
  'product.productCategory[0].name': textSuitability,
  'product.dimensions.weight.value': { good: [...numberLooks, 'measure'], units: ['mass'] },
  'product.dimensions.weight.unit': { certain: ['massUnit'] },
  'product.dimensions.length.value': sizeSuitability,
  'product.dimensions.width.value': sizeSuitability,
  'product.dimensions.height.value': sizeSuitability,
  'product.materialProvenance[0].name': { good: ['words'], bad: ['code', 'longText', 'percent', 'gender', 'country'] },
  'product.materialProvenance[0].massFraction': shareSuitability,
  'product.materialProvenance[0].recycledMassFraction': shareSuitability,
  'product.gtin': { certain: ['gtin'], bad: ['integer'] },
  'data.sku': { good: ['code', 'integer'], bad: ['words', 'gtin'] },
  'data.brand': { good: ['words'], bad: ['code', 'country', 'gender', 'longText', 'sizeWord'] },
  'data.manufacturer': { good: ['words'], bad: ['code', 'country', 'gender', 'longText'] },
  'data.supplier': { good: ['words'], bad: ['code', 'country', 'gender', 'longText'] },
  'data.color': { certain: ['color'], good: ['words'], bad: ['code', 'country', 'longText', 'sizeWord', 'gender'] },
  'data.size': {
    certain: ['measure', 'letterSize'],
    good: ['sizeWord', 'code', 'words', 'integer', 'decimal'],
    bad: ['longText', 'country', 'gtin'],
    units: ['length', 'volume', 'mass'],
  },
  'data.material': { good: ['words', 'longText', 'percent'], bad: ['code', 'country', 'gender'] },
  'data.careInstructions': { certain: ['longText'], good: ['words'], bad: ['code'] },
  'data.repairInstructions': { certain: ['longText'], good: ['words'], bad: ['code'] },
  'data.category': textSuitability,
  'data.collection': { certain: ['season'], good: ['words', 'code'], bad: ['integer', 'longText', 'country'] },
  'data.gender': { certain: ['gender'], good: ['genderLetter'], bad: ['words'] },
  'data.price': { good: numberLooks, bad: ['words'], units: ['money'] },
  'data.currency': { certain: ['currency'] },
  'data.quantity': { good: ['integer'], bad: ['decimal'], units: ['other'] },
  'data.customsTariffNumber': { good: ['integer', 'decimal'], bad: ['gtin'] },
  'data.warrantyMonths': { good: ['integer'], bad: ['words'], units: ['other'] },
  'data.carbonFootprint': { good: numberLooks, units: ['carbon', 'mass', 'other'] },
  'data.certifications': { good: ['words', 'code', 'longText'] },
}

/** The looks that suit a destination only if the destination names them. */
const peculiarLooks: readonly ValueLook[] = [
  'uuid',
  'email',
  'phone',
  'link',
  'picture',
  'paper',
  'digitalLink',
  'instant',
  'date',
  'boolean',
  'nothing',
]

/** Returns how well the values, counted in `unit`, suit a destination. */
export function getFit(path: string, values: ColumnValues, unit: UnitKind | null): Fit {
  const { looks } = values
  const suit = suitabilities[path]
  if (!suit) return 'wrong'
  if (unit !== null && unit !== 'percent' && !acceptsUnit(suit, unit)) return 'wrong'
  if (looks.has('none')) return 'open'
  const special = findSpecialFit(path, values)
  if (special) return special
  const has = (some: readonly ValueLook[] | undefined) => some?.some((look) => looks.has(look)) === true
  if (has(suit.certain)) return 'certain'
  const isPeculiar =
    has(peculiarLooks) && !has(suit.good) && !has(suit.bad) && !looks.has('words') && !looks.has('sizeWord')
  if (isPeculiar) return 'wrong'
  if (has(suit.good)) return has(suit.bad) && !(suit.good ?? []).includes('code') ? softenFit(suit, looks) : 'good'
  return has(suit.bad) ? 'bad' : 'wrong'
}

const acceptsUnit = ({ units, good }: Suitability, unit: UnitKind) =>
  units ? units.includes(unit) : unit === 'other' && good?.includes('words') === true

/**
 * Returns a worse fit for words that look like something narrower, such as a country, where any words would be
 * accepted.
 */
const softenFit = ({ bad }: Suitability, looks: ReadonlySet<ValueLook>): Fit =>
  bad?.some((look) => look !== 'code' && looks.has(look)) ? 'bad' : 'good'

/** Returns the fit for destinations where the values themselves, not only their looks, decide. */
function findSpecialFit(path: string, { looks, texts, numbers }: ColumnValues): Fit | undefined {
  if (path === 'data.customsTariffNumber') {
    const digits = texts.map((text) => text.replace(/[\s.]/g, ''))
    if (digits.every((text) => /^\d{6,11}$/.test(text))) return 'certain'
    return digits.every((text) => /^\d{4,14}$/.test(text)) ? 'bad' : 'wrong'
  }
  if (path === 'data.warrantyMonths' && numbers.some((number) => number < 0 || number > 600)) return 'wrong'
  if (/Fraction$/.test(path) && numbers.some((number) => number < 0 || number > 100)) return 'wrong'
  if (/^product\.dimensions\.\w+\.value$/.test(path) && looks.has('measure')) {
    const kind = path.includes('.weight.') ? 'mass' : 'length'
    return getUnitKind(findValueUnit(texts) ?? '') === kind ? 'good' : 'wrong'
  }
  if (path === 'product.dimensions.weight.value' && numbers.some((number) => number < 0)) return 'wrong'
  return undefined
}
