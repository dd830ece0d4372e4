import { isRecord } from '../../../tools/openapi.ts'
import { sessionDialect } from '../../methods/call.ts'
import { MadeOnce } from '../../methods/made-once.ts'
import { listNames, type Methods } from '../../methods/methods.ts'
import type { Incoming } from '../era.ts'
import { octets } from '../../octets.ts'
import { isPlainMeta, writeOctets, type PlainRequest } from './quick.ts'

const heads = new MadeOnce((list) => octets(`event: message\ndata: {"result":${JSON.stringify(list)},"jsonrpc":"2.0","id":`))

/**
 * Answers the lists that are the same for everybody with bytes that were made once, as the transport of the SDK would
 * answer them. @returns whether the request was answered
 */
export function answerList(
  { id, method, params }: PlainRequest, { response, view }: Incoming, methods: Methods, session: string,
): boolean {
  if (params !== undefined && !isPlain(params)) return false
  const name = listNames.find((known) => known === method)
  if (!name) return false
  const head = methods.made(heads, name, { view, dialect: sessionDialect })
  writeOctets(response, session, `${head}${octets(JSON.stringify(id))}}\n\n`)
  return true
}

const isPlain = (params: unknown) =>
  isRecord(params) && Object.entries(params).every(([name, value]) => name === '_meta' && isPlainMeta(value))
