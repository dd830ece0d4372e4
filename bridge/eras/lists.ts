import type { ServerResponse } from 'node:http'
import { isRecord } from '../../tools/openapi.ts'
import type { Exchange } from '../exchange.ts'
import { listNames, type ListName, type Methods } from '../methods.ts'
import type { Incoming } from './era.ts'

const plain = new Set(['jsonrpc', 'id', 'method', 'params'])

/**
 * Answers the lists that are the same for everybody with bytes that were made once, as the transport of the SDK would
 * answer them: one event of a stream that ends. Whatever is unusual about a request is left to the transport, which
 * also knows how to refuse it. @returns whether the request was answered
 */
export function answerList({ request, response, exchange, message }: Incoming, methods: Methods, session: string): boolean {
  const { accept = '' } = request.headers
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return false
  const asked = listAsked(message)
  if (!asked) return false
  write(response, methods, exchange, { ...asked, session })
  return true
}

interface Asked { id: string | number; name: ListName }

function listAsked(message: unknown): Asked | null {
  if (!isRecord(message) || message['jsonrpc'] !== '2.0' || Object.keys(message).some((key) => !plain.has(key))) return null
  const { id, method, params } = message
  if (typeof id !== 'string' && !Number.isInteger(id)) return null
  if (params !== undefined && !(isRecord(params) && Object.keys(params).length === 0)) return null
  const name = listNames.find((known) => known === method)
  return name ? { id: id as string | number, name } : null
}

function write(
  response: ServerResponse, methods: Methods, exchange: Exchange, { id, name, session }: Asked & { session: string },
): void {
  const answer = `{"result":${methods.listText(name, exchange)},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
  const event = `event: message\ndata: ${answer}\n\n`
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'content-length': Buffer.byteLength(event),
    'cache-control': 'no-cache, no-transform',
    'connection': 'keep-alive',
    'mcp-session-id': session,
  }).end(event)
}
