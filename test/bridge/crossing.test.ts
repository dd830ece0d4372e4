import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { bareSession, usual } from '../support/bridge-client.ts'
import { FixtureApi, fixtureBridge, headerOf, jsonOf, reply } from '../support/bridge-fixture.ts'

/** `BRIDGE_CALLS=100000` for the long run. */
const calls = Number(process.env['BRIDGE_CALLS'] ?? 2000)
const callers = 50
/** Open at once of each caller. */
const lanes = 4

const credentialsOf = (caller: number): Record<string, string> => {
  const all = [
    { authorization: `Bearer key-${caller}` },
    { 'x-api-key': `key-${caller}` },
    { cookie: `tessera.session=key-${caller}` },
  ]
  return all[caller % all.length] ?? {}
}

describe(`${calls} interleaved calls of ${callers} callers`, () => {
  const { api, bridge } = fixtureBridge({ LOG_LEVEL: 'warn' })
  const agent = new Agent({ keepAlive: true, maxSockets: callers * lanes })
  const headerLists = new Set<string>()

  before(async () => {
    const keyOf = (seen: Parameters<Parameters<FixtureApi['on']>[1]>[0]) =>
      /key-\d+$/.exec(['authorization', 'x-api-key', 'cookie'].map((name) => headerOf(seen, name) ?? '').join(''))?.[0]
    api.on('POST /v1/echo', async (seen, response) => {
      api.seen.length = 0
      const { value, delay } = jsonOf(seen) as { value: string; delay: number }
      headerLists.add(
        seen.headers
          .map(([name]) => name)
          .sort()
          .join(),
      )
      if (delay > 0) await sleep(delay)
      reply(response, 200, { value, key: keyOf(seen), session: headerOf(seen, 'mcp-session-id') })
    })
  })
  after(async () => {
    agent.destroy()
  })

  const send = async (headers: Record<string, string>, message: unknown): Promise<string> =>
    await new Promise((resolve, reject) => {
      const sent = request(bridge.url, { method: 'POST', agent, headers: { ...usual, ...headers } }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => resolve(text)).on('error', reject)
      })
      sent.on('error', reject)
      sent.end(JSON.stringify(message))
    })

  it('get their own answers, each of them', async function () {
    this.timeout(Math.max(60_000, calls * 20))
    const wrong: string[] = []
    let done = 0
    const lane = async (caller: number, index: number, headers: Record<string, string>) => {
      for (let turn = 0; turn < calls / callers / lanes; turn++) {
        // Every caller uses the same ids as all others, so that an id alone never leads to an answer.
        const id = index * calls + turn
        const value = `value-${caller}-${id}`
        const text = await send(headers, {
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: 'echo', arguments: { value, delay: (caller * 7 + turn * 3) % 5 } },
        })
        const expected = JSON.stringify({ value, key: `key-${caller}`, session: headers['mcp-session-id'] })
        const message = JSON.parse(text.slice(text.indexOf('{'))) as {
          id: unknown
          result?: { structuredContent?: unknown }
        }
        if (message.id !== id || JSON.stringify(message.result?.structuredContent) !== expected)
          wrong.push(`${expected} got ${text}`)
        done++
      }
    }
    const sessions = await Promise.all(
      Array.from({ length: callers }, (_, caller) => bareSession(bridge.url, '2025-11-25', credentialsOf(caller))),
    )
    await Promise.all(
      sessions.flatMap(({ headers }, caller) =>
        Array.from({ length: lanes }, (_, index) => lane(caller, index, headers)),
      ),
    )
    expect(wrong.slice(0, 3)).to.deep.equal([])
    expect(done).to.equal(calls)
    expect(api.complaints).to.deep.equal([])
  })

  it('showed the API exactly these headers', () => {
    const common = [
      'accept',
      'connection',
      'content-length',
      'content-type',
      'host',
      'mcp-session-id',
      'traceparent',
      'x-forwarded-for',
    ]
    const lists = ['authorization', 'x-api-key', 'cookie'].map((name) => [...common, name].sort().join())
    expect([...headerLists].sort()).to.deep.equal(lists.sort())
  })
})
