import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js'
import { callMcpTool, connectClient, getResultText, startBareSession } from '../../support/bridge/bridge-client.ts'
import { startTestBridge, type TestBridge } from '../../support/bridge/bridge-fixture.ts'
import { createModernRequest } from '../../support/bridge/modern-client.ts'
import type { Client } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { createDice } from '../../support/values/random.ts'
import { buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { productRows } from '../../core/imports/intake/intake.maker.ts'

/** One thing to make: a call whose answer is lost up to `losses` times before somebody reads it. */
interface Write {
  readonly tool: keyof typeof writers
  readonly name: string
  readonly losses: number
}

/** What happened in a run. */
export interface InterruptedRun {
  readonly calls: number
  /** Calls whose answer was lost on purpose. */
  readonly lost: number
  /** Writes whose last call was answered with the answer of an earlier one. */
  readonly answeredAgain: number
}

interface Stage {
  readonly shop: Shop
  readonly sheet: string
}

/** The tools that make something, with the arguments that make one thing of a name. */
const writers = {
  create_application: (name: string) => ({ name }),
  create_dpp_product: (name: string, { shop }: Stage) => ({
    application: shop.application,
    network: 'EthereumAnvil',
    name,
    status: 'ACTIVE',
  }),
  create_dpp_passport: (name: string, { sheet }: Stage) => ({ product: sheet, fields: { serialNumber: name } }),
  create_import_mapper: (name: string, { shop }: Stage) => ({
    name,
    application: shop.application,
    type: 'file',
    format: 'csv',
    rows: productRows,
  }),
}

type ListedThing = { name?: string; fields?: { serialNumber?: string } }

/** Lists the names of all things in a list of the API. */
async function listNames(api: Client, path: string): Promise<string[]> {
  const names: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body, text } = await api.get(`${path}?pageSize=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
    const page = body as unknown as { data: ListedThing[]; nextCursor: string | null }
    expect(page.data, text).to.be.an('array')
    names.push(...page.data.map(({ name, fields }) => fields?.serialNumber ?? name ?? ''))
    cursor = page.nextCursor
  }
  return names
}

const lists = ['/v1/applications', '/v1/dpp/products', '/v1/dpp/passports', '/v1/import/mappers']

const listAllNames = async (api: Client) => (await Promise.all(lists.map((path) => listNames(api, path)))).flat()

/** Sends a call and cuts its connection: after some bytes of the body, or some milliseconds after all of it. */
function cutCall(url: string, headers: Record<string, string>, body: string, cut: { bytes?: number; delayMs: number }) {
  return new Promise<void>((resolve) => {
    const sent = request(url, { method: 'POST', headers: { ...headers, 'content-length': body.length }, agent: false })
    sent.on('error', () => {})
    sent.once('close', () => resolve())
    sent.once('response', () => sent.destroy())
    if (cut.bytes === undefined) sent.end(body)
    else sent.write(body.slice(0, cut.bytes))
    sent.once('socket', (socket) => {
      socket.once('connect', () => setTimeout(() => sent.destroy(), cut.delayMs))
    })
  })
}

/**
 * Makes things through two bridges while connections are cut, calls are cancelled and sessions are ended at random
 * moments. Each call is repeated until one is answered. Then it compares what the API lists with what was wanted.
 */
export async function runInterruptedWrites(count: number, seed: number): Promise<InterruptedRun> {
  const random = createDice(seed)
  const shop = await buildShop()
  const stage: Stage = { shop, sheet: await buildSheet(shop) }
  const before = await listAllNames(shop.api)
  const credentials = { 'x-api-key': shop.key }
  const second: TestBridge = await startTestBridge(platform.api)
  await second.ready
  const urls = [platform.bridge, second.url]
  const clients = await Promise.all(urls.map((url) => connectClient(url, credentials)))
  const tools = Object.keys(writers) as Write['tool'][]
  const writes = Array.from({ length: count }, (_, index): Write => ({
    tool: tools[index % tools.length]!,
    name: `thing ${seed} ${index}`,
    losses: random(4),
  }))
  const tally = { calls: 0, lost: 0, answeredAgain: 0 }
  const pick = <T>(from: readonly T[]): T => from[random(from.length)]!

  const losers: ((params: { name: string; arguments: Record<string, unknown> }) => Promise<void>)[] = [
    async (params) => {
      const { message, headers } = createModernRequest('tools/call', params, { headers: credentials })
      await cutCall(pick(urls), headers, JSON.stringify(message), { delayMs: random(60) })
    },
    async (params) => {
      const { message, headers } = createModernRequest('tools/call', params, { headers: credentials })
      const body = JSON.stringify(message)
      await cutCall(pick(urls), headers, body, { bytes: random(body.length), delayMs: random(20) })
    },
    async (params) => {
      const leaving = new AbortController()
      const called = pick<McpClient>(clients).callTool({ ...params }, undefined, { signal: leaving.signal })
      await Promise.race([called.catch(() => null), sleep(random(60))])
      leaving.abort()
      await called.catch(() => null)
    },
    async (params) => {
      const url = pick(urls)
      const { headers } = await startBareSession(url, '2025-11-25', credentials)
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const body = JSON.stringify(message)
      const accept = 'application/json, text/event-stream'
      const all = { ...headers, accept, 'content-type': 'application/json' }
      const called = fetch(url, { method: 'POST', headers: all, body }).then((answer) => answer.text())
      await sleep(random(30))
      await fetch(url, { method: 'DELETE', headers })
      await called.catch(() => null)
    },
  ]

  const perform = async ({ tool, name, losses }: Write) => {
    const params = { name: tool, arguments: writers[tool](name, stage) }
    for (let loss = 0; loss < losses; loss++) {
      await pick(losers)(params)
      tally.calls++
      tally.lost++
    }
    // Two clients that know nothing of each other may repeat the same call at once.
    const callers = random(4) === 0 ? clients : [pick(clients)]
    const results = await Promise.all(callers.map((client) => callMcpTool(client, tool, params.arguments)))
    tally.calls += results.length
    const texts = results.map(getResultText)
    for (const [index, result] of results.entries()) expect(result.isError, texts[index]).to.equal(undefined)
    const ids = results.map(({ structuredContent }) => (structuredContent as { id: string }).id)
    expect(new Set(ids), texts.join('\n')).to.have.lengthOf(1)
    if (texts.every((text) => text.includes('nothing was done twice'))) tally.answeredAgain++
  }

  try {
    const pending = [...writes]
    const work = async () => {
      for (let next = pending.shift(); next; next = pending.shift()) await perform(next)
    }
    await Promise.all(Array.from({ length: 6 }, work))
    const made = (await listAllNames(shop.api)).sort()
    expect(made).to.deep.equal([...before, ...writes.map(({ name }) => name)].sort())
    return tally
  } finally {
    for (const client of clients) await client.close()
    await second.stop()
  }
}
