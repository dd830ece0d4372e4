import type { ServerResponse } from 'node:http'
import { getStructureText } from '../../../tools/results/structure-texts.ts'
import type { ServerInfo } from '../../../tools/server-description.ts'
import { toOctets } from '../../shared/octets.ts'
import { codes, modernCodes, ProtocolError } from '../protocol-error.ts'
import { envelopeKeys } from '../detect-era.ts'

/** How long a client may keep a result, and whether it may share the result. Source: MCP 2026-07-28, caching. */
export interface CacheHints {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

export type Result = Readonly<Record<string, unknown>>

/** The result of a method. `cacheHints` is null if the result must not be cached. */
export interface MethodResult {
  readonly result: Result
  readonly cacheHints: CacheHints | null
}

/** Completes and formats the results of one version of the document, whose name and version each of them tells. */
export class ResultFormat {
  readonly #serverInfo: ServerInfo
  /** The end of a result that has no members besides its content. */
  readonly #plainEnd: string

  constructor(serverInfo: ServerInfo) {
    this.#serverInfo = serverInfo
    this.#plainEnd = this.#formatEnd({})
  }

  /**
   * Adds the members that every result of this era has. A `resultType` that is already there stays.
   * Source: MCP 2026-07-28, basic, results.
   */
  complete(result: Result, cacheHints: CacheHints | null = null): Result {
    const { _meta: meta, ...members } = result
    const resultType = members['resultType'] ?? 'complete'
    const own = { ...(meta as Result | undefined), [envelopeKeys.server]: this.#serverInfo }
    return { ...members, resultType, ...cacheHints, _meta: own }
  }

  /** Formats a complete result as JSON. If the API answered JSON to a call, the text of the API is copied unchanged. */
  format({ result, cacheHints }: MethodResult): string {
    const structure = cacheHints === null ? getStructureText(result) : null
    if (structure === null) return JSON.stringify(this.complete(result, cacheHints))
    const { content, structuredContent: _, ...rest } = result
    const end = Object.keys(rest).length === 0 ? this.#plainEnd : this.#formatEnd(rest)
    return `{"content":${JSON.stringify(content)},"structuredContent":${structure}${end}`
  }

  #formatEnd(rest: Result): string {
    return `,${JSON.stringify(this.complete(rest)).slice(1)}`
  }
}

const resultFormats = new WeakMap<ServerInfo, ResultFormat>()

/** Returns the format of a document's results, which is made once. @param serverInfo the object of the catalogue */
export function getResultFormat(serverInfo: ServerInfo): ResultFormat {
  let resultFormat = resultFormats.get(serverInfo)
  if (!resultFormat) resultFormats.set(serverInfo, (resultFormat = new ResultFormat(serverInfo)))
  return resultFormat
}

/** Sends a result. @param text the result as JSON */
export function sendResult(response: ServerResponse, id: string | number, text: string): void {
  sendJsonBody(response, 200, `{"result":${text},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`)
}

/**
 * Formats the part of a response before the request's id as octets, for results that are the same for many requests.
 */
export const formatResponseHead = (text: string) => toOctets(`{"result":${text},"jsonrpc":"2.0","id":`)

/** Sends a response with a prepared head. @param head made by `formatResponseHead` */
export function sendWithHead(response: ServerResponse, id: string | number, head: string): void {
  if (response.headersSent || response.destroyed) return
  const body = head + toOctets(`${JSON.stringify(id)}}`)
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  response.writeHead(200, headers).end(body, 'latin1')
}

export function sendError(response: ServerResponse, id: string | number, cause: ProtocolError, status?: number): void {
  const { code, message, data } = cause
  const error = { code, message, ...(data !== undefined && { data }) }
  sendJsonBody(response, status ?? getHttpStatus(code), JSON.stringify({ jsonrpc: '2.0', id, error }))
}

/**
 * Returns the HTTP status for an error code: 404 or 400 for the codes that have one, otherwise 200. Source: MCP
 * 2026-07-28, streamable HTTP.
 */
export function getHttpStatus(code: number): number {
  if (code === codes.methodNotFound) return 404
  return code === modernCodes.headerMismatch || code === modernCodes.missingCapability ? 400 : 200
}

function sendJsonBody(response: ServerResponse, status: number, body: string): void {
  if (response.headersSent || response.destroyed) return
  const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, head).end(body)
}
