import type { ServerResponse } from 'node:http'

/**
 * A JSON-RPC error with the HTTP status that says why.
 * @param id of the request, where it is known
 */
export function refuse(
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
