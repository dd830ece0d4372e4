import type { ServerResponse } from 'node:http'
import manifest from '../../../package.json' with { type: 'json' }
import { structureText } from '../../../tools/structure.ts'
import { octets } from '../../octets.ts'
import { codes, modernCodes, ProtocolError } from '../../protocol-error.ts'
import { envelopeKeys } from '../classify.ts'

export const serverInfo = { name: manifest.name, version: manifest.version }

/** How long a client may keep a result, and whether others may have it. Source: MCP 2026-07-28, caching. */
export interface Cached {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

export type Result = Readonly<Record<string, unknown>>

/**
 * A result with what every result of this era has. What it says of its kind itself stays.
 * Source: MCP 2026-07-28, basic, results.
 */
export function complete(result: Result, cached: Cached | null = null): Result {
  const { _meta: meta, ...members } = result
  const resultType = members['resultType'] ?? 'complete'
  const own = { ...(meta as Result | undefined), [envelopeKeys.server]: serverInfo }
  return { ...members, resultType, ...cached, _meta: own }
}

/** A result of a method. `cached`: null where it may not be kept at all. */
export interface Answered {
  readonly result: Result
  readonly cached: Cached | null
}

/** As JSON, complete. */
export const textOf = ({ result, cached }: Answered) =>
  cached === null ? toolText(result) : JSON.stringify(complete(result, cached))

const plainEnd = `,${JSON.stringify(complete({})).slice(1)}`

/** What the API said in JSON stands in the result of a call as the API wrote it. */
function toolText(result: Result): string {
  const structure = structureText(result)
  if (structure === null) return JSON.stringify(complete(result))
  const { content, structuredContent: _, ...rest } = result
  const end = Object.keys(rest).length === 0 ? plainEnd : `,${JSON.stringify(complete(rest)).slice(1)}`
  return `{"content":${JSON.stringify(content)},"structuredContent":${structure}${end}`
}

/** @param text the result as JSON */
export function sendResult(response: ServerResponse, id: string | number, text: string): void {
  send(response, 200, `{"result":${text},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`)
}

/** The part of the answer before the id of the request as octets, for results that are the same for many. */
export const answerHead = (text: string) => octets(`{"result":${text},"jsonrpc":"2.0","id":`)

/** @param head made by `answerHead` */
export function sendMade(response: ServerResponse, id: string | number, head: string): void {
  if (response.headersSent || response.destroyed) return
  const body = head + octets(`${JSON.stringify(id)}}`)
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  response.writeHead(200, headers).end(body, 'latin1')
}

export function sendError(response: ServerResponse, id: string | number, cause: ProtocolError, status?: number): void {
  const { code, message, data } = cause
  const error = { code, message, ...(data !== undefined && { data }) }
  send(response, status ?? statusOf(code), JSON.stringify({ jsonrpc: '2.0', id, error }))
}

/** Only these have a status of their own; all others are in band. Source: MCP 2026-07-28, streamable HTTP. */
export function statusOf(code: number): number {
  if (code === codes.methodNotFound) return 404
  return code === modernCodes.headerMismatch || code === modernCodes.missingCapability ? 400 : 200
}

function send(response: ServerResponse, status: number, body: string): void {
  if (response.headersSent || response.destroyed) return
  const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, head).end(body)
}
