import { readFileSync } from 'node:fs'
import { currentUntpVersion, type UntpVersionName } from '../../certification/index.ts'
import { createJsonValidator, type JsonValidator } from '../../../kernel/json/schema-validators.ts'

/** The JSON Schema of each version of the UNTP Digital Product Passport in which credentials are issued. */
const schemas: Record<UntpVersionName, URL> = {
  '0.7.0': new URL('./dpp-0.7.0.schema.json', import.meta.url),
}

/** The parts of a JSON Schema that its readers walk through. */
export interface SchemaNode {
  $ref?: string
  type?: string
  format?: string
  enum?: string[]
  minimum?: number
  allOf?: { contains?: { const?: unknown } }[]
  properties?: Record<string, SchemaNode>
  items?: SchemaNode
  required?: string[]
}
interface Schema {
  $defs: { Product: SchemaNode } & Record<string, SchemaNode>
}

/** Reads the JSON Schema of a credential in one version. */
export const readUntpSchema = (version = currentUntpVersion): Schema =>
  JSON.parse(readFileSync(schemas[version], 'utf8')) as Schema

/**
 * Creates the schema of a product in one version, without the members that UNTP requires at the top: whether a
 * credential has them is a question of readiness. Further members are accepted at the top and wherever UNTP leaves an
 * object open.
 */
function createProductSchema(version: UntpVersionName): object {
  const { $defs } = readUntpSchema(version)
  const { required: _, ...product } = $defs.Product
  return { ...product, $defs }
}

const validators = new Map<UntpVersionName, JsonValidator>()

/** Validates a product against UNTP: types, formats, enumerated words, and members that a nested object requires. */
export const validateUntp = (product: object, at: string, bytes: number, version = currentUntpVersion) => {
  const validate = validators.get(version) ?? createJsonValidator(() => createProductSchema(version))
  validators.set(version, validate)
  return validate(product, at, bytes)
}
