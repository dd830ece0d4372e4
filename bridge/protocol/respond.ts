import type { ServerResponse } from 'node:http'
import { isRecord } from '../../tools/openapi.ts'

/**
 * Sends a JSON-RPC error with a fitting HTTP status.
 * @param id the id of the request if it is known
 */
export function sendErrorResponse(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
): void {
  sendJson(response, status, { jsonrpc: '2.0', error: { code, message }, id })
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) return
  const text = JSON.stringify(body)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text)
}

/** Returns the id of a body that is one request; null for all others. */
export function getMessageId(message: unknown): string | number | null {
  const id = isRecord(message) && 'method' in message ? message['id'] : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
