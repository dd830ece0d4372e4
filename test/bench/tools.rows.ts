import { bareSession, usual } from '../support/bridge-client.ts'
import { difference, itself, least, most, ratio, type Figure } from './figures.ts'
import { loadInTurn, type HttpRequest, type Side } from './load.ts'
import type { Stand } from './stand.ts'

const connections = 32
/** More than are ever open at once: ids of open requests have to differ. */
const ids = 1_000

/** Requests of one session on the bridge, each with an id of its own. */
async function session(stand: Stand, method: string, paramsOf: (id: number) => object): Promise<Side> {
  const { url } = await stand.bridge()
  const { headers } = await bareSession(`${url}/mcp`, '2025-06-18', { 'x-api-key': stand.facts.apiKey })
  const requests = Array.from({ length: ids }, (_, id): HttpRequest => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: paramsOf(id) })
    return { method: 'POST', path: '/mcp', headers: { ...usual, ...headers }, body }
  })
  return { url, requests }
}

/** A method of the bridge that passes one request on to the API. */
interface Passing {
  what: string
  method: string
  params: (id: string) => object
  path: (id: string) => string
  /** What both answers have to hold. */
  sign: (answer: Record<string, unknown>) => unknown
}

/** A tool that only reads, and the cheapest read there is, each through the bridge and without it. */
export async function callRow(stand: Stand): Promise<Figure[]> {
  const { url } = await stand.api()
  const name = 'get_dpp_passport_magic_token'
  const read = (id: string) => `/v1/dpp/passports/${id}`
  return [
    ...(await compare(stand, {
      what: 'tools/call over the bridge',
      method: 'tools/call',
      params: (id) => ({ name, arguments: { id } }),
      path: (id) => `${read(id)}/magic-token`,
      sign: ({ token }) => token,
    })),
    ...(await compare(stand, {
      what: 'resources/read of a passport over the bridge',
      method: 'resources/read',
      params: (id) => ({ uri: `${url}${read(id)}` }),
      path: read,
      sign: ({ tokenId }) => tokenId,
    })),
  ]
}

async function compare(stand: Stand, { what, method, params, path, sign }: Passing): Promise<Figure[]> {
  const { published, apiKey } = stand.facts
  const idAt = (at: number) => published[at % published.length] ?? ''
  const through = await session(stand, method, (id) => params(idAt(id)))
  const headers = { 'X-Api-Key': apiKey }
  const requests = through.requests.map((_, at): HttpRequest => ({ method: 'GET', path: path(idAt(at)), headers }))
  const direct: Side = { url: (await stand.api()).url, requests }
  await demandSame(through, direct, sign)
  const sides = [through, direct]
  const [ours, rest] = await loadInTurn(sides, { connections, seconds: stand.seconds }, stand.scratch)
  const seconds = stand.options.quick ? 1 : 4
  const [alone, restAlone] = await loadInTurn(sides, { connections: 1, seconds }, stand.scratch)
  if (!ours || !rest || !alone || !restAlone) throw new Error('A side was not measured')
  const name = 'direct REST'
  const busy = { baseline: { name, value: rest.perSecond }, ours: ours.perSecond }
  const idle = { baseline: { name, value: restAlone.p50 }, ours: alone.p50 }
  return [
    ratio({ row: 'tools-call', what, unit: 'requests/s', ...busy, target: least(0.45) }),
    difference({ row: 'tools-call', what: `${what}, one at a time, p50`, unit: 'ms', ...idle, target: most(0.5) }),
  ]
}

/** @throws Error unless the bridge answers what the operation answers */
async function demandSame(through: Side, direct: Side, sign: Passing['sign']): Promise<void> {
  const [answer, plain] = [await send(through, 0), await send(direct, 0)]
  const mark = sign(JSON.parse(plain) as Record<string, unknown>)
  if (typeof mark === 'string' && answer.includes(mark)) return
  throw new Error(`The bridge does not answer what REST answers: ${answer} ${plain}`)
}

async function send({ url, requests }: Side, at: number): Promise<string> {
  const request = requests[at]
  if (!request) throw new Error('There is nothing to send')
  const { method, path, headers, body } = request
  const answer = await fetch(`${url}${path}`, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  })
  return answer.text()
}

export async function listToolsRow(stand: Stand): Promise<Figure[]> {
  const side = await session(stand, 'tools/list', () => ({}))
  const answer = await send(side, 0)
  if (!answer.includes('inputSchema')) throw new Error(`The bridge lists no tools: ${answer.slice(0, 500)}`)
  const [ours] = await loadInTurn([side], { connections, seconds: stand.seconds }, stand.scratch)
  if (!ours) throw new Error('The bridge was not measured')
  const what = 'tools/list on one processor'
  return [itself({ row: 'tools-list', what, unit: 'requests/s', ours: ours.perSecond, target: least(4_000) })]
}
