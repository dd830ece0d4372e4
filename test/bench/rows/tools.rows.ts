import {
  createDifferenceFigure,
  createAbsoluteFigure,
  atLeast,
  atMost,
  createRatioFigure,
  createInformativeFigure,
  type Figure,
} from '../figures.ts'
import { loadSidesInTurn, type HttpRequest, type LoadSide, type WeighedLoad } from '../load.ts'
import type { BenchSetup } from '../bench-setup.ts'
import { createSessionRequests, createModernRequests, type McpCall } from '../mcp-requests.ts'

const connections = 32
const row = 'tools-call'

/** Creates a function that builds the requests of both eras. */
async function createWires(stand: BenchSetup) {
  const { url, pid } = await stand.bridge()
  const credential = { 'x-api-key': stand.facts.apiKey }
  const [modern, session] = [createModernRequests(credential), await createSessionRequests(url, credential)]
  return (asking: McpCall): Record<string, LoadSide> => ({
    '2026-07-28': { url, pid, requests: modern(asking) },
    '2025-06-18': { url, pid, requests: session(asking) },
  })
}

/** A method of the bridge that passes one request on to the API. */
interface PassedRequest {
  what: string
  method: string
  query?: string
  params: (id: string) => Record<string, unknown>
  path: (id: string) => string
  /** Returns a value that both answers must contain. */
  sign: (answer: Record<string, unknown>) => unknown
}

/** Measures a read-only tool, and the cheapest read as a tool and as a resource, through the bridge and directly. */
export async function measureToolCall(stand: BenchSetup): Promise<Figure[]> {
  const { url } = await stand.api()
  const token = 'get_dpp_passport_magic_token'
  const read = (id: string) => `/v1/dpp/passports/${id}`
  const passport = { path: read, sign: ({ tokenId }: Record<string, unknown>) => tokenId }
  return [
    ...(await compareWithRest(stand, {
      what: 'tools/call of a magic token',
      method: 'tools/call',
      params: (id) => ({ name: token, arguments: { id } }),
      path: (id) => `${read(id)}/magic-token`,
      sign: ({ token }) => token,
    })),
    ...(await compareWithRest(stand, {
      ...passport,
      what: 'tools/call of a passport',
      method: 'tools/call',
      query: '?read=tools',
      params: (id) => ({ name: 'get_dpp_passport', arguments: { id } }),
    })),
    ...(await compareWithRest(stand, {
      ...passport,
      what: 'resources/read of a passport',
      method: 'resources/read',
      params: (id) => ({ uri: `${url}${read(id)}` }),
    })),
  ]
}

async function compareWithRest(
  stand: BenchSetup,
  { what, method, query = '', params, path, sign }: PassedRequest,
): Promise<Figure[]> {
  const { published, apiKey } = stand.facts
  const idAt = (at: number) => published[at % published.length] ?? ''
  const bridgeSides = (await createWires(stand))({ method, query, params: (id) => params(idAt(id)) })
  const headers = { 'X-Api-Key': apiKey }
  const requests = published.map((_, at): HttpRequest => ({ method: 'GET', path: path(idAt(at)), headers }))
  const direct: LoadSide = { url: (await stand.api()).url, requests }
  for (const through of Object.values(bridgeSides)) await assertSameAnswer(through, direct, sign)
  const sides = [direct, ...Object.values(bridgeSides)]
  const seconds = Math.min(stand.seconds, 5)
  const [rest, ...busy] = await loadSidesInTurn(sides, { connections, seconds }, stand.scratch)
  const [restAlone, ...alone] = await loadSidesInTurn(
    sides,
    { connections: 1, seconds: Math.ceil(seconds / 2) },
    stand.scratch,
  )
  if (!rest || !restAlone) throw new Error('REST was not measured')
  return Object.keys(bridgeSides).flatMap((revision, at) =>
    createToolFigures(`${what}, ${revision}`, {
      rest,
      restAlone,
      busy: assertMeasured(busy[at]),
      alone: assertMeasured(alone[at]),
    }),
  )
}

function assertMeasured(side: WeighedLoad | undefined): WeighedLoad {
  if (!side) throw new Error('A side was not measured')
  return side
}

/** Creates the figures of a comparison: with many requests at once, and with one at a time. */
function createToolFigures(
  what: string,
  found: Record<'rest' | 'restAlone' | 'busy' | 'alone', WeighedLoad>,
): Figure[] {
  const { rest, restAlone, busy, alone } = found
  const beside = (name: 'perSecond' | 'p50' | 'p99', of: WeighedLoad) => ({ name: 'direct REST', value: of[name] })
  const single = { unit: 'ms', baseline: beside('p50', restAlone), ours: alone.p50, target: atMost(0.5) }
  return [
    createRatioFigure({
      row,
      what,
      unit: 'requests/s',
      baseline: beside('perSecond', rest),
      ours: busy.perSecond,
      target: atLeast(0.45),
    }),
    createDifferenceFigure({ row, what: `${what}, one at a time, p50`, ...single }),
    createInformativeFigure({ row, what: `${what}, p99`, unit: 'ms', baseline: beside('p99', rest), ours: busy.p99 }),
    createInformativeFigure({
      row,
      what: `${what}, processor of the bridge a call`,
      unit: 'ms',
      ours: busy.spent / 1000,
    }),
  ]
}

/** Asserts that the bridge answers what the operation answers. @throws Error if it does not */
async function assertSameAnswer(through: LoadSide, direct: LoadSide, sign: PassedRequest['sign']): Promise<void> {
  const [answer, plain] = [await sendRequest(through, 0), await sendRequest(direct, 0)]
  const mark = sign(JSON.parse(plain) as Record<string, unknown>)
  if (typeof mark === 'string' && answer.includes(mark)) return
  throw new Error(`The bridge does not answer what REST answers: ${answer} ${plain}`)
}

async function sendRequest({ url, requests }: LoadSide, at: number): Promise<string> {
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

export async function measureToolList(stand: BenchSetup): Promise<Figure[]> {
  const listSides = (await createWires(stand))({ method: 'tools/list', params: () => ({}) })
  for (const side of Object.values(listSides)) {
    const answer = await sendRequest(side, 0)
    if (!answer.includes('inputSchema')) throw new Error(`The bridge lists no tools: ${answer.slice(0, 500)}`)
  }
  const pace = { connections, seconds: Math.min(stand.seconds, 5) }
  const found = await loadSidesInTurn(Object.values(listSides), pace, stand.scratch)
  return Object.keys(listSides).map((revision, at) => {
    const what = `tools/list on one processor, ${revision}`
    return createAbsoluteFigure({
      row: 'tools-list',
      what,
      unit: 'requests/s',
      ours: assertMeasured(found[at]).perSecond,
      target: atLeast(4_000),
    })
  })
}
