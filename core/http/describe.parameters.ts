import type { Declaration } from '../kernel/operation.ts'
import type { ListDeclaration } from '../kernel/page.ts'
import { Type, type TSchema } from '../kernel/schema.ts'
import type { Shared } from './describe.schemas.ts'
import { sample, type Plain } from './examples/sample.ts'
import { maxWindowSeconds, takesKey } from './idempotency/keys.ts'

/** The parameters of an operation: of its path, of its query, of its list, and the fields that writes take. */
export function parametersOf(declaration: Declaration, shared: Shared): unknown[] {
  const names = [...declaration.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string)
  const inPath = names.map((name) => {
    const schema = declaration.params?.[name] ?? Type.String({ format: 'uuid' })
    return {
      name,
      in: 'path',
      required: true,
      description: descriptionOf(schema) ?? `Identifier of the ${noun(declaration, name)}.`,
      schema: shared.lift(schema),
      example: sample(schema as Plain, name, wordOf(declaration)),
    }
  })
  const { required = [] } = Type.Object(declaration.query ?? {}) as { required?: string[] }
  const inQuery = Object.entries(declaration.query ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: descriptionOf(schema) ?? name,
    schema: shared.lift(schema),
    example: sample(schema as Plain, name),
  }))
  return [
    ...inPath,
    ...inQuery,
    ...(declaration.list ? listParameters(declaration.list) : []),
    ...(takesKey(declaration) ? [idempotencyKey, idempotencyWindow] : []),
  ]
}

/** Title of the schema that a path is about, as far as its first word tells: what `id` is the identifier of. */
const wordOf = ({ path }: Declaration) => titles[/([\w-]+)\/:id/.exec(path)?.[1] ?? ''] ?? ''
const titles: Readonly<Record<string, string>> = { products: 'Sheet', imports: 'ImportJob', mappers: 'ImportMapper' }

/** What a parameter names: an `id` what stands before it in the path, in the words of the tag where it is of that. */
function noun({ path, tag }: Declaration, name: string): string {
  if (name !== 'id') return name === 'appId' ? 'application' : name.replace(/Id$/, '')
  const ofTag = singular(tag.toLowerCase())
  const inPath = singular(/([\w-]+)\/:id/.exec(path)?.[1]?.replaceAll('-', ' ') ?? ofTag)
  return ofTag.includes(inPath) ? ofTag : inPath
}

const singular = (words: string) => words.replace(/s$/, '')

const descriptionOf = (schema: TSchema) => (schema as { description?: string }).description

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: 'order-4711',
  description: '1 to 255 printable ASCII characters. The same key and body within 30 days get the first answer again.',
}

const idempotencyWindow = {
  name: 'Idempotency-Window',
  in: 'header',
  required: false,
  schema: { type: 'integer', minimum: 1, maximum: maxWindowSeconds },
  example: 600,
  description: 'Seconds after which the same key is a new request; 30 days unless stated.',
}

function listParameters({ of, filters, sorters }: ListDeclaration): unknown[] {
  // Where the matches are acted on and not listed, no page is every match.
  const standard = (value: number) => (of === undefined ? {} : { default: value })
  const filterRows = Object.entries(filters).map(
    ([field, { operators, values }]) => `${field} (${operators.join(', ')}${values ? `: ${values.join(', ')}` : ''})`,
  )
  const condition = {
    type: 'object',
    description: 'A condition, or a group with operator or/and whose value is a list of filters.',
    properties: {
      field: { type: 'string', enum: Object.keys(filters) },
      operator: {
        type: 'string',
        enum: [...new Set([...Object.values(filters).flatMap((f) => f.operators), 'or', 'and'])],
      },
      value: {},
    },
    required: ['operator'],
  }
  return [
    {
      name: 'currentPage',
      example: 1,
      in: 'query',
      required: false,
      description: 'Page, from 1.',
      schema: { type: 'integer', minimum: 1, ...standard(1) },
    },
    {
      name: 'pageSize',
      example: 100,
      in: 'query',
      required: false,
      description: 'Rows a page.',
      schema: { type: 'integer', minimum: 1, maximum: 100, ...standard(10) },
    },
    {
      name: 'cursor',
      in: 'query',
      required: false,
      description: 'nextCursor of the answer before.',
      schema: { type: 'string' },
      example: 'eyJpZCI6IjAxOGYzZjZlIn0',
    },
    {
      name: 'filters',
      in: 'query',
      required: false,
      description: `JSON array, or brackets filters[field][operator]=value. Fields: ${filterRows.join('; ')}.`,
      ...asJson({ type: 'array', maxItems: 50, description: `Fields: ${fieldsOf(filters)}.`, items: condition }, [filterExample(filters)]),
    },
    {
      name: 'sorters',
      in: 'query',
      required: false,
      description:
        'JSON array of field and order (asc or desc), or brackets sorters[0][field]=value&sorters[0][order]=asc; ' +
        `at most 5. Fields: ${sorters.join(', ')}.`,
      ...asJson({
        type: 'array',
        maxItems: 5,
        description: `Fields: ${sorters.join(', ')}.`,
        items: {
          type: 'object',
          properties: {
            field: { type: 'string', enum: [...sorters] },
            order: { type: 'string', enum: ['asc', 'desc'] },
          },
          required: ['field'],
        },
      }, [{ field: sorters.includes('createdAt') ? 'createdAt' : sorters[0], order: 'desc' }]),
    },
  ]
}

/**
 * The query has the value as one JSON text, which OpenAPI defines and clients made from the document send. The bracket
 * spellings, which OpenAPI leaves undefined, are told in words.
 */
const asJson = (schema: unknown, example: unknown) => ({ content: { 'application/json': { schema, example } } })

/** A condition on the first field that people ask for: one of a few words, a text, or else whatever comes first. */
function filterExample(filters: ListDeclaration['filters']): unknown {
  const rows = Object.entries(filters)
  const [field, { operators, values }] = rows.find(([, row]) => row.values) ??
    rows.find(([, row]) => row.operators.includes('contains')) ?? (rows[0] as (typeof rows)[0])
  const operator = operators.includes('contains') ? 'contains' : operators[0]
  return { field, operator, value: values?.[0] ?? sample({ type: 'string', format: operator === 'eq' ? 'uuid' : '' }, field) }
}

/** The fields that can be filtered, those that take the same side by side. */
function fieldsOf(filters: ListDeclaration['filters']): string {
  const alike = new Map<string, string[]>()
  for (const [field, { operators, values }] of Object.entries(filters)) {
    const takes = `${operators.join(', ')}${values ? `: ${values.join(', ')}` : ''}`
    alike.set(takes, [...(alike.get(takes) ?? []), field])
  }
  return [...alike].map(([takes, fields]) => `${fields.join(', ')} (${takes})`).join('; ')
}
