import type { Issue } from '../../../kernel/problem.ts'
import { createJsonValidator } from '../../../kernel/json/schema-validators.ts'
import { NewPassport } from '../passports/index.ts'
import { Product } from '../content/index.ts'

interface NullableSchema {
  type?: unknown
  anyOf?: NullableSchema[]
}

/**
 * Creates the schema of a body that creates a passport, with one of the two forms of `product`. A member that may be
 * null becomes one schema with two types, which takes half the time of a union to validate.
 */
function createBodySchema(product: object): object {
  const { properties } = NewPassport
  const members = Object.entries(properties).map(([name, schema]) => [name, mergeNullable(schema as NullableSchema)])
  return { ...NewPassport, properties: { ...Object.fromEntries(members), product } }
}

function mergeNullable(schema: NullableSchema): NullableSchema {
  const [first, second, ...others] = schema.anyOf ?? []
  if (!first || second?.type !== 'null' || others.length > 0) return schema
  return { ...first, type: [first.type, 'null'] }
}

const codes = { maxItems: 'max_items', uniqueItems: 'unique' }
const validateProductBody = createJsonValidator(() => createBodySchema(Product), codes)
const validateSheetBody = createJsonValidator(
  () => createBodySchema({ type: ['string', 'object'], format: 'uuid' }),
  codes,
)

/** Validates the form of a body that creates a passport, before its content is validated. */
export function validateImportedBody(body: unknown): Issue[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return [{ path: '', code: 'type', message: 'must be object' }]
  }
  const { product } = body as { product?: unknown }
  const isProduct = typeof product === 'object' && product !== null && !Array.isArray(product)
  const validateBody = isProduct ? validateProductBody : validateSheetBody
  return validateBody(body, '', () => JSON.stringify(body).length).map(({ path, message, ...issue }) => ({
    ...issue,
    path: path.replace(/^\./, ''),
    message: shortenMessage(message),
  }))
}

const shortenMessage = (message: string) => message.replace(/,null$/, '').replace('string,object', 'string or object')
