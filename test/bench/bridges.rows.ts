import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../core/start/ports.ts'
import { bareSession, messagesOf, post } from '../support/bridge-client.ts'
import { revision } from '../support/modern-client.ts'
import { testEnvironment } from '../support/environment.ts'
import { keepFigures } from '../faults/figures.ts'
import { itself, least, most, ratio, shown, told, type Figure } from './figures.ts'
import { loadInTurn, type HttpRequest, type Side, type Weighed } from './load.ts'
import { draft, passport, token } from './others/answers.ts'
import { startPinned } from './pinned.ts'
import { inSession, onTheirOwn } from './wires.ts'
import { loadStreamed, streamedAnswer } from './streamed.ts'
import { counting, type Process, type Stand } from './stand.ts'

const connections = 32
const key = 'tsr_measured'
const newest = revision

/** What is asked: a JSON-RPC method, and the same without any bridge. */
interface Ask {
  name: string
  method: string
  params: (names: Names) => Record<string, unknown>
  direct: Omit<HttpRequest, 'headers'> | null
  /** What a right answer holds. */
  sign: string
}

/** The two tools as a server calls them. */
interface Names {
  read: string
  create: string
  api: string
}

/** One thing that is compared. Null where it cannot do what is asked. */
interface Rival {
  name: string
  process: Process
  requests: (ask: Ask) => Promise<readonly HttpRequest[]> | null
  /** It answers this one on the session's stream, not where it was asked. */
  streams?: (ask: Ask) => boolean
}

const path = `/v1/dpp/passports/${passport.id}`
const asks: readonly Ask[] = [
  { name: 'tools/list', method: 'tools/list', params: () => ({}), direct: null, sign: 'inputSchema' },
  {
    name: 'tools/call, GET',
    method: 'tools/call',
    params: ({ read }) => ({ name: read, arguments: { id: passport.id } }),
    direct: { method: 'GET', path: `${path}/magic-token` },
    sign: token.token,
  },
  {
    name: 'tools/call, POST of 1 KiB',
    method: 'tools/call',
    params: ({ create }) => ({ name: create, arguments: draft }),
    direct: { method: 'POST', path: '/v1/dpp/passports', body: JSON.stringify(draft) },
    sign: passport.tokenId,
  },
  {
    name: 'resources/read',
    method: 'resources/read',
    params: ({ api }) => ({ uri: api + path }),
    direct: { method: 'GET', path },
    sign: passport.tokenId,
  },
]

const credential = { 'x-api-key': key }

/** A rival that is asked in a session. */
function ofSessions(name: string, process: Process, names: Names, can: (ask: Ask) => boolean = () => true): Rival {
  const begun = inSession(process.url, credential)
  const requests = ({ method, params }: Ask) => begun.then((of) => of({ method, params: () => params(names) }))
  return { name, process, requests: (ask) => (can(ask) ? requests(ask) : null) }
}

/** A rival that is asked in revision 2026-07-28. */
const ofRequests = (name: string, process: Process, names: Names): Rival => ({
  name,
  process,
  requests: async ({ method, params }) => onTheirOwn(credential)({ method, params: () => params(names) }),
})

function direct(process: Process): Rival {
  const headers = { ...credential, 'content-type': 'application/json' }
  return {
    name: 'no bridge',
    process,
    requests: (ask) => (ask.direct ? Promise.resolve([{ ...ask.direct, headers }]) : null),
  }
}

/** Everything that is compared, each in a process of its own, before one and the same API. */
async function start(stand: Stand): Promise<{ rivals: Rival[]; stop: () => Promise<void> }> {
  const started: Process[] = []
  const run = async (name: string, entry: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Process> => {
    const port = await freePort()
    const process = await startPinned({
      name,
      entry,
      args: [`${port}`, ...args],
      env: { ...testEnvironment({ HOST: '127.0.0.1', BRIDGE_PORT: `${port}`, ...env }), NODE_ENV: 'production' },
      profile: stand.profileOf(name),
    })
    started.push({ ...process, url: `http://127.0.0.1:${port}` })
    return { ...process, url: `http://127.0.0.1:${port}` }
  }
  const api = await run('upstream', 'test/bench/others/upstream.ts', [])
  const bridge = await run('bridge', 'bridge/server.ts', [], { API_URL: api.url, ...counting })
  const names = { read: 'get_dpp_passport_magic_token', create: 'create_dpp_passport', api: api.url }
  const list = join(stand.scratch, 'tools.json')
  writeFileSync(list, JSON.stringify(await toolsOf(bridge)))
  const others = 'test/bench/others'
  const sdk1 = await run('sdk1', `${others}/sdk1.ts`, [api.url, list])
  const sdk2 = await run('sdk2', `${others}/sdk2.ts`, [api.url, list])
  const openapi = await run('openapi-mcp-server', `${others}/openapi-mcp-server.ts`, [api.url])
  const found = { ...names, ...(await namesOf(openapi)) }
  return {
    rivals: [
      ofRequests(`ours, ${newest}`, bridge, names),
      ofSessions('ours, 2025-06-18', bridge, names),
      ofSessions('SDK 1, low-level', sdk1, names),
      ofRequests('SDK 2, low-level', sdk2, names),
      {
        ...ofSessions('openapi-mcp-server', openapi, found, ({ method }) => method !== 'resources/read'),
        streams: ({ method }) => method === 'tools/call',
      },
      direct(api),
    ],
    stop: async () => {
      for (const one of started.reverse()) await one.stop()
    },
  }
}

type Listed = { name: string }

async function toolsOf({ url }: Process): Promise<Listed[]> {
  const { headers } = await bareSession(`${url}/mcp`, '2025-06-18', credential)
  const [answer] = messagesOf(await post(`${url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers))
  const { tools } = answer?.['result'] as { tools: Listed[] }
  return tools
}

/** The two tools under the names that this bridge gives them; it lists what they stand for. */
async function namesOf(process: Process): Promise<{ read: string; create: string }> {
  const tools = (await toolsOf(process)) as (Listed & { httpMethod: string; originalPath: string })[]
  const named = (method: string, path: string) => {
    const found = tools.find(({ httpMethod, originalPath }) => httpMethod === method && originalPath === path)
    if (!found) throw new Error(`It has no tool for ${method} ${path}`)
    return found.name
  }
  return { read: named('GET', '/v1/dpp/passports/{id}/magic-token'), create: named('POST', '/v1/dpp/passports') }
}

/** A rival with what it is sent. */
interface Sending extends Side {
  name: string
  streams: boolean
}

/** @throws Error unless each answers what it is asked */
async function demandAnswer(side: Sending, { sign }: Ask): Promise<void> {
  const text = side.streams ? await streamedAnswer(side) : await answerOf(side)
  if (!text.includes(sign)) throw new Error(`${side.name} does not answer what is asked: ${text.slice(0, 500)}`)
}

async function answerOf({ url, requests: [request] }: Side): Promise<string> {
  if (!request) throw new Error('There is nothing to send')
  const { method, path, headers = {}, body } = request
  return await (await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })).text()
}

/** What one rival did of one thing. */
interface Cell {
  ask: string
  rival: string
  perSecond: number
  p50: number
  p99: number
  /** Milliseconds of a processor for one answer. */
  processor: number
}

/**
 * Our bridge in both eras beside what else there is, before an API that costs nothing: servers built with the SDKs'
 * low-level classes, which check nothing, and another bridge from OpenAPI to MCP.
 */
export async function bridgesRow(stand: Stand): Promise<Figure[]> {
  const { rivals, stop } = await start(stand)
  try {
    const cells: Cell[] = []
    for (const ask of asks) cells.push(...(await measure(stand, ask, rivals)))
    process.stdout.write(`\n${tableOf(cells)}\n`)
    if (!stand.options.quick && !stand.options.profile) keepFigures('bridges', { command: 'npm run bench -- bridges', connections, cells })
    return asks.flatMap(({ name }) => figuresOf(cells.filter(({ ask }) => ask === name)))
  } finally {
    await stop()
  }
}

async function measure(stand: Stand, ask: Ask, rivals: readonly Rival[]): Promise<Cell[]> {
  const sides: Sending[] = []
  for (const { name, process, requests, streams } of rivals) {
    const made = await requests(ask)
    if (!made) continue
    const side = { name, url: process.url, requests: made, pid: process.pid, streams: streams?.(ask) ?? false }
    await demandAnswer(side, ask)
    sides.push(side)
  }
  const pace = { connections, seconds: stand.options.quick ? 1 : 3 }
  const plain = sides.filter(({ streams }) => !streams)
  const found = new Map<string, Weighed>()
  const weighed = await loadInTurn(plain, pace, stand.scratch)
  for (const [at, { name }] of plain.entries()) if (weighed[at]) found.set(name, weighed[at])
  for (const side of sides) if (side.streams) found.set(side.name, await loadStreamed(side, pace))
  return sides.map(({ name }) => cellOf(ask.name, name, found.get(name)))
}

function cellOf(ask: string, rival: string, found: Weighed | undefined): Cell {
  if (!found) throw new Error(`${rival} was not measured`)
  const { perSecond, p50, p99, spent } = found
  return { ask, rival, perSecond, p50, p99, processor: spent / 1000 }
}

/** Of each of our eras: how far before the best of the others, and what it costs. */
function figuresOf(cells: readonly Cell[]): Figure[] {
  const others = cells.filter(({ rival }) => !rival.startsWith('ours') && rival !== 'no bridge')
  const best = others.toSorted((a, b) => b.perSecond - a.perSecond)[0]
  if (!best) throw new Error('There is nothing beside ours')
  const row = 'bridges'
  return cells
    .filter(({ rival }) => rival.startsWith('ours'))
    .flatMap(({ ask, rival, perSecond, p99, processor }) => [
      ratio({ row, what: `${ask}, ${rival}`, unit: 'requests/s', baseline: { name: best.rival, value: best.perSecond }, ours: perSecond, target: least(2) }),
      itself({ row, what: `${ask}, ${rival}, processor a call`, unit: 'ms', ours: processor, baseline: { name: best.rival, value: best.processor }, target: most(0.17) }),
      told({ row, what: `${ask}, ${rival}, p99`, unit: 'ms', baseline: { name: best.rival, value: best.p99 }, ours: p99 }),
    ])
}

function tableOf(cells: readonly Cell[]): string {
  const lines = [
    ['Asked', 'Of', 'requests/s', 'p50 ms', 'p99 ms', 'processor ms'],
    ...cells.map(({ ask, rival, perSecond, p50, p99, processor }) => [
      ask,
      rival,
      ...[perSecond, p50, p99, processor].map(shown),
    ]),
  ]
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines.map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ').trimEnd()).join('\n')
}
