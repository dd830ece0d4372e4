import type { OperationDeclaration } from '../../kernel/operation.ts'
import type { ListDeclaration } from '../../kernel/page.ts'
import { Type, type TSchema } from '../../kernel/schema.ts'
import { fieldsLimits, fieldsParameterName, getSelectableSchema } from '../query/fields.ts'
import type { SharedSchemas } from './openapi.schemas.ts'
import { createExample, type JsonSchema } from './examples/create-example.ts'
import { maxKeySeconds, acceptsIdempotencyKey } from '../idempotency/keys.ts'

/**
 * Describes the parameters of an operation: those of its path, query and list, and the idempotency headers of a write.
 */
export function describeParameters(declaration: OperationDeclaration, schemas: SharedSchemas): unknown[] {
  const names = [...declaration.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string)
  const inPath = names.map((name) => {
    const schema = declaration.params?.[name] ?? Type.String({ format: 'uuid' })
    return {
      name,
      in: 'path',
      required: true,
      description: getDescription(schema) ?? `Identifier of the ${getParameterNoun(declaration, name)}.`,
      schema: schemas.share(schema),
      example: createExample(schema as JsonSchema, name, getSchemaTitle(declaration)),
    }
  })
  const { required = [] } = Type.Object(declaration.query ?? {}) as { required?: string[] }
  const inQuery = Object.entries(declaration.query ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: getDescription(schema) ?? name,
    schema: schemas.share(schema),
    example: createExample(schema as JsonSchema, name),
  }))
  return [
    ...inPath,
    ...inQuery,
    ...(getSelectableSchema(declaration) ? [fieldsParameter] : []),
    ...(declaration.list ? describeListParameters(declaration.list) : []),
    ...(declaration.access.isSigned ? [signatureParameter] : []),
    ...(acceptsIdempotencyKey(declaration) ? [idempotencyKeyParameter, idempotencyWindowParameter] : []),
  ]
}

/**
 * Returns the title of the schema that `id` in a path identifies, or an empty text if the path segment has no entry.
 */
const getSchemaTitle = ({ path }: OperationDeclaration) => titlesByPath[/([\w-]+)\/:id/.exec(path)?.[1] ?? ''] ?? ''
const titlesByPath: Readonly<Record<string, string>> = {
  products: 'Sheet',
  imports: 'ImportJob',
  mappers: 'ImportMapper',
}

/**
 * Returns the noun for what a parameter identifies. For `id`, that is the path segment before it, or the operation's
 * tag if the tag contains that word.
 */
function getParameterNoun({ path, document: { tag } }: OperationDeclaration, name: string): string {
  if (name !== 'id') return name === 'appId' ? 'application' : name.replace(/Id$/, '')
  const ofTag = toSingular(tag.toLowerCase())
  const inPath = toSingular(/([\w-]+)\/:id/.exec(path)?.[1]?.replaceAll('-', ' ') ?? ofTag)
  return ofTag.includes(inPath) ? ofTag : inPath
}

const toSingular = (words: string) => words.replace(/s$/, '')

const getDescription = (schema: TSchema) => (schema as { description?: string }).description

const fieldsParameter = {
  name: fieldsParameterName,
  in: 'query',
  required: false,
  schema: { type: 'string' },
  example: 'id,createdAt',
  description: `Only these members, \`id\` always: id,product.name. At most ${fieldsLimits.members}; those the schema requires are left out too.`,
}

const signatureParameter = {
  name: 'X-Signature',
  in: 'header',
  required: true,
  schema: { type: 'string', pattern: '^sha256=[0-9a-fA-F]{64}$' },
  example: 'sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  description: '`sha256=` and the HMAC-SHA-256 of the body, unpacked, with the secret of the sender, in hexadecimal.',
}

const idempotencyKeyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: 'order-4711',
  description: '1 to 255 printable ASCII characters. The same key and body within 30 days get the first answer again.',
}

const idempotencyWindowParameter = {
  name: 'Idempotency-Window',
  in: 'header',
  required: false,
  schema: { type: 'integer', minimum: 1, maximum: maxKeySeconds },
  example: 600,
  description:
    'Seconds after which the same key is a new request; 30 days unless stated. With it, only the answer to a success is kept.',
}

/** Where the fields of a list are described: once, because assistants read the description of every operation. */
const fieldsHint = 'Fields: see the description.'

function describeListParameters({ rowSchema, filters, sorters }: ListDeclaration): unknown[] {
  // An operation without `rowSchema` acts on the matches instead of listing them; without a page it acts on all of
  // them.
  const isAct = rowSchema === undefined
  const createDefault = (value: number) => (isAct ? {} : { default: value })
  const filtersHint = isAct ? `None: all. ${fieldsHint}` : fieldsHint
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
      description: isAct ? 'Only this page, from 1.' : 'Page, from 1.',
      schema: { type: 'integer', minimum: 1, ...createDefault(1) },
    },
    {
      name: 'pageSize',
      example: 100,
      in: 'query',
      required: false,
      description: isAct ? 'Only a page of this many rows.' : 'Rows a page.',
      schema: { type: 'integer', minimum: 1, maximum: 100, ...createDefault(10) },
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
      description: `JSON array, or brackets filters[field][operator]=value. ${filtersHint}`,
      ...createJsonContent({ type: 'array', maxItems: 50, description: filtersHint, items: condition }, [
        createFilterExample(filters),
      ]),
    },
    {
      name: 'sorters',
      in: 'query',
      required: false,
      description:
        'JSON array of field and order (asc or desc), or brackets sorters[0][field]=value&sorters[0][order]=asc; '
        + `at most 5. ${fieldsHint}`,
      ...createJsonContent(
        {
          type: 'array',
          maxItems: 5,
          description: fieldsHint,
          items: {
            type: 'object',
            properties: {
              field: { type: 'string', enum: [...sorters] },
              order: { type: 'string', enum: ['asc', 'desc'] },
            },
            required: ['field'],
          },
        },
        [{ field: sorters.includes('createdAt') ? 'createdAt' : sorters[0], order: 'desc' }],
      ),
    },
  ]
}

/**
 * Describes a query parameter that holds one JSON text, which OpenAPI defines and generated clients send. OpenAPI does
 * not define the bracket notation, so only the description mentions it.
 */
const createJsonContent = (schema: unknown, example: unknown) => ({
  content: { 'application/json': { schema, example } },
})

/** Creates an example condition on a field with listed values, else on a text field, else on the first field. */
function createFilterExample(filters: ListDeclaration['filters']): unknown {
  const rows = Object.entries(filters)
  const [field, { operators, values }] =
    rows.find(([, row]) => row.values)
    ?? rows.find(([, row]) => row.operators.includes('contains'))
    ?? (rows[0] as (typeof rows)[0])
  const operator = operators.includes('contains') ? 'contains' : operators[0]
  return {
    field,
    operator,
    value: values?.[0] ?? createExample({ type: 'string', format: operator === 'eq' ? 'uuid' : '' }, field),
  }
}
