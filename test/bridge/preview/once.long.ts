import getPort from 'get-port'
import { expect } from 'chai'
import { FixtureApi, getRecordedHeader } from '../../support/bridge/bridge-fixture.ts'
import { BridgeProcess } from '../../support/bridge/bridge-process.ts'
import { sendModernRequest, parseResult } from '../../support/bridge/modern-client.ts'
import { PosterApi } from '../../support/bridge/poster-api.ts'

type Result = Record<string, unknown> & {
  content: { text?: string }[]
  structuredContent?: { confirm?: string }
  requestState?: string
}

describe('x-mcp-preview: processes with one MCP_SECRET and no Redis', () => {
  const api = new FixtureApi()
  const posters = new PosterApi(api)
  const running: BridgeProcess[] = []

  async function start(port?: number): Promise<BridgeProcess> {
    const env = { API_URL: api.url, MCP_SECRET: Buffer.alloc(32, 5).toString('base64') }
    const bridge = new BridgeProcess(port ?? (await getPort()), env, true)
    running.push(bridge)
    await bridge.waitUntilReady()
    return bridge
  }
  async function stop(bridge: BridgeProcess): Promise<void> {
    bridge.child.kill('SIGKILL')
    await bridge.waitForEnd()
  }
  before(() => api.start())
  after(async () => {
    for (const one of running) await stop(one)
    await api.stop()
  })

  const call = async ({ url }: BridgeProcess, canAsk: boolean, name: string, args: object, more: object = {}) =>
    parseResult<Result>(
      await sendModernRequest(
        url,
        'tools/call',
        { name, arguments: args, ...more },
        { capabilities: canAsk ? { elicitation: {} } : {}, headers: { 'x-api-key': 'k' } },
      ),
    )
  const textOf = ({ content }: Result) => content.map(({ text }) => text ?? '').join('\n')
  const status = { id: 'all', status: 'gone' }
  const filters = { filters: [] }

  it('does once what a seal confirms: another process and one that was restarted answer the first answer', async () => {
    posters.reset('Moon', 'Sun')
    const [first, second] = [await start(), await start()]
    const { structuredContent } = await call(first, false, 'set_poster_status', status)
    const confirmed = { ...status, confirm: structuredContent?.confirm }
    expect(textOf(await call(first, false, 'set_poster_status', confirmed))).to.equal('{"done":1}')
    await stop(first)
    for (const other of [second, await start(first.port)]) {
      const again = await call(other, false, 'set_poster_status', confirmed)
      expect(again.structuredContent).to.deep.equal({ done: 1 })
      expect(textOf(again)).to.contain('This was confirmed and done before.')
      expect(textOf(await call(other, false, 'set_poster_status', confirmed))).to.contain('409 CONFIRM_USED')
    }
    expect(posters.acts).to.deep.equal(['status Moon, Sun'])
    const [key, ...others] = new Set(posters.sent.map((seen) => getRecordedHeader(seen, 'idempotency-key')))
    expect(key).to.match(/^confirmed-[\w-]{43}$/)
    expect(others).to.deep.equal([])
    expect(posters.sent.map((seen) => getRecordedHeader(seen, 'idempotency-window'))).to.deep.equal(
      posters.sent.map(() => '600'),
    )
  })

  it('does once what a person confirmed, where the same answer reaches another process', async () => {
    posters.reset('Moon', 'Sun')
    const [first, second] = [await start(), await start()]
    const { requestState } = await call(first, true, 'set_poster_status', status)
    const answer = { requestState, inputResponses: { confirm: { action: 'accept', content: { confirm: true } } } }
    expect(textOf(await call(first, true, 'set_poster_status', status, answer))).to.equal('{"done":1}')
    await stop(first)
    for (const other of [second, await start(first.port)])
      expect(textOf(await call(other, true, 'set_poster_status', status, answer))).to.contain(
        'This was confirmed and done before.',
      )
    expect(posters.acts).to.deep.equal(['status Moon, Sun'])
  })

  it('refuses the seal of a call for the same call with again: true, which would be done twice', async () => {
    posters.reset('Moon', 'Sun')
    posters.posters[0]!.isDraft = false
    const [first, second] = [await start(), await start()]
    const { structuredContent } = await call(first, false, 'reprint_posters', filters)
    const confirmed = { ...filters, confirm: structuredContent?.confirm }
    expect(textOf(await call(first, false, 'reprint_posters', confirmed))).to.equal('{"done":1}')
    const repeated = await call(second, false, 'reprint_posters', { ...confirmed, again: true })
    expect(textOf(repeated)).to.contain('409 CONFIRM_INVALID')
    expect(posters.acts).to.deep.equal(['reprint Sun'])
  })

  it('does nothing more where the first call left nothing to do', async () => {
    posters.reset('Moon')
    const [first, second] = [await start(), await start()]
    const { structuredContent } = await call(first, false, 'publish_posters', filters)
    const confirmed = { ...filters, confirm: structuredContent?.confirm }
    await call(first, false, 'publish_posters', confirmed)
    expect(textOf(await call(second, false, 'publish_posters', confirmed))).to.contain(
      'Nothing would change: 1 matched.',
    )
    expect(posters.acts).to.deep.equal(['publish Moon'])
  })
})
