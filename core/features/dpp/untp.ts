import { readFileSync } from 'node:fs'
import { presentUntp, type UntpName } from '../certification/index.ts'
import { jsonJudge, type JsonJudge } from './json.judges.ts'

/** Where the schema of each version of the UNTP Digital Product Passport is that credentials are made in. */
const schemas: Record<UntpName, URL> = {
  '0.7.0': new URL('./untp/dpp-0.7.0.schema.json', import.meta.url),
}

/** A part of the schema: as much as readers of it walk through. */
export interface SchemaNode {
  $ref?: string
  properties?: Record<string, SchemaNode>
  items?: SchemaNode
  required?: string[]
}
interface Schema { $defs: { Product: SchemaNode } & Record<string, SchemaNode> }

/** The schema of a credential, as a version has it. */
export const untpSchema = (version = presentUntp): Schema =>
  JSON.parse(readFileSync(schemas[version], 'utf8')) as Schema

/**
 * The members of a product as a version has them, where they are there: which of them a credential needs is another
 * question, as of readiness. Further members are taken at the top and wherever UNTP leaves an object open.
 */
function productSchema(version: UntpName): object {
  const { $defs } = untpSchema(version)
  const { required: _, ...product } = $defs.Product
  return { ...product, $defs }
}

const judges = new Map<UntpName, JsonJudge>()

/** What of a product is not as UNTP has it: types, formats, words, members that a nested object needs. */
export const judgeUntp = (product: object, at: string, bytes: number, version = presentUntp) => {
  const judge = judges.get(version) ?? jsonJudge(() => productSchema(version))
  judges.set(version, judge)
  return judge(product, at, bytes)
}
