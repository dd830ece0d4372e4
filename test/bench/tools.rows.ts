import { difference, itself, least, most, ratio, told, type Figure } from './figures.ts'
import { loadInTurn, type HttpRequest, type Side, type Weighed } from './load.ts'
import type { Stand } from './stand.ts'
import { inSession, onTheirOwn, type Asking } from './wires.ts'

const connections = 32
const row = 'tools-call'

/** What asks the bridge: each era in its own way. */
async function wires(stand: Stand) {
  const { url, pid } = await stand.bridge()
  const credential = { 'x-api-key': stand.facts.apiKey }
  const [modern, session] = [onTheirOwn(credential), await inSession(url, credential)]
  return (asking: Asking): Record<string, Side> => ({
    '2026-07-28': { url, pid, requests: modern(asking) },
    '2025-06-18': { url, pid, requests: session(asking) },
  })
}

/** A method of the bridge that passes one request on to the API. */
interface Passing {
  what: string
  method: string
  query?: string
  params: (id: string) => Record<string, unknown>
  path: (id: string) => string
  /** What both answers have to hold. */
  sign: (answer: Record<string, unknown>) => unknown
}

/** A tool that only reads, and the cheapest read there is as a tool and as a resource, through the bridge and without. */
export async function callRow(stand: Stand): Promise<Figure[]> {
  const { url } = await stand.api()
  const token = 'get_dpp_passport_magic_token'
  const read = (id: string) => `/v1/dpp/passports/${id}`
  const passport = { path: read, sign: ({ tokenId }: Record<string, unknown>) => tokenId }
  return [
    ...(await compare(stand, {
      what: 'tools/call of a magic token',
      method: 'tools/call',
      params: (id) => ({ name: token, arguments: { id } }),
      path: (id) => `${read(id)}/magic-token`,
      sign: ({ token }) => token,
    })),
    ...(await compare(stand, {
      ...passport,
      what: 'tools/call of a passport',
      method: 'tools/call',
      query: '?read=tools',
      params: (id) => ({ name: 'get_dpp_passport', arguments: { id } }),
    })),
    ...(await compare(stand, {
      ...passport,
      what: 'resources/read of a passport',
      method: 'resources/read',
      params: (id) => ({ uri: `${url}${read(id)}` }),
    })),
  ]
}

async function compare(stand: Stand, { what, method, query = '', params, path, sign }: Passing): Promise<Figure[]> {
  const { published, apiKey } = stand.facts
  const idAt = (at: number) => published[at % published.length] ?? ''
  const asked = (await wires(stand))({ method, query, params: (id) => params(idAt(id)) })
  const headers = { 'X-Api-Key': apiKey }
  const requests = published.map((_, at): HttpRequest => ({ method: 'GET', path: path(idAt(at)), headers }))
  const direct: Side = { url: (await stand.api()).url, requests }
  for (const through of Object.values(asked)) await demandSame(through, direct, sign)
  const sides = [direct, ...Object.values(asked)]
  const seconds = Math.min(stand.seconds, 5)
  const [rest, ...busy] = await loadInTurn(sides, { connections, seconds }, stand.scratch)
  const [restAlone, ...alone] = await loadInTurn(sides, { connections: 1, seconds: Math.ceil(seconds / 2) }, stand.scratch)
  if (!rest || !restAlone) throw new Error('REST was not measured')
  return Object.keys(asked).flatMap((revision, at) =>
    figuresOf(`${what}, ${revision}`, { rest, restAlone, busy: measured(busy[at]), alone: measured(alone[at]) }),
  )
}

function measured(side: Weighed | undefined): Weighed {
  if (!side) throw new Error('A side was not measured')
  return side
}

/** The same with many at once, and one at a time. */
function figuresOf(what: string, found: Record<'rest' | 'restAlone' | 'busy' | 'alone', Weighed>): Figure[] {
  const { rest, restAlone, busy, alone } = found
  const beside = (name: 'perSecond' | 'p50' | 'p99', of: Weighed) => ({ name: 'direct REST', value: of[name] })
  const single = { unit: 'ms', baseline: beside('p50', restAlone), ours: alone.p50, target: most(0.5) }
  return [
    ratio({ row, what, unit: 'requests/s', baseline: beside('perSecond', rest), ours: busy.perSecond, target: least(0.45) }),
    difference({ row, what: `${what}, one at a time, p50`, ...single }),
    told({ row, what: `${what}, p99`, unit: 'ms', baseline: beside('p99', rest), ours: busy.p99 }),
    told({ row, what: `${what}, processor of the bridge a call`, unit: 'ms', ours: busy.spent / 1000 }),
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
  const asked = (await wires(stand))({ method: 'tools/list', params: () => ({}) })
  for (const side of Object.values(asked)) {
    const answer = await send(side, 0)
    if (!answer.includes('inputSchema')) throw new Error(`The bridge lists no tools: ${answer.slice(0, 500)}`)
  }
  const pace = { connections, seconds: Math.min(stand.seconds, 5) }
  const found = await loadInTurn(Object.values(asked), pace, stand.scratch)
  return Object.keys(asked).map((revision, at) => {
    const what = `tools/list on one processor, ${revision}`
    return itself({ row: 'tools-list', what, unit: 'requests/s', ours: measured(found[at]).perSecond, target: least(4_000) })
  })
}
