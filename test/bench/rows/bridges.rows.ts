import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../../core/start/ports.ts'
import { startBareSession, parseMessages, postJsonRpc } from '../../support/bridge/bridge-client.ts'
import { modernRevision } from '../../support/bridge/modern-client.ts'
import { createTestEnvironment } from '../../support/environment.ts'
import { keepFigures } from '../../figures/keep-figures.ts'
import {
  createAbsoluteFigure,
  atLeast,
  atMost,
  createRatioFigure,
  formatNumber,
  createInformativeFigure,
  type Figure,
} from '../figures.ts'
import { loadSidesInTurn, type HttpRequest, type LoadSide, type WeighedLoad } from '../load.ts'
import { draft, passport, token } from '../others/answers.ts'
import { startPinnedProcess } from '../pinned-process.ts'
import { createSessionRequests, createModernRequests } from '../mcp-requests.ts'
import { loadStreamed, readStreamedAnswer } from '../streamed-load.ts'
import { countingSettings, type BenchProcess, type BenchSetup } from '../bench-setup.ts'

const connections = 32
const key = 'tsr_measured'
const newestRevision = modernRevision

/** A query: a JSON-RPC method, and the same request without a bridge. */
interface BridgeQuery {
  name: string
  method: string
  params: (names: ToolNames) => Record<string, unknown>
  direct: Omit<HttpRequest, 'headers'> | null
  /** A text that a correct answer contains. */
  expectedText: string
}

/** The names of the two tools on a server, and the address of its API. */
interface ToolNames {
  read: string
  create: string
  api: string
}

/** A server that is compared. `requests` returns null if the server does not support the query. */
interface Rival {
  name: string
  process: BenchProcess
  requests: (ask: BridgeQuery) => Promise<readonly HttpRequest[]> | null
  /** Returns whether the server answers this query on the session's stream and not in the response. */
  answersOnStream?: (ask: BridgeQuery) => boolean
}

const path = `/v1/dpp/passports/${passport.id}`
const bridgeQueries: readonly BridgeQuery[] = [
  { name: 'tools/list', method: 'tools/list', params: () => ({}), direct: null, expectedText: 'inputSchema' },
  {
    name: 'tools/call, GET',
    method: 'tools/call',
    params: ({ read }) => ({ name: read, arguments: { id: passport.id } }),
    direct: { method: 'GET', path: `${path}/magic-token` },
    expectedText: token.token,
  },
  {
    name: 'tools/call, POST of 1 KiB',
    method: 'tools/call',
    params: ({ create }) => ({ name: create, arguments: draft }),
    direct: { method: 'POST', path: '/v1/dpp/passports', body: JSON.stringify(draft) },
    expectedText: passport.tokenId,
  },
  {
    name: 'resources/read',
    method: 'resources/read',
    params: ({ api }) => ({ uri: api + path }),
    direct: { method: 'GET', path },
    expectedText: passport.tokenId,
  },
]

const credential = { 'x-api-key': key }

/** Creates a rival that is called in a session. */
function createSessionRival(
  name: string,
  process: BenchProcess,
  names: ToolNames,
  canAnswer: (ask: BridgeQuery) => boolean = () => true,
): Rival {
  const session = createSessionRequests(process.url, credential)
  const requests = ({ method, params }: BridgeQuery) =>
    session.then((of) => of({ method, params: () => params(names) }))
  return { name, process, requests: (ask) => (canAnswer(ask) ? requests(ask) : null) }
}

/** Creates a rival that is called in revision 2026-07-28. */
const createRequestRival = (name: string, process: BenchProcess, names: ToolNames): Rival => ({
  name,
  process,
  requests: async ({ method, params }) => createModernRequests(credential)({ method, params: () => params(names) }),
})

function createDirectRival(process: BenchProcess): Rival {
  const headers = { ...credential, 'content-type': 'application/json' }
  return {
    name: 'no bridge',
    process,
    requests: (ask) => (ask.direct ? Promise.resolve([{ ...ask.direct, headers }]) : null),
  }
}

/** Starts all rivals, each in a process of its own, in front of the same API. */
async function startRivals(stand: BenchSetup): Promise<{ rivals: Rival[]; stop: () => Promise<void> }> {
  const started: BenchProcess[] = []
  const run = async (
    name: string,
    entry: string,
    args: string[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<BenchProcess> => {
    const port = await findFreePort()
    const process = await startPinnedProcess({
      name,
      entry,
      args: [`${port}`, ...args],
      env: { ...createTestEnvironment({ HOST: '127.0.0.1', BRIDGE_PORT: `${port}`, ...env }), NODE_ENV: 'production' },
      profile: stand.profileOf(name),
    })
    started.push({ ...process, url: `http://127.0.0.1:${port}` })
    return { ...process, url: `http://127.0.0.1:${port}` }
  }
  const api = await run('upstream', 'test/bench/others/upstream.ts', [])
  const bridge = await run('bridge', 'bridge/server.ts', [], { API_URL: api.url, ...countingSettings })
  const names = { read: 'get_dpp_passport_magic_token', create: 'create_dpp_passport', api: api.url }
  const list = join(stand.scratch, 'tools.json')
  writeFileSync(list, JSON.stringify(await listTools(bridge)))
  const others = 'test/bench/others'
  const sdk1 = await run('sdk1', `${others}/sdk1.ts`, [api.url, list])
  const sdk2 = await run('sdk2', `${others}/sdk2.ts`, [api.url, list])
  const openapi = await run('openapi-mcp-server', `${others}/openapi-mcp-server.ts`, [api.url])
  const found = { ...names, ...(await findToolNames(openapi)) }
  return {
    rivals: [
      createRequestRival(`ours, ${newestRevision}`, bridge, names),
      createSessionRival('ours, 2025-06-18', bridge, names),
      createSessionRival('SDK 1, low-level', sdk1, names),
      createRequestRival('SDK 2, low-level', sdk2, names),
      {
        ...createSessionRival('openapi-mcp-server', openapi, found, ({ method }) => method !== 'resources/read'),
        answersOnStream: ({ method }) => method === 'tools/call',
      },
      createDirectRival(api),
    ],
    stop: async () => {
      for (const one of started.reverse()) await one.stop()
    },
  }
}

type ListedTool = { name: string }

async function listTools({ url }: BenchProcess): Promise<ListedTool[]> {
  const { headers } = await startBareSession(`${url}/mcp`, '2025-06-18', credential)
  const [answer] = parseMessages(
    await postJsonRpc(`${url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers),
  )
  const { tools } = answer?.['result'] as { tools: ListedTool[] }
  return tools
}

/** Finds the names that this bridge gives to the two tools; its list tells the operation of each tool. */
async function findToolNames(process: BenchProcess): Promise<{ read: string; create: string }> {
  const tools = (await listTools(process)) as (ListedTool & { httpMethod: string; originalPath: string })[]
  const named = (method: string, path: string) => {
    const found = tools.find(({ httpMethod, originalPath }) => httpMethod === method && originalPath === path)
    if (!found) throw new Error(`It has no tool for ${method} ${path}`)
    return found.name
  }
  return { read: named('GET', '/v1/dpp/passports/{id}/magic-token'), create: named('POST', '/v1/dpp/passports') }
}

/** A rival with its requests. */
interface RivalSide extends LoadSide {
  name: string
  streams: boolean
}

/** Asserts that a server answers the query. @throws Error if it does not */
async function assertAnswer(side: RivalSide, { expectedText }: BridgeQuery): Promise<void> {
  const text = side.streams ? await readStreamedAnswer(side) : await readAnswer(side)
  if (!text.includes(expectedText)) throw new Error(`${side.name} does not answer what is asked: ${text.slice(0, 500)}`)
}

async function readAnswer({ url, requests: [request] }: LoadSide): Promise<string> {
  if (!request) throw new Error('There is nothing to send')
  const { method, path, headers = {}, body } = request
  return await (await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })).text()
}

/** The measurement of one rival for one query. */
interface BridgeMeasurement {
  ask: string
  rival: string
  perSecond: number
  p50: number
  p99: number
  /** The processor time of one answer in milliseconds. */
  processor: number
}

/**
 * Compares our bridge in both eras with other servers, in front of an API that costs nothing: servers built with the
 * SDKs' low-level classes, which check nothing, and another bridge from OpenAPI to MCP.
 */
export async function measureBridges(stand: BenchSetup): Promise<Figure[]> {
  const { rivals, stop } = await startRivals(stand)
  try {
    const cells: BridgeMeasurement[] = []
    for (const ask of bridgeQueries) cells.push(...(await measureQuery(stand, ask, rivals)))
    process.stdout.write(`\n${formatBridgeTable(cells)}\n`)
    if (!stand.options.quick && !stand.options.profile)
      keepFigures('speed/bridges', { command: 'npm run bench -- bridges', connections, cells })
    return bridgeQueries.flatMap(({ name }) => createBridgeFigures(cells.filter(({ ask }) => ask === name)))
  } finally {
    await stop()
  }
}

async function measureQuery(
  stand: BenchSetup,
  ask: BridgeQuery,
  rivals: readonly Rival[],
): Promise<BridgeMeasurement[]> {
  const sides: RivalSide[] = []
  for (const { name, process, requests, answersOnStream } of rivals) {
    const made = await requests(ask)
    if (!made) continue
    const side = { name, url: process.url, requests: made, pid: process.pid, streams: answersOnStream?.(ask) ?? false }
    await assertAnswer(side, ask)
    sides.push(side)
  }
  const pace = { connections, seconds: stand.options.quick ? 1 : 3 }
  const plain = sides.filter(({ streams }) => !streams)
  const found = new Map<string, WeighedLoad>()
  const weighed = await loadSidesInTurn(plain, pace, stand.scratch)
  for (const [at, { name }] of plain.entries()) if (weighed[at]) found.set(name, weighed[at])
  for (const side of sides) if (side.streams) found.set(side.name, await loadStreamed(side, pace))
  return sides.map(({ name }) => createMeasurement(ask.name, name, found.get(name)))
}

function createMeasurement(ask: string, rival: string, found: WeighedLoad | undefined): BridgeMeasurement {
  if (!found) throw new Error(`${rival} was not measured`)
  const { perSecond, p50, p99, spent } = found
  return { ask, rival, perSecond, p50, p99, processor: spent / 1000 }
}

/** Creates the figures of each of our eras: its speed relative to the best rival, and its costs. */
function createBridgeFigures(cells: readonly BridgeMeasurement[]): Figure[] {
  const others = cells.filter(({ rival }) => !rival.startsWith('ours') && rival !== 'no bridge')
  const best = others.toSorted((a, b) => b.perSecond - a.perSecond)[0]
  if (!best) throw new Error('There is nothing beside ours')
  const row = 'bridges'
  return cells
    .filter(({ rival }) => rival.startsWith('ours'))
    .flatMap(({ ask, rival, perSecond, p99, processor }) => [
      createRatioFigure({
        row,
        what: `${ask}, ${rival}`,
        unit: 'requests/s',
        baseline: { name: best.rival, value: best.perSecond },
        ours: perSecond,
        target: atLeast(2),
      }),
      createAbsoluteFigure({
        row,
        what: `${ask}, ${rival}, processor a call`,
        unit: 'ms',
        ours: processor,
        baseline: { name: best.rival, value: best.processor },
        target: atMost(0.17),
      }),
      createInformativeFigure({
        row,
        what: `${ask}, ${rival}, p99`,
        unit: 'ms',
        baseline: { name: best.rival, value: best.p99 },
        ours: p99,
      }),
    ])
}

function formatBridgeTable(cells: readonly BridgeMeasurement[]): string {
  const lines = [
    ['Asked', 'Of', 'requests/s', 'p50 ms', 'p99 ms', 'processor ms'],
    ...cells.map(({ ask, rival, perSecond, p50, p99, processor }) => [
      ask,
      rival,
      ...[perSecond, p50, p99, processor].map(formatNumber),
    ]),
  ]
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
