import { isRecord } from '../../../tools/openapi.ts'
import { sessionDialect } from '../methods/method-call.ts'
import { PreparedLists } from '../methods/prepared-lists.ts'
import { listNames, type McpMethods } from '../methods/methods.ts'
import type { IncomingRequest } from '../era.ts'
import { toOctets } from '../../shared/octets.ts'
import { isPlainMeta, writeEventOctets, type PlainRequest } from './direct-requests.ts'

const listHeads = new PreparedLists((list) =>
  toOctets(`event: message\ndata: {"result":${JSON.stringify(list)},"jsonrpc":"2.0","id":`),
)

/**
 * Answers a list that is the same for all callers with prepared bytes, exactly as the SDK's transport would answer.
 * @returns whether the request was answered
 */
export function answerList(
  { id, method, params }: PlainRequest,
  { response, view }: IncomingRequest,
  methods: McpMethods,
  session: string,
): boolean {
  if (params !== undefined && !hasPlainParams(params)) return false
  const name = listNames.find((known) => known === method)
  if (!name) return false
  const head = methods.getPreparedList(listHeads, name, { view, dialect: sessionDialect })
  writeEventOctets(response, session, `${head}${toOctets(JSON.stringify(id))}}\n\n`)
  return true
}

const hasPlainParams = (params: unknown) =>
  isRecord(params) && Object.entries(params).every(([name, value]) => name === '_meta' && isPlainMeta(value))
