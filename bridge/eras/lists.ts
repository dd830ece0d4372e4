import { isRecord } from '../../tools/openapi.ts'
import { listNames, type ListName, type Methods } from '../methods.ts'
import type { Incoming } from './era.ts'
import { writeMessage } from './quick.ts'

const members = new Set(['jsonrpc', 'id', 'method', 'params'])

/**
 * Answers the lists that are the same for everybody with bytes that were made once, as the transport of the SDK would
 * answer them. Whatever is unusual about a request is left to the transport, which also knows how to refuse it.
 * @returns whether the request was answered
 */
export function answerList({ request, response, exchange, message }: Incoming, methods: Methods, session: string): boolean {
  const { accept = '' } = request.headers
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return false
  const asked = listAsked(message)
  if (!asked) return false
  const { id, name } = asked
  writeMessage(response, session, `{"result":${methods.listText(name, exchange)},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`)
  return true
}

function listAsked(message: unknown): { id: unknown; name: ListName } | null {
  if (!isRecord(message) || message['jsonrpc'] !== '2.0' || Object.keys(message).some((key) => !members.has(key))) return null
  const { id, method, params } = message
  if (typeof id !== 'string' && !Number.isInteger(id)) return null
  if (params !== undefined && !(isRecord(params) && Object.keys(params).length === 0)) return null
  const name = listNames.find((known) => known === method)
  return name ? { id, name } : null
}
