import type { Finding } from './open.types.ts'
import { isObject } from './fields.judges.ts'
import { judgeBattery } from './readiness.batteries.ts'
import { namesGtin } from './readiness.gs1.ts'
import { classified, isOfCustoms, judgeClassifications } from './readiness/classifications.ts'
import { isInUnion } from './readiness/countries.ts'
import { finding } from './readiness.table.ts'
import { objectsOf, textOf, type Values } from './readiness.values.ts'

/**
 * What the Union's registry, and who looks a product up there, will ask of a passport, as far as its content shows it.
 * None of what is missing is an error: which of it a product group needs, its delegated act says. Batteries have an act
 * already.
 * Source: Regulation (EU) 2024/1781, articles 9 to 13 and Annex III; Regulation (EU) 2023/1542, article 77.
 */
export const judgeForUnion = (product: Values, data: Values): Finding[] =>
  [...judgeIdentity(product), ...judgeClassifications(product), ...judgeOperators(product), ...judgeBattery(product, data)]

function judgeIdentity(product: Values): Finding[] {
  const { relatedDocument, producedAtFacility: facility } = product
  const found: Finding[] = []
  if (!namesGtin(product)) {
    found.push(finding('eu_gtin_missing', 'product.gtin', 'is missing, and product.id has no GTIN either'))
  }
  if (!classified(product).some(isOfCustoms)) {
    found.push(finding('eu_commodity_code_missing', 'product.productCategory', 'has no code that customs use'))
  }
  if (objectsOf(relatedDocument).length === 0) {
    found.push(finding('eu_documents_missing', 'product.relatedDocument', 'names no document'))
  }
  if (isObject(facility) && textOf(facility['registeredId']) === '') {
    found.push(finding('eu_facility_identifier_missing', 'product.producedAtFacility.registeredId', 'is missing'))
  }
  return found
}

function judgeOperators({ relatedParty, countryOfProduction: country }: Values): Finding[] {
  const roles = Array.isArray(relatedParty) ? relatedParty.slice(0, 200) as unknown[] : []
  const roleOf = (role: unknown) => (isObject(role) ? textOf(role['role']) : '')
  const maker = roles.findIndex((role) => roleOf(role) === 'manufacturer' || roleOf(role) === 'producer')
  const code = isObject(country) ? textOf(country['countryCode']) : ''
  const found = maker === -1
    ? [finding('eu_manufacturer_missing', 'product.relatedParty', 'names no manufacturer')]
    : judgeMaker(roles[maker], `product.relatedParty[${maker}].party`)
  if (code === '' || isInUnion(code) || roles.some((role) => roleOf(role) === 'importer')) return found
  const what = 'names no importer, and the product is made outside the Union'
  return [...found, finding('eu_importer_missing', 'product.relatedParty', what)]
}

function judgeMaker(role: unknown, at: string): Finding[] {
  const party = isObject(role) ? role['party'] : null
  if (!isObject(party)) return []
  const found: Finding[] = []
  if (textOf(party['registeredId']) === '') {
    found.push(finding('eu_operator_identifier_missing', `${at}.registeredId`, 'is missing'))
  }
  if (party['partyAddress'] === undefined) {
    found.push(finding('eu_operator_address_missing', `${at}.partyAddress`, 'is missing'))
  }
  return found
}
