import type { ServerResponse } from 'node:http'
import manifest from '../../../package.json' with { type: 'json' }
import { codes, modernCodes, ProtocolError } from '../../protocol-error.ts'
import { envelopeKeys } from '../classify.ts'

export const serverInfo = { name: manifest.name, version: manifest.version }

/** How long a client may keep a result, and whether others may have it. Source: MCP 2026-07-28, caching. */
export interface Cached {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** A result with the members that every result of this era has. */
export function complete(result: Readonly<Record<string, unknown>>, cached: Cached | null = null) {
  const { _meta: meta, ...members } = result
  const own = { [envelopeKeys.server]: serverInfo }
  return { resultType: 'complete', ...members, ...cached, _meta: { ...(meta as object | undefined), ...own } }
}

export function sendResult(response: ServerResponse, id: unknown, result: unknown): void {
  send(response, 200, JSON.stringify({ result, jsonrpc: '2.0', id }))
}

/** @param status null: the one that the code has in this transport */
export function sendError(response: ServerResponse, id: unknown, cause: unknown, status: number | null = null): void {
  const { code, message, data } =
    cause instanceof ProtocolError ? cause : { code: codes.internal, message: 'Internal error', data: undefined }
  const error = { code, message, ...(data !== undefined && { data }) }
  send(response, status ?? statusOf(code), JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error }))
}

/** Source: MCP 2026-07-28, streamable HTTP: only these have a status of their own, everything else is answered in band. */
function statusOf(code: number): number {
  if (code === codes.methodNotFound) return 404
  return Object.values<number>(modernCodes).includes(code) ? 400 : 200
}

function send(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent || response.destroyed) return
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text)
}
