import { upgradeFromThreeToThreeOne } from '@scalar/openapi-upgrader/3.0-to-3.1'
import { parse, YAMLParseError } from 'yaml'
import { DocumentError, isRecord } from './openapi.ts'

/**
 * Parses an OpenAPI document and converts OpenAPI 3.0 to 3.1.
 * @param bytes JSON or YAML in UTF-8, with or without a byte order mark
 * @returns a document of OpenAPI 3.1; whatever else parses is returned unchanged
 * @throws DocumentError for other bytes, and for YAML whose aliases multiply or lead back to themselves
 * Sources: RFC 8259; YAML 1.2.2; OpenAPI 3.0.4 and 3.1.1.
 */
export function parseDocument(bytes: Uint8Array): unknown {
  const value = parseText(decodeText(bytes))
  return isRecord(value) && typeof value['openapi'] === 'string' && value['openapi'].startsWith('3.0.')
    ? upgradeFromThreeToThreeOne(value)
    : value
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new DocumentError('it is not text in UTF-8')
  }
}

/** JSON is YAML too, but its own parser is a hundred times faster and names the place of a mistake in its own terms. */
function parseText(text: string): unknown {
  const isJson = /^\s*[{[]/.test(text)
  try {
    return isJson ? JSON.parse(text) : toJsonValue(parse(text, { logLevel: 'error' }))
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new DocumentError(`it is not JSON (${cause.message})`)
    if (cause instanceof YAMLParseError || cause instanceof ReferenceError)
      throw new DocumentError(`it is neither JSON nor YAML (${cause.message.split('\n')[0]})`)
    throw cause
  }
}

/** Returns what JSON can say of a value, as a tree: YAML has aliases, with which a value may contain itself. */
function toJsonValue(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch (cause) {
    if (cause instanceof TypeError) throw new DocumentError('it contains itself')
    throw cause
  }
}
