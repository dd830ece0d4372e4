import { DocumentError, isRecord, type Schema } from '../openapi.ts'
import { visitSubschemas } from './subschemas.ts'

/** An argument that clients of revision 2026-07-28 repeat as a header. */
export interface HeaderParameter {
  /** The name of the header in lower case, like `mcp-param-region`. */
  readonly header: string
  /** The names of the members that lead to the argument, from the outside in. */
  readonly path: readonly string[]
  /** True if a client may leave the header out. */
  readonly optional?: boolean
}

const headerKeyword = 'x-mcp-header'

/**
 * Finds the arguments of a tool that are annotated with `x-mcp-header`.
 * Source: MCP 2026-07-28, custom headers from tool parameters.
 * @throws DocumentError if the place or form of an annotation would make clients leave out the tool
 */
export function findHeaderParameters(inputSchema: Schema): HeaderParameter[] {
  const parameters: HeaderParameter[] = []
  const visit = (schema: Schema, path: readonly string[]) => {
    if (schema[headerKeyword] !== undefined) parameters.push(parseHeaderParameter(schema, path))
    const properties = isRecord(schema['properties']) ? schema['properties'] : {}
    for (const [name, member] of Object.entries(properties)) if (isRecord(member)) visit(member, [...path, name])
  }
  visit(inputSchema, [])
  if (parameters.length < countAnnotations(inputSchema))
    throw new DocumentError(`${headerKeyword} stands where it is not reached by members alone`)
  const headers = parameters.map(({ header }) => header)
  const repeated = headers.find((header, at) => headers.indexOf(header) !== at)
  if (repeated !== undefined) throw new DocumentError(`two arguments are repeated as the header ${repeated}`)
  return parameters
}

function parseHeaderParameter(schema: Schema, path: readonly string[]): HeaderParameter {
  const name = schema[headerKeyword]
  const where = path.join('.') || 'the arguments'
  if (typeof name !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    throw new DocumentError(`${headerKeyword} of ${where} is not the name of a header`)
  if (!['string', 'integer', 'boolean'].includes(String(schema['type'])))
    throw new DocumentError(`${headerKeyword} of ${where} is only for text, whole numbers and booleans`)
  return { header: `mcp-param-${name.toLowerCase()}`, path }
}

function countAnnotations(schema: Schema): number {
  let count = schema[headerKeyword] === undefined ? 0 : 1
  visitSubschemas(schema, '#', (inner) => {
    count += countAnnotations(inner)
  })
  return count
}
