import type { IncomingHttpHeaders } from 'node:http'
import type { HeaderParameter } from '../../../tools/catalogue/header-parameters.ts'
import { isRecord, type Schema } from '../../../tools/openapi.ts'
import { modernCodes, ProtocolError } from '../protocol-error.ts'
import { modernRevision } from '../detect-era.ts'

/**
 * The name of the parameter that `Mcp-Name` repeats, by method. Source: MCP 2026-07-28, standard request headers;
 * SEP-2663.
 */
const nameParameters: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/**
 * Returns whether the headers agree with the body, so that a proxy that routes by headers sees what is really called.
 */
export function headersAgree(headers: IncomingHttpHeaders, method: string, params: Schema): boolean {
  if (headers['mcp-protocol-version'] !== modernRevision) return false
  if (headers['mcp-method'] !== method || !isVisible(method)) return false
  const parameter = nameParameters.get(method)
  if (parameter === undefined) return true
  const statedName = headers['mcp-name']
  const value = params[parameter]
  if (statedName === undefined) return typeof value !== 'string'
  const decodedName = typeof statedName === 'string' && isVisible(statedName) ? decodeHeader(statedName) : null
  // A name that is not text cannot be repeated in a header. The method itself reports such a name.
  return typeof value === 'string' ? decodedName === value : decodedName !== null
}

/**
 * Asserts that header values contain only visible ASCII, blanks and tabs, which Node does not check.
 * Source: MCP 2026-07-28, value encoding, server validation.
 * @throws ProtocolError with the code HeaderMismatch
 */
export function assertVisibleHeaders(headers: IncomingHttpHeaders): void {
  for (const name of ['mcp-method', 'mcp-name']) {
    const value = headers[name]
    if (typeof value === 'string' && !isVisible(value))
      throw createMismatchError(`the header ${name} has other characters than visible ASCII; encode it as =?base64?…?=`)
  }
}

/**
 * Asserts that each `Mcp-Param-…` header equals the argument that it repeats. Arguments that are null or absent need no
 * header. Source: MCP 2026-07-28, custom headers from tool parameters.
 * @throws ProtocolError with the code HeaderMismatch
 */
export function assertHeaderParameters(
  parameters: readonly HeaderParameter[],
  args: unknown,
  headers: IncomingHttpHeaders,
): void {
  for (const { header, path, optional } of parameters) {
    const value = path.reduce(getMember, args)
    if (!isPrimitive(value)) continue
    const where = `arguments.${path.join('.')}`
    const statedValue = headers[header]
    if (optional && statedValue === undefined) continue
    if (typeof statedValue !== 'string')
      throw createMismatchError(`the body has ${where}, but the header ${header} is missing`)
    const decodedValue = isVisible(statedValue) ? decodeHeader(statedValue) : null
    if (decodedValue === null)
      throw createMismatchError(`the header ${header} is neither visible ASCII nor canonical base64 of UTF-8`)
    if (!isSame(decodedValue, value))
      throw createMismatchError(`the header ${header} says something else than ${where} of the body`)
  }
}

const getMember = (of: unknown, name: string): unknown =>
  isRecord(of) && Object.hasOwn(of, name) ? of[name] : undefined

/** Returns whether a client can repeat a value in a header. Numbers that it cannot hold exactly are left out. */
const isPrimitive = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && !isInexact(value))

const isInexact = (value: number) => Number.isInteger(value) && !Number.isSafeInteger(value)

/** Returns whether a header equals a value. Numbers are compared as numbers: `42.0` is 42. */
const isSame = (found: string, value: string | number | boolean) =>
  typeof value === 'number' && /^-?\d+(\.\d+)?$/.test(found) ? Number(found) === value : found === String(value)

const isVisible = (value: string) => /^[\t\x20-\x7e]*$/.test(value)

const createMismatchError = (what: string) =>
  new ProtocolError(modernCodes.headerMismatch, `The request headers and body disagree: ${what}`)

const utf8Decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes `=?base64?…?=`; returns all other values unchanged, and null for what is not canonical base64 of UTF-8. */
function decodeHeader(value: string): string | null {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value
  const encoded = value.slice(9, -2)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) return null
  try {
    return utf8Decoder.decode(bytes)
  } catch (cause) {
    if (cause instanceof TypeError) return null
    throw cause
  }
}
