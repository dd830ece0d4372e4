import type { IncomingHttpHeaders } from 'node:http'
import { modernCodes, ProtocolError } from '../../protocol-error.ts'

/** The parameter that `Mcp-Name` repeats, by method. Source: MCP 2026-07-28, standard request headers; SEP-2663. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/**
 * Holds the headers against the body, so that what routes by headers sees what we see.
 * @throws ProtocolError HeaderMismatch
 */
export function checkHeaders(
  headers: IncomingHttpHeaders,
  version: unknown,
  method: string,
  params: Readonly<Record<string, unknown>>,
): void {
  demand('MCP-Protocol-Version', headers['mcp-protocol-version'], version)
  demand('Mcp-Method', headers['mcp-method'], method)
  const parameter = named[method]
  if (parameter === undefined) return
  const value = headers['mcp-name']
  demand('Mcp-Name', typeof value === 'string' ? decoded(value) : value, params[parameter])
}

function demand(name: string, found: string | string[] | undefined, wanted: unknown): void {
  if (found === undefined) throw mismatch(`The header ${name} is missing`)
  if (found !== wanted) throw mismatch(`The header ${name} says something else than the body`)
}

const mismatch = (message: string) => new ProtocolError(modernCodes.headerMismatch, message)

/** Source: MCP 2026-07-28, value encoding: `=?base64?…?=`, else the value itself. */
function decoded(value: string): string {
  const wrapped = /^=\?base64\?(.*)\?=$/.exec(value.trim())?.[1]
  if (wrapped === undefined) return value.trim()
  const bytes = Buffer.from(wrapped, 'base64')
  if (bytes.toString('base64') !== wrapped) throw mismatch('The header Mcp-Name is not base64')
  return bytes.toString('utf8')
}
