import type { IncomingHttpHeaders } from 'node:http'
import type { HeaderParameter } from '../../../tools/header-parameters.ts'
import { isRecord, type Schema } from '../../../tools/openapi.ts'
import { modernCodes, ProtocolError } from '../../protocol-error.ts'
import { modernRevision } from '../classify.ts'

/** The parameter that `Mcp-Name` repeats, by method. Source: MCP 2026-07-28, standard request headers; SEP-2663. */
const named: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** Whether the headers say what the body says, so that what routes by headers sees what is done. */
export function headersAgree(headers: IncomingHttpHeaders, method: string, params: Schema): boolean {
  if (headers['mcp-protocol-version'] !== modernRevision) return false
  if (headers['mcp-method'] !== method || !isVisible(method)) return false
  const parameter = named.get(method)
  if (parameter === undefined) return true
  const said = headers['mcp-name']
  const value = params[parameter]
  if (said === undefined) return typeof value !== 'string'
  const found = typeof said === 'string' && isVisible(said) ? decoded(said) : null
  // A name that is no text is not repeated by anything: what is wrong with it is for the method to say.
  return typeof value === 'string' ? found === value : found !== null
}

/**
 * Header values are visible ASCII, blanks and tabs, which Node does not demand.
 * Source: MCP 2026-07-28, value encoding, server validation. @throws ProtocolError HeaderMismatch
 */
export function refuseStrangeBytes(headers: IncomingHttpHeaders): void {
  for (const name of ['mcp-method', 'mcp-name']) {
    const value = headers[name]
    if (typeof value === 'string' && !isVisible(value))
      throw mismatch(`the header ${name} has other characters than visible ASCII; encode it as =?base64?…?=`)
  }
}

/**
 * Holds the parameters that are repeated as `Mcp-Param-…` against the arguments. A parameter that is null or not
 * there is not looked for. Source: MCP 2026-07-28, custom headers from tool parameters.
 * @throws ProtocolError HeaderMismatch
 */
export function checkParameters(
  parameters: readonly HeaderParameter[],
  args: unknown,
  headers: IncomingHttpHeaders,
): void {
  for (const { header, path } of parameters) {
    const value = path.reduce(member, args)
    if (!isPrimitive(value)) continue
    const where = `arguments.${path.join('.')}`
    const said = headers[header]
    if (typeof said !== 'string') throw mismatch(`the body has ${where}, but the header ${header} is missing`)
    const found = isVisible(said) ? decoded(said) : null
    if (found === null) throw mismatch(`the header ${header} is neither visible ASCII nor canonical base64 of UTF-8`)
    if (!isSame(found, value)) throw mismatch(`the header ${header} says something else than ${where} of the body`)
  }
}

const member = (of: unknown, name: string): unknown =>
  isRecord(of) && Object.hasOwn(of, name) ? of[name] : undefined

/** What a client can write into a header: it leaves out numbers that it cannot hold exactly. */
const isPrimitive = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && !isInexact(value))

const isInexact = (value: number) => Number.isInteger(value) && !Number.isSafeInteger(value)

/** Whole numbers are compared as numbers: `42.0` is 42. */
const isSame = (found: string, value: string | number | boolean) =>
  typeof value === 'number' && /^-?\d+(\.\d+)?$/.test(found) ? Number(found) === value : found === String(value)

const isVisible = (value: string) => /^[\t\x20-\x7e]*$/.test(value)

const mismatch = (what: string) =>
  new ProtocolError(modernCodes.headerMismatch, `The request headers and body disagree: ${what}`)

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** `=?base64?…?=` is what it encodes, everything else is itself; null: not canonical base64 of UTF-8. */
function decoded(value: string): string | null {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value
  const encoded = value.slice(9, -2)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) return null
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    if (cause instanceof TypeError) return null
    throw cause
  }
}
