import { DocumentError, isRecord, type Schema } from './openapi.ts'
import { eachSubschema } from './subschemas.ts'

/** An argument that clients of revision 2026-07-28 repeat as a header. */
export interface HeaderParameter {
  /** In lower case, as `mcp-param-region`. */
  readonly header: string
  /** Where the argument stands: names of members from the outside in. */
  readonly path: readonly string[]
}

const keyword = 'x-mcp-header'

/**
 * The arguments of a tool that are annotated with `x-mcp-header`. Throws DocumentError where an annotation is in a
 * place or of a form that makes clients leave out the tool.
 * Source: MCP 2026-07-28, custom headers from tool parameters.
 */
export function headerParameters(inputSchema: Schema): HeaderParameter[] {
  const found: HeaderParameter[] = []
  const visit = (schema: Schema, path: readonly string[]) => {
    if (schema[keyword] !== undefined) found.push(read(schema, path))
    const properties = isRecord(schema['properties']) ? schema['properties'] : {}
    for (const [name, member] of Object.entries(properties)) if (isRecord(member)) visit(member, [...path, name])
  }
  visit(inputSchema, [])
  if (found.length < annotations(inputSchema))
    throw new DocumentError(`${keyword} stands where it is not reached by members alone`)
  const headers = found.map(({ header }) => header)
  const twice = headers.find((header, at) => headers.indexOf(header) !== at)
  if (twice !== undefined) throw new DocumentError(`two arguments are repeated as the header ${twice}`)
  return found
}

function read(schema: Schema, path: readonly string[]): HeaderParameter {
  const name = schema[keyword]
  const where = path.join('.') || 'the arguments'
  if (typeof name !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    throw new DocumentError(`${keyword} of ${where} is not the name of a header`)
  if (!['string', 'integer', 'boolean'].includes(String(schema['type'])))
    throw new DocumentError(`${keyword} of ${where} is only for text, whole numbers and booleans`)
  return { header: `mcp-param-${name.toLowerCase()}`, path }
}

function annotations(schema: Schema): number {
  let count = schema[keyword] === undefined ? 0 : 1
  eachSubschema(schema, '#', (inner) => {
    count += annotations(inner)
  })
  return count
}
