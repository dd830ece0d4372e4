import { expect } from 'chai'
import { connectClient } from '../../../support/bridge/bridge-client.ts'
import { useFixtureBridge } from '../../../support/bridge/bridge-fixture.ts'
import {
  connectModernClient,
  sendModernRequest,
  parseError,
  parseResult,
} from '../../../support/bridge/modern-client.ts'

const lists = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
}

describe('Revision 2026-07-28: tools/list, resources/list and prompts/list', () => {
  const { api, bridge } = useFixtureBridge()

  it('are what the session era lists, to the reference clients of both', async () => {
    const [old, recent] = [await connectClient(bridge.url), await connectModernClient(bridge.url)]
    expect((await recent.listTools()).tools).to.deep.equal((await old.listTools()).tools)
    expect((await recent.listResources()).resources).to.deep.equal((await old.listResources()).resources)
    const { resourceTemplates } = await recent.listResourceTemplates()
    expect(resourceTemplates).to.deep.equal((await old.listResourceTemplates()).resourceTemplates)
    expect((await recent.listPrompts()).prompts).to.deep.equal((await old.listPrompts()).prompts)
    await Promise.all([old.close(), recent.close()])
  })

  for (const [method, member] of Object.entries(lists)) {
    it(`may be kept a minute by everybody: ${method}`, async () => {
      const result = parseResult(await sendModernRequest(bridge.url, method))
      expect(result[member]).to.be.an('array').that.is.not.empty
      expect(result).to.include({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'public' })
      expect(result['_meta']).to.have.property('io.modelcontextprotocol/serverInfo')
      expect(result).not.to.have.property('nextCursor')
    })

    it(`are the same bytes for every caller, and need none: ${method}`, async () => {
      const answers = []
      for (const key of ['a', 'b', undefined])
        answers.push(await sendModernRequest(bridge.url, method, {}, { headers: { 'x-api-key': key } }))
      expect(new Set(answers.map(({ text }) => text)).size).to.equal(1)
    })

    it(`have one page: ${method}`, async () => {
      expect(parseError(await sendModernRequest(bridge.url, method, { cursor: 'x' }))).to.include({
        status: 200,
        code: -32602,
      })
    })
  }

  it('are in the same order at any time', async () => {
    const { tools } = parseResult<{ tools: { name: string }[] }>(await sendModernRequest(bridge.url, 'tools/list'))
    const names = tools.map(({ name }) => name)
    expect(names).to.deep.equal(names.toSorted())
  })

  it('ask the API nothing', async () => {
    api.clearRecords()
    for (const method of Object.keys(lists)) await sendModernRequest(bridge.url, method)
    expect(api.recordedRequests).to.have.length(0)
  })

  it('hold no member that the revision took back', async () => {
    const { tools } = parseResult<{ tools: object[] }>(await sendModernRequest(bridge.url, 'tools/list'))
    for (const tool of tools) expect(tool).to.not.have.any.keys('execution', 'outputSchema')
  })

  it('show output schemas of any kind to who asks for them in the address', async () => {
    const answer = await sendModernRequest(`${bridge.url}?schemas=full`, 'tools/list')
    const { tools } = parseResult<{ tools: { name: string; outputSchema?: { type?: string } }[] }>(answer)
    expect(tools.find(({ name }) => name === 'check')?.outputSchema).to.include({ type: 'array' })
  })

  it('are those of a new document as soon as it is loaded', async () => {
    const before = await sendModernRequest(bridge.url, 'tools/list')
    const document = api.document as { paths: Record<string, { post?: { summary: string } }> }
    const { post } = document.paths['/v1/echo'] ?? {}
    if (!post) throw new Error('There is no echo')
    post.summary = 'Say it again'
    api.etag = '"2"'
    await bridge.refresh()
    const after = await sendModernRequest(bridge.url, 'tools/list')
    expect(after.text).to.contain('Say it again').and.not.to.equal(before.text)
  })
})
