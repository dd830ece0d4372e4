import { expect } from 'chai'
import { callMcpTool, connectClient, getResultText } from '../../support/bridge/bridge-client.ts'
import { startTestBridge, useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'
import { connectAskingClient, type AskingClient } from '../../support/bridge/asking-clients.ts'
import { PosterApi } from '../../support/bridge/poster-api.ts'

const cannotAsk = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const

describe('x-mcp-preview: a client that cannot ask', () => {
  const { api, bridge } = useFixtureBridge({ MCP_SECRET: Buffer.alloc(32, 4).toString('base64') })
  const posters = new PosterApi(api)
  const clients: AskingClient[] = []
  after(() => Promise.all(clients.map((client) => client.close())))

  const connect = async (revision: (typeof cannotAsk)[number] = '2025-11-25', key = 'k', url = bridge.url) => {
    const client = await connectAskingClient(url, revision, null, { 'x-api-key': key })
    clients.push(client)
    return client
  }
  const publish = (client: AskingClient, args: Record<string, unknown> = {}) =>
    client.call('publish_posters', { filters: [], ...args })
  const getSeal = async (calling: ReturnType<AskingClient['call']>) => {
    const { structuredContent } = await calling
    expect(structuredContent).to.have.all.keys('preview', 'confirm')
    return (structuredContent as { confirm: string }).confirm
  }
  /** The clock of this process so much later, in seconds. */
  const later = async <T>(seconds: number, work: () => Promise<T>): Promise<T> => {
    const now = Date.now
    Date.now = () => now() + seconds * 1000
    try {
      return await work()
    } finally {
      Date.now = now
    }
  }

  for (const revision of cannotAsk)
    it(`gets the preview and a seal, and does it with the seal, in revision ${revision}`, async () => {
      posters.reset('Moon', 'Sun')
      const client = await connect(revision)
      const preview = await publish(client)
      expect(preview.isError ?? false).to.equal(false)
      const confirm = /"confirm": "([\w.-]+)"/.exec(getResultText(preview))?.[1]
      // Revision 2025-03-26 has no structured content.
      if (revision !== '2025-03-26') {
        const { preview: shown, ...rest } = preview.structuredContent as { preview: unknown }
        expect(shown).to.deep.include({ matched: 2, willChange: 2, skipped: [], warnings: [] })
        expect(rest).to.deep.equal({ confirm })
      }
      expect(getResultText(preview)).to.equal(
        [
          'Nothing has been done yet.',
          'Publish posters:',
          '2 would change.',
          'The first: "Moon", "Sun".',
          'This cannot be undone. Show this to the user.',
          `To do it, call again within 5 minutes with the same arguments and "confirm": "${confirm}".`,
        ].join('\n'),
      )
      expect(posters.sent).to.deep.equal([])
      const done = await publish(client, { confirm })
      expect(getResultText(done)).to.equal('{"done":1}')
      expect(posters.acts).to.deep.equal(['publish Moon, Sun'])
      expect(posters.sent.map(({ url, body }) => url + body.toString())).to.deep.equal([
        '/v1/posters/publish?filters=%5B%5D{}',
      ])
    })

  it('says that a seal was used, also where two calls use it at once', async () => {
    posters.reset('Moon')
    const client = await connect()
    const confirm = await getSeal(publish(client))
    const results = await Promise.all([1, 2, 3].map(() => publish(client, { confirm })))
    expect(posters.acts).to.deep.equal(['publish Moon'])
    const refused = results.filter(({ isError }) => isError)
    expect(refused).to.have.length(2)
    expect(refused.map(getResultText)[0]).to.match(
      /^409 CONFIRM_USED: .*counts once\.\nNothing was sent now\. Read the present state first\. Call without confirm for a new preview\.$/,
    )
  })

  it('refuses the seal of another caller, tool or arguments, a forged one and an old one', async () => {
    posters.reset('Moon')
    const client = await connect()
    const other = await connect('2025-11-25', 'other')
    const confirm = await getSeal(publish(client))
    const statusSeal = await getSeal(
      (async () => {
        posters.addDraft('Sun')
        return client.call('set_poster_status', { id: 'all', status: 'gone' })
      })(),
    )
    const results = [
      await publish(other, { confirm }),
      await publish(client, { confirm, quiet: true }),
      await client.call('publish_posters', { filters: { status: { eq: 'draft' } }, confirm }),
      await publish(client, { confirm: statusSeal }),
      await publish(client, { confirm: `${confirm.slice(0, -1)}${confirm.endsWith('A') ? 'B' : 'A'}` }),
      await publish(client, { confirm: 'yes' }),
      await publish(client, { confirm: '' }),
      await later(302, () => publish(client, { confirm })),
    ]
    for (const [at, result] of results.entries()) {
      expect(result.isError, String(at)).to.equal(true)
      expect(getResultText(result), String(at)).to.match(
        /^409 CONFIRM_INVALID: .*5 minutes.*\nNothing was sent now\. Call without confirm for a new preview\.$/,
      )
    }
    expect(posters.sent).to.deep.equal([])
  })

  it('takes the same arguments in another order, and the seal of another process with the same secret', async () => {
    posters.reset('Moon')
    const second = await startTestBridge(api.url, { MCP_SECRET: Buffer.alloc(32, 4).toString('base64') })
    await second.ready
    const there = await connect('2026-07-28', 'k', second.url)
    const confirm = await getSeal((await connect()).call('publish_posters', { quiet: true, filters: {} }))
    const done = await there.call('publish_posters', { confirm, filters: {}, quiet: true, dryRun: false })
    expect(done.structuredContent).to.deep.equal({ done: 1 })
    await second.stop()
  })

  it('keeps the order of sorters, which decides what a page of them is, and binds the seal to it', async () => {
    posters.reset('Moon')
    const client = await connect()
    const sorters = { updatedAt: 'asc', createdAt: 'desc' }
    const confirm = await getSeal(publish(client, { sorters }))
    const reversed = { createdAt: 'desc', updatedAt: 'asc' }
    expect(getResultText(await publish(client, { sorters: reversed, confirm }))).to.contain('CONFIRM_INVALID')
    expect((await publish(client, { sorters, confirm })).structuredContent).to.deep.equal({ done: 1 })
    const sent = posters.sent.map(({ url }) => [...new URL(url, api.url).searchParams].slice(1).join(' '))
    expect(sent).to.deep.equal([
      'sorters[0][field],updatedAt sorters[0][order],asc sorters[1][field],createdAt sorters[1][order],desc',
    ])
  })

  it('shows the preview anew when it has changed, and takes its new seal', async () => {
    posters.reset('Moon')
    const client = await connect()
    const confirm = await getSeal(publish(client))
    posters.addDraft('Star')
    const changed = await publish(client, { confirm })
    expect(getResultText(changed)).to.match(/^The preview has changed since\. Nothing has been done\.\n/)
    expect(getResultText(changed)).to.contain('"Moon", "Star"')
    expect(posters.sent).to.deep.equal([])
    const renewed = (changed.structuredContent as { confirm: string }).confirm
    expect((await publish(client, { confirm: renewed })).structuredContent).to.deep.equal({ done: 1 })
    expect(posters.acts).to.deep.equal(['publish Moon, Star'])
  })

  it('gets no seal where nothing would change, and is told why', async () => {
    posters.reset('Moon', 'Sun')
    for (const one of posters.posters) one.isDraft = false
    const result = await publish(await connect())
    expect(getResultText(result)).to.equal(
      'Nothing would change: 2 matched.\nNot done for 2: They are published.\nNothing was sent.',
    )
    expect(result.structuredContent).to.have.all.keys('preview')
  })

  it('gets at most 256 KiB of a preview, and the whole by dryRun: true', async () => {
    posters.reset('Moon')
    posters.warnings = Array.from({ length: 10_000 }, (_, index) => `The paper of copy ${index} is thin.`)
    const client = await connect()
    const assertCut = (result: Awaited<ReturnType<typeof publish>>) => {
      const { preview } = result.structuredContent as { preview: { matched: number; warnings: string[] } }
      expect(Buffer.byteLength(JSON.stringify(result.structuredContent))).to.be.within(200 * 1024, 256 * 1024)
      expect(preview.matched).to.equal(1)
      const shown = preview.warnings.length
      expect(result._meta).to.have.deep.property('cuts', [{ path: 'warnings', unit: 'entries', shown, of: 10_000 }])
      expect(getResultText(result)).to.contain(
        `The preview in structuredContent has the first ${shown} of 10000 entries of warnings. `
          + 'Call with dryRun: true for the whole.',
      )
    }
    const shown = await publish(client)
    assertCut(shown)
    const whole = await publish(client, { dryRun: true })
    expect(whole.content.some(({ type }) => type === 'resource_link')).to.equal(true)
    const done = await publish(client, { confirm: (shown.structuredContent as { confirm: string }).confirm })
    expect(done.isError ?? false).to.equal(false)
    assertCut(await publish(client))
  })

  it('gets the answer of dryRun: true without a seal', async () => {
    posters.reset('Moon')
    const result = await publish(await connect(), { dryRun: true })
    expect(result.structuredContent).to.have.all.keys('matched', 'willChange', 'samples', 'skipped', 'warnings')
    expect(posters.sent).to.deep.equal([])
  })

  it('is told by a refusal that the seal is used up', async () => {
    posters.reset('Moon')
    const client = await connect()
    const confirm = await getSeal(publish(client))
    posters.refusal = 409
    const refused = await publish(client, { confirm })
    expect(refused.content.map((block) => (block.type === 'text' ? block.text : ''))).to.include(
      '`confirm` is used up: call without it for a new preview.',
    )
    expect(getResultText(refused)).to.contain('409 REFUSED: Not now.')
  })

  it('confirms `many` only where the call is about more than one', async () => {
    posters.reset('Moon', 'Sun')
    const client = await connect()
    const one = await client.call('set_poster_status', { id: 'p-1', status: 'gone' })
    expect(one.structuredContent).to.deep.equal({ done: 1 })
    const confirm = await getSeal(client.call('set_poster_status', { id: 'all', status: 'gone' }))
    expect(posters.acts).to.deep.equal(['status Moon'])
    await client.call('set_poster_status', { id: 'all', status: 'gone', confirm })
    expect(posters.acts).to.deep.equal(['status Moon', 'status Moon, Sun'])
  })

  it('does at once what names one thing and declares no preview', async () => {
    posters.reset('Moon')
    expect((await (await connect()).call('burn_poster', { id: 'p-1' })).structuredContent).to.deep.equal({ done: 1 })
    expect(api.recordedRequests).to.have.length(1)
  })

  it('sees in the list what is asked: confirm, filters, and no advice to ask', async () => {
    const client = await connectClient(bridge.url)
    const { tools } = await client.listTools()
    const find = (name: string) => tools.find((tool) => tool.name === name)
    expect(find('publish_posters')?.inputSchema).to.deep.include({ required: ['filters'] })
    expect(find('publish_posters')?.inputSchema.properties?.['confirm']).to.deep.equal({ type: 'string' })
    expect(find('burn_poster')?.inputSchema.properties).not.to.have.property('confirm')
    for (const { description } of tools) expect(description).not.to.contain('ask the user first')
    await client.close()
  })

  it('gets answers that fit the output schema of a full list', async () => {
    posters.reset('Moon')
    const client = await connectClient(`${bridge.url}?schemas=full`)
    await client.listTools()
    const preview = await callMcpTool(client, 'publish_posters', { filters: [] })
    expect(preview.structuredContent).to.have.all.keys('preview', 'confirm')
    await client.close()
  })
})

describe('tools/call of a tool that changes what filters match', () => {
  const { api, bridge } = useFixtureBridge()
  const posters = new PosterApi(api)

  it('is refused without filters, and told how to mean everything', async () => {
    posters.reset('Moon')
    const client = await connectClient(bridge.url)
    const result = await callMcpTool(client, 'publish_posters', {})
    expect(result.isError).to.equal(true)
    expect(getResultText(result))
      .to.contain('400 INVALID_REQUEST')
      .and.to.match(/- filters: .*; \[\] means all/)
    expect(api.recordedRequests).to.deep.equal([])
    for (const filters of [[], {}])
      expect((await callMcpTool(client, 'publish_posters', { filters })).isError ?? false).to.equal(false)
    await client.close()
  })
})
