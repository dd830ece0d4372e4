import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from '../../tools/openapi.ts'
import { codes, modernCodes } from '../protocol-error.ts'

/** The revision whose requests describe themselves. */
export const modernRevision = '2026-07-28'

export const envelopeKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
} as const

export type Class =
  | { readonly is: 'session' }
  | { readonly is: 'modern'; readonly message: Readonly<Record<string, unknown>> }
  | { readonly is: 'refused'; readonly code: number; readonly message: string; readonly id: unknown }

const session: Class = { is: 'session' }

/**
 * Which era a message is of. The body decides: the version of its `_meta`; the header alone never makes a request
 * modern, but a modern header over a body without the envelope is said to be wrong.
 * Source: MCP 2026-07-28, versioning, backward compatibility.
 */
export function classify(method: string | undefined, headers: IncomingHttpHeaders, message: unknown): Class {
  if (method !== 'POST') return session
  if (Array.isArray(message)) {
    if (!message.some((one) => metaOf(one) !== null)) return session
    return refused(codes.invalidRequest, `Revision ${modernRevision} takes one message a request`, null)
  }
  if (!isRecord(message) || typeof message['method'] !== 'string') return session
  if (metaOf(message) !== null) return { is: 'modern', message }
  const spoken = headers['mcp-protocol-version']
  if (typeof spoken !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(spoken) || spoken < modernRevision) return session
  if (message['id'] === undefined) return { is: 'modern', message }
  if (message['method'] === 'initialize') {
    const text = `The header MCP-Protocol-Version says ${spoken}, but the body is an initialize of an earlier revision`
    return refused(modernCodes.headerMismatch, text, message['id'])
  }
  const missing = `params._meta is missing ${envelopeKeys.version} and ${envelopeKeys.capabilities}`
  return refused(codes.invalidParams, missing, message['id'])
}

const refused = (code: number, message: string, id: unknown): Class => ({ is: 'refused', code, message, id })

/** The `_meta` that names a revision; null where there is none. */
export function metaOf(message: unknown): Readonly<Record<string, unknown>> | null {
  if (!isRecord(message) || !isRecord(message['params'])) return null
  const meta = message['params']['_meta']
  return isRecord(meta) && Object.hasOwn(meta, envelopeKeys.version) ? meta : null
}
