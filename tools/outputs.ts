import { isJson } from './body.ts'
import { gather } from './gather.ts'
import { follow, type ApiDocument, type Located, type Schema } from './openapi.ts'
import type { ExposedOperation } from './operations.ts'
import { wholeView } from './shorten.ts'

/** Sure to be an object; anything else is answered under `result`. */
function isObjectSchema(document: ApiDocument, { schema, pointer }: Located): boolean {
  return follow(document, schema, pointer).schema['type'] === 'object'
}

/**
 * The schema of a tool's structured content: never stricter than what the document says of the operation's successes.
 * Null where a success may have no JSON content. Source: MCP 2025-11-25, output schema (its root is an object).
 */
export function outputSchema(document: ApiDocument, operation: ExposedOperation): Schema | null {
  const found: Located[] = []
  for (const { content } of operation.successes) {
    const json = content.find(({ mediaType }) => isJson(mediaType))
    if (!json?.schema || content.some(({ mediaType }) => !isJson(mediaType))) return null
    found.push(json.schema)
  }
  if (found.length === 0) return null
  const { schemas, definitions } = gather(found, wholeView(document))
  const shapes = schemas.map((schema, index) =>
    isObjectSchema(document, found[index] as Located)
      ? schema
      : { type: 'object', properties: { result: schema }, required: ['result'] },
  )
  const only = shapes.length === 1 && shapes[0]?.['type'] === 'object' ? shapes[0] : { type: 'object', anyOf: shapes }
  return Object.keys(definitions).length === 0 ? only : { ...only, $defs: definitions }
}
