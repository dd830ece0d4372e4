import type { ServerResponse } from 'node:http'
import { isRecord, type Schema } from '../../../tools/openapi.ts'
import type { ProtocolError } from '../protocol-error.ts'

/** A request with no members besides these, from a client that accepts JSON and event streams. */
export interface PlainRequest {
  readonly id: string | number
  readonly method: unknown
  readonly params: unknown
}

const requestMembers = new Set(['jsonrpc', 'id', 'method', 'params'])

/** Parses a plain request; returns null for an unusual message, which the SDK's transport then answers or refuses. */
export function parsePlainRequest(message: unknown, accept = ''): PlainRequest | null {
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return null
  if (
    !isRecord(message)
    || message['jsonrpc'] !== '2.0'
    || Object.keys(message).some((key) => !requestMembers.has(key))
  )
    return null
  const { id, method, params } = message
  return typeof id === 'string' || Number.isInteger(id) ? { id: id as string | number, method, params } : null
}

/** A request that needs nothing of its session: it reports no progress and asks nobody. */
export interface DirectRequest {
  readonly id: string | number
  readonly method: 'tools/call' | 'resources/read'
  readonly params: Readonly<Record<string, unknown>>
}

const allowedParams = { 'tools/call': ['name', 'arguments', '_meta'], 'resources/read': ['uri', '_meta'] }

/**
 * Returns the request if it can be answered without the SDK's server, otherwise null.
 * @param canElicit returns whether a call with these parameters may ask people
 * @param canNotifyProgress returns whether a call with these parameters may report progress
 */
export function parseDirectRequest(
  { id, method, params }: PlainRequest,
  canElicit: (params: Schema) => boolean,
  canNotifyProgress: (params: Schema) => boolean,
): DirectRequest | null {
  if ((method !== 'tools/call' && method !== 'resources/read') || !isRecord(params)) return null
  if (Object.keys(params).some((key) => !allowedParams[method].includes(key))) return null
  const { _meta: meta } = params
  if (meta !== undefined && !isPlainMeta(meta)) return null
  if (
    method === 'tools/call'
    && (canElicit(params) || (meta?.['progressToken'] !== undefined && canNotifyProgress(params)))
  )
    return null
  return { id, method, params }
}

/** Returns whether the SDK accepts `_meta` and would use nothing of it except the progress token. */
export function isPlainMeta(meta: unknown): meta is Schema {
  if (!isRecord(meta) || 'io.modelcontextprotocol/related-task' in meta) return false
  const { progressToken } = meta
  return progressToken === undefined || typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
}

/** Formats the result of a request exactly as the SDK does. */
export const formatResultMessage = (id: DirectRequest['id'], result: unknown) =>
  JSON.stringify({ result, jsonrpc: '2.0', id })

/** Formats the error of a request exactly as the SDK does. */
export function formatErrorMessage(id: DirectRequest['id'], { code, message, data }: ProtocolError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } })
}

/**
 * Writes one event and ends the stream, as the SDK's transport does.
 * @param message null ends the stream without an event
 */
export function writeEvent(response: ServerResponse, session: string, message: string | null): void {
  if (response.headersSent || response.destroyed) return
  const event = message === null ? '' : `event: message\ndata: ${message}\n\n`
  response.writeHead(200, createStreamHeaders(session, Buffer.byteLength(event))).end(event)
}

/** Writes one event that is prepared as octets and ends the stream. */
export function writeEventOctets(response: ServerResponse, session: string, event: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(200, createStreamHeaders(session, event.length)).end(event, 'latin1')
}

const createStreamHeaders = (session: string, length: number) => ({
  'content-type': 'text/event-stream',
  'content-length': length,
  'cache-control': 'no-cache, no-transform',
  'mcp-session-id': session,
})
