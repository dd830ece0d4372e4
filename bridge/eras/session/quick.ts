import type { ServerResponse } from 'node:http'
import { isRecord, type Schema } from '../../../tools/openapi.ts'
import type { ProtocolError } from '../../protocol-error.ts'

/** A request in a message that says nothing else of itself, from a client that takes every kind of answer. */
export interface PlainRequest {
  readonly id: string | number
  readonly method: unknown
  readonly params: unknown
}

const members = new Set(['jsonrpc', 'id', 'method', 'params'])

/** Null for whatever is unusual about a message: that is left to the SDK's transport, which also knows how to refuse it. */
export function plainRequest(message: unknown, accept = ''): PlainRequest | null {
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return null
  if (!isRecord(message) || message['jsonrpc'] !== '2.0' || Object.keys(message).some((key) => !members.has(key))) return null
  const { id, method, params } = message
  return typeof id === 'string' || Number.isInteger(id) ? { id: id as string | number, method, params } : null
}

/** A request that needs nothing of its session: it tells no progress and asks nobody. */
export interface QuickRequest {
  readonly id: string | number
  readonly method: 'tools/call' | 'resources/read'
  readonly params: Readonly<Record<string, unknown>>
}

const parameters = { 'tools/call': ['name', 'arguments', '_meta'], 'resources/read': ['uri', '_meta'] }

/**
 * The request, when it can be answered without the SDK's server.
 * @param asks whether a tool may ask people
 * @param tells whether a tool may tell progress
 */
export function quickRequest(
  { id, method, params }: PlainRequest, asks: (tool: unknown) => boolean, tells: (tool: unknown) => boolean,
): QuickRequest | null {
  if ((method !== 'tools/call' && method !== 'resources/read') || !isRecord(params)) return null
  if (Object.keys(params).some((key) => !parameters[method].includes(key))) return null
  const { name, _meta: meta } = params
  if (meta !== undefined && !isPlainMeta(meta)) return null
  if (method === 'tools/call' && (asks(name) || (meta?.['progressToken'] !== undefined && tells(name)))) return null
  return { id, method, params }
}

/** What the SDK takes for `_meta`, and has nothing to do with but progress. */
export function isPlainMeta(meta: unknown): meta is Schema {
  if (!isRecord(meta) || 'io.modelcontextprotocol/related-task' in meta) return false
  const { progressToken } = meta
  return progressToken === undefined || typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
}

/** The answer of a request as the SDK words it. */
export const resultMessage = (id: QuickRequest['id'], result: unknown) =>
  JSON.stringify({ result, jsonrpc: '2.0', id })

/** What a request ended with, as the SDK words it. */
export function errorMessage(id: QuickRequest['id'], { code, message, data }: ProtocolError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } })
}

/** One event of a stream that ends, as the SDK's transport writes it. @param message null: the stream ends without */
export function writeMessage(response: ServerResponse, session: string, message: string | null): void {
  if (response.headersSent || response.destroyed) return
  const event = message === null ? '' : `event: message\ndata: ${message}\n\n`
  response.writeHead(200, streamHeaders(session, Buffer.byteLength(event))).end(event)
}

/** The same of an event that is there as octets. */
export function writeOctets(response: ServerResponse, session: string, event: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(200, streamHeaders(session, event.length)).end(event, 'latin1')
}

const streamHeaders = (session: string, length: number) => ({
  'content-type': 'text/event-stream',
  'content-length': length,
  'cache-control': 'no-cache, no-transform',
  'mcp-session-id': session,
})
