import type { Finding } from './open.types.ts'
import { isObject } from './fields.judges.ts'
import { classified } from './readiness/classifications.ts'
import { finding, type Code } from './readiness.table.ts'
import { objectsOf, textOf, type Values } from './readiness.values.ts'

/**
 * Accumulators: heading 85.07 of the Harmonized System, but for parts (8507.90), and class 4642 of the CPC. Primary cells
 * (85.06, 4641) have no passport by this regulation, and chargers are something else.
 */
const accumulators = { customs: /^8507(?!90)/, cpc: /^4642/ }

/** Whether a product is a rechargeable battery by the codes of its categories; undefined where no code tells. */
function isBattery(product: Values): boolean | undefined {
  const categories = classified(product).filter(({ isFormed, code }) => isFormed && code.length >= 4)
  if (categories.length === 0) return undefined
  return categories.some(({ scheme, code }) => accumulators[scheme === 'cpc' ? 'cpc' : 'customs'].test(code))
}

/**
 * What the passport of a battery will be asked for, where a code says that the product is one; and that it cannot be told
 * where no code does. Whether it is of a category that needs a passport (electric vehicles, light means of transport,
 * industry above 2 kWh) no code says. Values count in members of their own, typed as such; words elsewhere decide nothing.
 * Source: Regulation (EU) 2023/1542, article 77, Annex VI part A and Annex XIII point 1.
 */
export function judgeBattery(product: Values, data: Values): Finding[] {
  const decided = isBattery(product)
  if (decided === undefined) {
    const what = 'has no code of the HS, the CN, TARIC or the CPC, so whether it is a battery'
    return [finding('cannot_tell', 'product.productCategory', `${what} cannot be told`)]
  }
  return decided ? judgeContent(product, data) : []
}

function judgeContent(product: Values, data: Values): Finding[] {
  const { idGranularity, productionDate, dimensions, materialProvenance, performanceClaim } = product
  const found: Finding[] = []
  const ask = (there: boolean, code: Code, at: string, what = 'is missing') => {
    if (!there) found.push(finding(code, at, what))
  }
  const single = idGranularity === 'item' || idGranularity === undefined
  ask(single, 'battery_not_an_item', 'product.idGranularity', 'is not item, as the passport of a battery has to be')
  ask(productionDate !== undefined, 'battery_manufacturing_date_missing', 'product.productionDate')
  ask(isObject(dimensions) && dimensions['weight'] !== undefined, 'battery_weight_missing', 'product.dimensions.weight')
  const claims = objectsOf(performanceClaim)
  const capacity = has(data, members.capacity, isQuantity) || measuresOf(claims).some(({ unit }) => unitsOfCapacity.has(textOf(unit)))
  ask(capacity, 'battery_capacity_missing', 'data.capacity', 'or a claim of it, in AMH, WHR or KWH, is missing')
  ask(has(data, members.chemistry, isText), 'battery_chemistry_missing', 'data.chemistry')
  const materials = objectsOf(materialProvenance).length > 0
  ask(materials, 'battery_materials_missing', 'product.materialProvenance', 'names no material')
  if (!has(data, members.carbonFootprint, isQuantity)) found.push(footprintOf(claims))
  return found
}

/** No member of a claim says by a code that it is of a carbon footprint. */
const footprintOf = (claims: readonly Values[]): Finding => claims.length === 0
  ? finding('battery_carbon_footprint_missing', 'data.carbonFootprint', 'or a claim of it is missing')
  : finding('cannot_tell', 'product.performanceClaim', 'may claim the carbon footprint, which no code tells; data.carbonFootprint would')

/** Names that a member can have, in small letters and without signs between the words. */
const members = {
  capacity: ['capacity', 'ratedcapacity', 'nominalcapacity', 'batterycapacity'],
  chemistry: ['chemistry', 'batterychemistry', 'cellchemistry'],
  carbonFootprint: ['carbonfootprint', 'co2footprint', 'batterycarbonfootprint'],
} as const

/** Ampere hours, watt hours and kilowatt hours. Source: UN/ECE Recommendation 20. */
const unitsOfCapacity: ReadonlySet<string> = new Set(['AMH', 'WHR', 'KWH'])

/** Levels of data, and members of an object, that are looked at. */
const looked = { levels: 4, members: 1_000 }

/** Whether data has a member of exactly one of these names, at some depth, with such a value. */
function has(data: Values, names: readonly string[], isOne: (value: unknown) => boolean, levels: number = looked.levels): boolean {
  return Object.entries(data).slice(0, looked.members).some(([name, value]) =>
    (names.includes(name.replaceAll(/[\s_-]/g, '').toLowerCase()) && isOne(value))
    || (levels > 1 && isObject(value) && has(value, names, isOne, levels - 1)))
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

/** A number, by itself or as the value of a measure; as text it may have its unit behind it. */
const isQuantity = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^\s*\d/.test(value)) || (isObject(value) && isQuantity(value['value']))

const measuresOf = (claims: readonly Values[]): Values[] => claims.flatMap(({ claimedPerformance }) =>
  objectsOf(claimedPerformance).flatMap(({ measure }) => (isObject(measure) ? [measure] : [])))
