import type { Finding } from './open.types.ts'
import { isObject } from './fields.judges.ts'
import { jsonJudge } from './json.judges.ts'
import { isCountry } from './readiness/countries.ts'
import { unitStatus } from './readiness/units.ts'
import { finding } from './readiness.table.ts'
import { ofViolations } from './readiness.violations.ts'
import { untpSchema, type SchemaNode } from './untp.ts'

let definitions: Record<string, SchemaNode> | undefined
const definitionsOf = () => (definitions ??= untpSchema().$defs)

const judge = jsonJudge(() => {
  const $defs = definitionsOf()
  return { ...$defs['Product'], $defs }
})

/**
 * Where the subject of a credential is not as the JSON Schema of UNTP 0.7.0 has it, members that it demands included. A
 * missing member is told at its own path, one of a list that holds no right word at the list's. Past 128 KiB the first
 * thing wrong is told. Source: UNTP Digital Product Passport 0.7.0, `$defs.Product`.
 */
export const judgeSubject = (subject: Record<string, unknown>): Finding[] =>
  ofViolations('untp', judge(subject, 'product', () => JSON.stringify(subject).length))

/** Findings that one walk tells. */
const mostTold = 200

/**
 * Codes of countries and units that are none, wherever the schema has a country or a measure. Members that UNTP does
 * not know are not looked at. Source: ISO 3166-1; UN/ECE Recommendation 20.
 */
export function judgeCodes(product: Record<string, unknown>): Finding[] {
  const found: Finding[] = []
  walk({ $ref: '#/$defs/Product' }, product, 'product', found)
  return found
}

function walk({ $ref, ...node }: SchemaNode, value: unknown, at: string, found: Finding[]): void {
  if (found.length >= mostTold || typeof value !== 'object' || value === null) return
  const name = $ref?.replace('#/$defs/', '')
  const { items, properties = {} } = name === undefined ? node : definitionsOf()[name] ?? {}
  if (Array.isArray(value)) return items && value.forEach((item, index) => walk(items, item, `${at}[${index}]`, found))
  if (!isObject(value)) return
  if (name === 'Country') judgeCountry(value['countryCode'], `${at}.countryCode`, found)
  if (name === 'Measure') judgeUnit(value['unit'], `${at}.unit`, found)
  for (const [member, part] of Object.entries(properties)) {
    if (Object.hasOwn(value, member)) walk(part, value[member], `${at}.${member}`, found)
  }
}

function judgeCountry(code: unknown, at: string, found: Finding[]): void {
  if (typeof code !== 'string' || isCountry(code)) return
  found.push(finding('country_code_unknown', at, 'is the code of no country'))
}

function judgeUnit(code: unknown, at: string, found: Finding[]): void {
  const status = typeof code === 'string' ? unitStatus(code) : 'in use'
  if (status === 'unknown') found.push(finding('unit_unknown', at, 'is the common code of no unit of measure'))
  if (status === 'deprecated') found.push(finding('unit_deprecated', at, 'is the code of a unit that is given up'))
}
