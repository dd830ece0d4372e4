import { DocumentError, follow, isRecord, stepInto, type ApiDocument, type Located, type Schema } from './openapi.ts'

/** A path or query parameter. `style` and `explode` as OpenAPI defines them; `json`: the value is sent as JSON text. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Located
  readonly style: 'form' | 'deepObject' | 'json' | 'simple'
  readonly explode: boolean
}

/** Own parameters win over those of the path. Headers and cookies are nobody's argument. */
export function readParameters(
  document: ApiDocument,
  item: Schema,
  operation: Schema,
  path: string,
  pointer: string,
): Parameter[] {
  const stated = new Map<string, Located>()
  const above = pointer.slice(0, pointer.lastIndexOf('/'))
  for (const [holder, at] of [
    [item, above],
    [operation, pointer],
  ] as const) {
    const list: unknown = holder['parameters'] ?? []
    if (!Array.isArray(list)) throw new DocumentError('parameters is not a list')
    list.forEach((entry: unknown, index) => {
      const located = follow(document, entry, stepInto(at, 'parameters', index))
      stated.set(`${String(located.schema['in'])} ${String(located.schema['name'])}`, located)
    })
  }
  const parameters = [...stated.values()].flatMap((located) => readParameter(located))
  const inPath = [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1])
  for (const name of inPath) {
    if (!parameters.some((one) => one.in === 'path' && one.name === name))
      throw new DocumentError(`{${name}} is not a parameter`)
  }
  return parameters.filter((one) => one.in === 'query' || inPath.includes(one.name))
}

function readParameter({ schema: stated, pointer }: Located): Parameter[] {
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
  const holder = content && isRecord(content[1]) ? content[1] : stated
  const at = content ? stepInto(pointer, 'content', content[0], 'schema') : stepInto(pointer, 'schema')
  const schema = isRecord(holder['schema']) ? holder['schema'] : {}
  const described =
    schema['description'] === undefined && typeof stated['description'] === 'string'
      ? { ...schema, description: stated['description'] }
      : schema
  return [
    {
      name,
      in: place,
      required: required || place === 'path',
      schema: { schema: described, pointer: at },
      style: content || isFilter(name, schema) ? 'json' : place === 'path' ? 'simple' : styleOf(stated['style'], name),
      explode: stated['explode'] !== false,
    },
  ]
}

/** Lists take these as one JSON text, whatever spelling the document shows. */
const isFilter = (name: string, schema: Schema) =>
  (name === 'filters' || name === 'sorters') && schema['type'] !== 'string'

function styleOf(style: unknown, name: string): 'form' | 'deepObject' {
  if (style === undefined || style === 'form') return 'form'
  if (style === 'deepObject') return 'deepObject'
  throw new DocumentError(`the parameter ${name} has a style that is not known`)
}
