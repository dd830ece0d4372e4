import type { Finding } from '../answers.types.ts'
import { isObject } from '../../fields/index.ts'
import { validateBattery } from './readiness.batteries.ts'
import { hasGtin } from './readiness.gs1.ts'
import { findClassifiedCategories, isOfCustoms, validateClassifications } from './classifications.ts'
import { isInUnion } from './countries.ts'
import { createFinding } from '../readiness.table.ts'
import { getObjects, getText, type Values } from './readiness.values.ts'

/**
 * Validates a passport against what the Union's registry, and those who look a product up there, will ask for, as far
 * as its content shows it. Nothing that is missing is an error: the delegated act of a product group says what the
 * group needs. Batteries already have an act.
 * Source: Regulation (EU) 2024/1781, articles 9 to 13 and Annex III; Regulation (EU) 2023/1542, article 77.
 */
export const validateForUnion = (product: Values, data: Values): Finding[] => [
  ...validateIdentity(product),
  ...validateClassifications(product),
  ...validateOperators(product),
  ...validateBattery(product, data),
]

function validateIdentity(product: Values): Finding[] {
  const { relatedDocument, producedAtFacility: facility } = product
  const findings: Finding[] = []
  if (!hasGtin(product)) {
    findings.push(createFinding('eu_gtin_missing', 'product.gtin', 'is missing, and product.id has no GTIN either'))
  }
  if (!findClassifiedCategories(product).some(isOfCustoms)) {
    findings.push(createFinding('eu_commodity_code_missing', 'product.productCategory', 'has no code that customs use'))
  }
  if (getObjects(relatedDocument).length === 0) {
    findings.push(createFinding('eu_documents_missing', 'product.relatedDocument', 'names no document'))
  }
  if (isObject(facility) && getText(facility['registeredId']) === '') {
    findings.push(
      createFinding('eu_facility_identifier_missing', 'product.producedAtFacility.registeredId', 'is missing'),
    )
  }
  return findings
}

function validateOperators({ relatedParty, countryOfProduction: country }: Values): Finding[] {
  const roles = Array.isArray(relatedParty) ? (relatedParty.slice(0, 200) as unknown[]) : []
  const roleOf = (role: unknown) => (isObject(role) ? getText(role['role']) : '')
  const maker = roles.findIndex((role) => roleOf(role) === 'manufacturer' || roleOf(role) === 'producer')
  const code = isObject(country) ? getText(country['countryCode']) : ''
  const found =
    maker === -1
      ? [createFinding('eu_manufacturer_missing', 'product.relatedParty', 'names no manufacturer')]
      : validateManufacturer(roles[maker], `product.relatedParty[${maker}].party`)
  if (code === '' || isInUnion(code) || roles.some((role) => roleOf(role) === 'importer')) return found
  const what = 'names no importer, and the product is made outside the Union'
  return [...found, createFinding('eu_importer_missing', 'product.relatedParty', what)]
}

function validateManufacturer(role: unknown, at: string): Finding[] {
  const party = isObject(role) ? role['party'] : null
  if (!isObject(party)) return []
  const found: Finding[] = []
  if (getText(party['registeredId']) === '') {
    found.push(createFinding('eu_operator_identifier_missing', `${at}.registeredId`, 'is missing'))
  }
  if (party['partyAddress'] === undefined) {
    found.push(createFinding('eu_operator_address_missing', `${at}.partyAddress`, 'is missing'))
  }
  return found
}
