import type { Finding } from '../answers.types.ts'
import { isObject } from '../../fields/index.ts'
import { findClassifiedCategories } from './classifications.ts'
import { createFinding, type FindingCode } from '../readiness.table.ts'
import { getObjects, getText, type Values } from './readiness.values.ts'

/**
 * The codes of accumulators: heading 85.07 of the Harmonized System except parts (8507.90), and class 4642 of the CPC.
 * Primary cells (85.06, 4641) need no passport by this regulation, and chargers are no accumulators.
 */
const accumulators = { customs: /^8507(?!90)/, cpc: /^4642/ }

/** Checks whether a product is a rechargeable battery by the codes of its categories; undefined if no code tells. */
function isBattery(product: Values): boolean | undefined {
  const categories = findClassifiedCategories(product).filter(
    ({ isWellFormed, code }) => isWellFormed && code.length >= 4,
  )
  if (categories.length === 0) return undefined
  return categories.some(({ scheme, code }) => accumulators[scheme === 'cpc' ? 'cpc' : 'customs'].test(code))
}

/**
 * Finds what the passport of a battery lacks, if a code says that the product is one. If no code tells, one finding
 * says so. No code tells whether the battery is of a category that needs a passport (electric vehicles, light means of
 * transport, industry above 2 kWh). Values count only in members of their own with the right type; words elsewhere
 * decide nothing.
 * Source: Regulation (EU) 2023/1542, article 77, Annex VI part A and Annex XIII point 1.
 */
export function validateBattery(product: Values, data: Values): Finding[] {
  const decided = isBattery(product)
  if (decided === undefined) {
    const what = 'has no code of the HS, the CN, TARIC or the CPC, so whether it is a battery'
    return [createFinding('cannot_tell', 'product.productCategory', `${what} cannot be told`)]
  }
  return decided ? validateBatteryContent(product, data) : []
}

function validateBatteryContent(product: Values, data: Values): Finding[] {
  const { idGranularity, productionDate, dimensions, materialProvenance, performanceClaim } = product
  const findings: Finding[] = []
  const addUnless = (there: boolean, code: FindingCode, at: string, what = 'is missing') => {
    if (!there) findings.push(createFinding(code, at, what))
  }
  const single = idGranularity === 'item' || idGranularity === undefined
  addUnless(
    single,
    'battery_not_an_item',
    'product.idGranularity',
    'is not item, as the passport of a battery has to be',
  )
  addUnless(productionDate !== undefined, 'battery_manufacturing_date_missing', 'product.productionDate')
  addUnless(
    isObject(dimensions) && dimensions['weight'] !== undefined,
    'battery_weight_missing',
    'product.dimensions.weight',
  )
  const claims = getObjects(performanceClaim)
  const capacity =
    hasMember(data, members.capacity, isQuantity)
    || collectMeasures(claims).some(({ unit }) => unitsOfCapacity.has(getText(unit)))
  addUnless(capacity, 'battery_capacity_missing', 'data.capacity', 'or a claim of it, in AMH, WHR or KWH, is missing')
  addUnless(hasMember(data, members.chemistry, isText), 'battery_chemistry_missing', 'data.chemistry')
  const materials = getObjects(materialProvenance).length > 0
  addUnless(materials, 'battery_materials_missing', 'product.materialProvenance', 'names no material')
  if (!hasMember(data, members.carbonFootprint, isQuantity)) findings.push(createFootprintFinding(claims))
  return findings
}

/**
 * Creates the finding for a missing carbon footprint. If there are claims, one of them may be about it: no member of a
 * claim has a code that tells.
 */
const createFootprintFinding = (claims: readonly Values[]): Finding =>
  claims.length === 0
    ? createFinding('battery_carbon_footprint_missing', 'data.carbonFootprint', 'or a claim of it is missing')
    : createFinding(
        'cannot_tell',
        'product.performanceClaim',
        'may claim the carbon footprint, which no code tells; data.carbonFootprint would',
        { example: null, fix: 'Add data.carbonFootprint, where no claim is about it: no code of a claim tells.' },
      )

/** The names that a member can have, in small letters and without spaces, hyphens and underscores. */
const members = {
  capacity: ['capacity', 'ratedcapacity', 'nominalcapacity', 'batterycapacity'],
  chemistry: ['chemistry', 'batterychemistry', 'cellchemistry'],
  carbonFootprint: ['carbonfootprint', 'co2footprint', 'batterycarbonfootprint'],
} as const

/** Ampere hours, watt hours and kilowatt hours. Source: UN/ECE Recommendation 20. */
const unitsOfCapacity: ReadonlySet<string> = new Set(['AMH', 'WHR', 'KWH'])

/** The maximum levels of data, and members of one object, that a search covers. */
const searchLimits = { levels: 4, members: 1_000 }

/** Checks whether data has, within the search limits, a member with one of exactly these names and a suitable value. */
function hasMember(
  data: Values,
  names: readonly string[],
  isOne: (value: unknown) => boolean,
  levels: number = searchLimits.levels,
): boolean {
  return Object.entries(data)
    .slice(0, searchLimits.members)
    .some(
      ([name, value]) =>
        (names.includes(name.replaceAll(/[\s_-]/g, '').toLowerCase()) && isOne(value))
        || (levels > 1 && isObject(value) && hasMember(value, names, isOne, levels - 1)),
    )
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

/** Checks whether a value is a number, a measure with a number as its value, or a text that starts with a number. */
const isQuantity = (value: unknown): boolean =>
  typeof value === 'number'
  || (typeof value === 'string' && /^\s*\d/.test(value))
  || (isObject(value) && isQuantity(value['value']))

const collectMeasures = (claims: readonly Values[]): Values[] =>
  claims.flatMap(({ claimedPerformance }) =>
    getObjects(claimedPerformance).flatMap(({ measure }) => (isObject(measure) ? [measure] : [])),
  )
