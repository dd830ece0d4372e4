import { isRecord } from '../../../tools/openapi.ts'
import { sessionDialect } from '../../methods/call.ts'
import { listNames, type Methods } from '../../methods/methods.ts'
import type { Incoming } from '../era.ts'
import { writeMessage, type PlainRequest } from './quick.ts'

/**
 * Answers the lists that are the same for everybody with bytes that were made once, as the transport of the SDK would
 * answer them. @returns whether the request was answered
 */
export function answerList(
  { id, method, params }: PlainRequest, { response, view }: Incoming, methods: Methods, session: string,
): boolean {
  if (params !== undefined && !(isRecord(params) && Object.keys(params).length === 0)) return false
  const name = listNames.find((known) => known === method)
  if (!name) return false
  writeMessage(response, session, `{"result":${methods.listText(name, { view, dialect: sessionDialect })},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`)
  return true
}
