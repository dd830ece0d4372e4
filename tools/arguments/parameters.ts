import {
  DocumentError,
  resolveReference,
  isRecord,
  joinPointer,
  type ApiDocument,
  type LocatedSchema,
  type Schema,
} from '../openapi.ts'

/** A path or query parameter. OpenAPI defines `style` and `explode`; the style `json` sends the value as JSON text. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: LocatedSchema
  readonly style: 'form' | 'deepObject' | 'json' | 'simple'
  readonly explode: boolean
  /** The texts that it can be, if these are a fixed list; else empty. */
  readonly choices: readonly string[]
}

/**
 * Reads the parameters of an operation. An operation's own parameters win over those of its path. Headers and cookies
 * never become arguments. @throws DocumentError
 */
export function readParameters(
  document: ApiDocument,
  item: Schema,
  operation: Schema,
  path: string,
  pointer: string,
): Parameter[] {
  const located = locateParameters(document, item, operation, pointer)
  const parameters = located.flatMap((one) => readParameter(document, one))
  const inPath = [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1])
  for (const name of inPath) {
    if (!parameters.some((one) => one.in === 'path' && one.name === name))
      throw new DocumentError(`{${name}} is not a parameter`)
  }
  return parameters.filter((one) => one.in === 'query' || inPath.includes(one.name))
}

/**
 * Returns whether an operation declares a header parameter. The case of its name does not count. Source: OpenAPI 3.1,
 * Parameter Object; RFC 9110, section 5.1. @throws DocumentError
 */
export function hasHeaderParameter(
  document: ApiDocument,
  item: Schema,
  operation: Schema,
  pointer: string,
  header: string,
): boolean {
  return locateParameters(document, item, operation, pointer).some(
    ({ schema: { in: place, name } }) => place === 'header' && String(name).toLowerCase() === header.toLowerCase(),
  )
}

/** Finds the parameters of an operation and of its path. @throws DocumentError */
function locateParameters(document: ApiDocument, item: Schema, operation: Schema, pointer: string): LocatedSchema[] {
  const locatedByKey = new Map<string, LocatedSchema>()
  const above = pointer.slice(0, pointer.lastIndexOf('/'))
  for (const [holder, at] of [
    [item, above],
    [operation, pointer],
  ] as const) {
    const list: unknown = holder['parameters'] ?? []
    if (!Array.isArray(list)) throw new DocumentError('parameters is not a list')
    list.forEach((entry: unknown, index) => {
      const located = resolveReference(document, entry, joinPointer(at, 'parameters', index))
      locatedByKey.set(`${String(located.schema['in'])} ${String(located.schema['name'])}`, located)
    })
  }
  return [...locatedByKey.values()]
}

function readParameter(document: ApiDocument, { schema: stated, pointer }: LocatedSchema): Parameter[] {
  const { name, in: place } = stated
  if (typeof name !== 'string' || name === '') throw new DocumentError('a parameter has no name')
  const required = stated['required'] === true
  if (place === 'header' || place === 'cookie') {
    if (required) throw new DocumentError(`the ${place} parameter ${name} is required, and no argument can become one`)
    return []
  }
  const omitted = isRecord(stated['schema']) && stated['schema']['x-mcp-omit'] === true
  if (omitted && !required) return []
  if (place !== 'path' && place !== 'query') throw new DocumentError(`the parameter ${name} stands in no known place`)
  const content = isRecord(stated['content']) ? Object.entries(stated['content'])[0] : undefined
  const schema = readParameterSchema({ schema: stated, pointer }, content)
  return [
    {
      name,
      in: place,
      required: required || place === 'path',
      schema,
      style:
        content || isListFilter(name, schema.schema)
          ? 'json'
          : place === 'path'
            ? 'simple'
            : parseStyle(stated['style'], name),
      explode: stated['explode'] !== false,
      choices: readChoices(document, schema),
    },
  ]
}

function readChoices(document: ApiDocument, { schema, pointer }: LocatedSchema): string[] {
  const { enum: values } = resolveReference(document, schema, pointer).schema
  return Array.isArray(values) ? values.filter((value): value is string => typeof value === 'string') : []
}

/** Reads the schema of a parameter, with the parameter's description if the schema has none. */
function readParameterSchema(
  { schema: stated, pointer }: LocatedSchema,
  content: readonly [mediaType: string, media: unknown] | undefined,
): LocatedSchema {
  const holder = content && isRecord(content[1]) ? content[1] : stated
  const at = content ? joinPointer(pointer, 'content', content[0], 'schema') : joinPointer(pointer, 'schema')
  const schema = isRecord(holder['schema']) ? holder['schema'] : {}
  const { description } = stated
  const takesDescription = schema['description'] === undefined && typeof description === 'string'
  return { schema: takesDescription ? { ...schema, description } : schema, pointer: at }
}

/** Returns whether the API takes a parameter as one JSON text, whatever style the document states. */
const isListFilter = (name: string, schema: Schema) =>
  (name === 'filters' || name === 'sorters') && schema['type'] !== 'string'

function parseStyle(style: unknown, name: string): 'form' | 'deepObject' {
  if (style === undefined || style === 'form') return 'form'
  if (style === 'deepObject') return 'deepObject'
  throw new DocumentError(`the parameter ${name} has a style that is not known`)
}
