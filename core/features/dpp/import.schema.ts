import type { Violation } from '../../kernel/problem.ts'
import { jsonJudge } from './json.judges.ts'
import { NewPassport } from './passports.schema.ts'
import { Product } from './product.schema.ts'

interface Schema { type?: unknown; anyOf?: Schema[] }

/**
 * The members of a body that creates a passport, with one of the two forms that its product can have. A member that may
 * be null is judged as one schema of two types, at half the cost of a union.
 */
function bodySchema(product: object): object {
  const { properties } = NewPassport
  const members = Object.entries(properties).map(([name, schema]) => [name, withNull(schema as Schema)])
  return { ...NewPassport, properties: { ...Object.fromEntries(members), product } }
}

function withNull(schema: Schema): Schema {
  const [first, second, ...others] = schema.anyOf ?? []
  if (!first || second?.type !== 'null' || others.length > 0) return schema
  return { ...first, type: [first.type, 'null'] }
}

const codes = { maxItems: 'max_items', uniqueItems: 'unique' }
const judgeOfProduct = jsonJudge(() => bodySchema(Product), codes)
const judgeOfSheet = jsonJudge(() => bodySchema({ type: ['string', 'object'], format: 'uuid' }), codes)

/** What of a body is not as a creation takes it, before what it says is judged. */
export function importedBodyJudge(body: unknown): Violation[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return [{ path: '', code: 'type', message: 'must be object' }]
  }
  const { product } = body as { product?: unknown }
  const isProduct = typeof product === 'object' && product !== null && !Array.isArray(product)
  const judge = isProduct ? judgeOfProduct : judgeOfSheet
  return judge(body, '', () => JSON.stringify(body).length).map(({ path, message, ...violation }) =>
    ({ ...violation, path: path.replace(/^\./, ''), message: told(message) }))
}

const told = (message: string) => message.replace(/,null$/, '').replace('string,object', 'string or object')
