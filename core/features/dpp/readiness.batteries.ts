import type { Finding } from './open.types.ts'
import { isObject } from './fields.judges.ts'
import { finding, type Code } from './readiness.table.ts'
import { objectsOf, textOf, type Values } from './readiness.values.ts'

/** Cells and accumulators: headings 85.06 and 85.07 of the Harmonized System, classes 4641 and 4642 of the CPC. */
const codes = /^(8506|8507|4641|4642)/
const schemes = /\b(HS|CN|TARIC|CPC)\b|harmoni[sz]ed|nomenclature|cpc|taric/i
const names = /\b(batter(y|ies)|accumulators?)\b/i

/** Whether a product says that it is a battery. */
const isBattery = ({ productCategory }: Values): boolean => objectsOf(productCategory).some((category) => {
  const { code, name, schemeId, schemeName } = category
  const isCoded = codes.test(textOf(code).replaceAll(/[ .]/g, ''))
  return names.test(textOf(name)) || (isCoded && schemes.test(`${textOf(schemeId)} ${textOf(schemeName)}`))
})

/**
 * What the passport of a battery will be asked for, where the product says that it is one. Whether it is of a category
 * that needs a passport (electric vehicles, light means of transport, industry above 2 kWh) cannot be seen.
 * Source: Regulation (EU) 2023/1542, article 77, Annex VI part A and Annex XIII point 1.
 */
export function judgeBattery(product: Values, data: Values): Finding[] {
  if (!isBattery(product)) return []
  const { idGranularity, productionDate, dimensions, materialProvenance, performanceClaim } = product
  const words = [...namesIn(data, 4), ...objectsOf(performanceClaim).flatMap(claimWords)]
  const says = (word: RegExp) => words.some((one) => word.test(one))
  const found: Finding[] = []
  const ask = (there: boolean, code: Code, at: string, what = 'is missing') => {
    if (!there) found.push(finding(code, at, what))
  }
  const single = idGranularity === 'item' || idGranularity === undefined
  ask(single, 'battery_not_an_item', 'product.idGranularity', 'is not item, as the passport of a battery has to be')
  ask(productionDate !== undefined, 'battery_manufacturing_date_missing', 'product.productionDate')
  ask(isObject(dimensions) && dimensions['weight'] !== undefined, 'battery_weight_missing', 'product.dimensions.weight')
  ask(says(/capacit/i), 'battery_capacity_missing', 'data.capacity', 'or a claim of it is missing')
  ask(says(/chemistry/i), 'battery_chemistry_missing', 'data.chemistry')
  const materials = objectsOf(materialProvenance).length > 0
  ask(materials, 'battery_materials_missing', 'product.materialProvenance', 'names no material')
  const carbon = says(/carbon|co2|ghg/i)
  ask(carbon, 'battery_carbon_footprint_missing', 'data.carbonFootprint', 'or a claim of it is missing')
  return found
}

/** Names of the members of an object and of those in it. */
function namesIn(values: Values, levels: number): string[] {
  return Object.entries(values).slice(0, 1_000).flatMap(([name, value]) =>
    [name, ...(levels > 1 && isObject(value) ? namesIn(value, levels - 1) : [])])
}

function claimWords({ name, claimedPerformance }: Values): string[] {
  const metrics = objectsOf(claimedPerformance).map(({ metric }) => (isObject(metric) ? textOf(metric['name']) : ''))
  return [textOf(name), ...metrics]
}
