import type { ServerResponse } from 'node:http'
import { isRecord } from '../../../tools/openapi.ts'
import { ProtocolError, codes } from '../../protocol-error.ts'

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

const parameters = { 'tools/call': ['name', 'arguments'], 'resources/read': ['uri'] }

/** The request, when it can be answered without the SDK's server. @param asks whether a tool may ask people */
export function quickRequest({ id, method, params }: PlainRequest, asks: (tool: unknown) => boolean): QuickRequest | null {
  if ((method !== 'tools/call' && method !== 'resources/read') || !isRecord(params)) return null
  if (Object.keys(params).some((key) => !parameters[method].includes(key))) return null
  return method === 'tools/call' && asks(params['name']) ? null : { id, method, params }
}

/** The answer of a request as the SDK words it. */
export const resultMessage = (id: QuickRequest['id'], result: unknown) =>
  JSON.stringify({ result, jsonrpc: '2.0', id })

/** What a request ended with, as the SDK words it. */
export function errorMessage(id: QuickRequest['id'], cause: unknown): string {
  const { message = 'Internal error' } = cause as { message?: string }
  const { code = codes.internal, data } = cause instanceof ProtocolError ? cause : {}
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } })
}

/** One event of a stream that ends, as the SDK's transport writes it. @param message null: the stream ends without */
export function writeMessage(response: ServerResponse, session: string, message: string | null): void {
  if (response.headersSent || response.destroyed) return
  const event = message === null ? '' : `event: message\ndata: ${message}\n\n`
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'content-length': Buffer.byteLength(event),
    'cache-control': 'no-cache, no-transform',
    'connection': 'keep-alive',
    'mcp-session-id': session,
  }).end(event)
}
