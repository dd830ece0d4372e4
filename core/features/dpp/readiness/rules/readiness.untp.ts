import type { Finding } from '../answers.types.ts'
import { createJsonValidator } from '../../../../kernel/json/schema-validators.ts'
import { isObject } from '../../fields/index.ts'
import { isCountry } from './countries.ts'
import { getUnitStatus } from './units.ts'
import { createFinding } from '../readiness.table.ts'
import { toFindings } from './readiness.findings.ts'
import { readUntpSchema, type SchemaNode } from '../../content/index.ts'

let definitions: Record<string, SchemaNode> | undefined
const getDefinitions = () => (definitions ??= readUntpSchema().$defs)

const validateSchema = createJsonValidator(() => {
  const $defs = getDefinitions()
  return { ...$defs['Product'], $defs }
})

/**
 * Validates the subject of a credential against the JSON Schema of UNTP 0.7.0, including required members. A missing
 * member is reported at its own path; a list that lacks a required word is reported at the path of the list. For a
 * subject above 128 KiB only the first finding is reported.
 * Source: UNTP Digital Product Passport 0.7.0, `$defs.Product`.
 */
export const validateSubject = (subject: Record<string, unknown>): Finding[] =>
  toFindings(
    'untp',
    validateSchema(subject, 'product', () => JSON.stringify(subject).length),
  )

/** The maximum number of findings of one walk. */
const maxFindings = 200

/**
 * Finds invalid codes of countries and units wherever the schema has a country or a measure. It ignores members that
 * UNTP does not know.
 * Source: ISO 3166-1; UN/ECE Recommendation 20.
 */
export function validateCodes(product: Record<string, unknown>): Finding[] {
  const found: Finding[] = []
  walkSchema({ $ref: '#/$defs/Product' }, product, 'product', found)
  return found
}

function walkSchema({ $ref, ...node }: SchemaNode, value: unknown, at: string, found: Finding[]): void {
  if (found.length >= maxFindings || typeof value !== 'object' || value === null) return
  const name = $ref?.replace('#/$defs/', '')
  const { items, properties = {} } = name === undefined ? node : (getDefinitions()[name] ?? {})
  if (Array.isArray(value))
    return items && value.forEach((item, index) => walkSchema(items, item, `${at}[${index}]`, found))
  if (!isObject(value)) return
  if (name === 'Country') validateCountry(value['countryCode'], `${at}.countryCode`, found)
  if (name === 'Measure') validateUnit(value['unit'], `${at}.unit`, found)
  for (const [member, part] of Object.entries(properties)) {
    if (Object.hasOwn(value, member)) walkSchema(part, value[member], `${at}.${member}`, found)
  }
}

function validateCountry(code: unknown, at: string, found: Finding[]): void {
  if (typeof code !== 'string' || isCountry(code)) return
  found.push(createFinding('country_code_unknown', at, 'is the code of no country'))
}

function validateUnit(code: unknown, at: string, found: Finding[]): void {
  const status = typeof code === 'string' ? getUnitStatus(code) : 'in use'
  if (status === 'unknown') found.push(createFinding('unit_unknown', at, 'is the common code of no unit of measure'))
  if (status === 'deprecated')
    found.push(createFinding('unit_deprecated', at, 'is the code of a unit that is given up'))
}
