import { expect } from 'chai'
import { connect } from '../../support/bridge-client.ts'
import { fixtureBridge } from '../../support/bridge-fixture.ts'
import { connectModern, modern, refusalOf, resultOf } from '../../support/modern-client.ts'

const lists = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
}

describe('Lists in revision 2026-07-28', () => {
  const { api, bridge } = fixtureBridge()

  it('are what the session era lists, to the reference clients of both', async () => {
    const [old, recent] = [await connect(bridge.url), await connectModern(bridge.url)]
    expect((await recent.listTools()).tools).to.deep.equal((await old.listTools()).tools)
    expect((await recent.listResources()).resources).to.deep.equal((await old.listResources()).resources)
    const { resourceTemplates } = await recent.listResourceTemplates()
    expect(resourceTemplates).to.deep.equal((await old.listResourceTemplates()).resourceTemplates)
    expect((await recent.listPrompts()).prompts).to.deep.equal((await old.listPrompts()).prompts)
    await Promise.all([old.close(), recent.close()])
  })

  for (const [method, member] of Object.entries(lists)) {
    it(`may be kept a minute by everybody: ${method}`, async () => {
      const result = resultOf(await modern(bridge.url, method))
      expect(result[member]).to.be.an('array').that.is.not.empty
      expect(result).to.include({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'public' })
      expect(result['_meta']).to.have.property('io.modelcontextprotocol/serverInfo')
      expect(result).not.to.have.property('nextCursor')
    })

    it(`are the same bytes for every caller, and need none: ${method}`, async () => {
      const answers = []
      for (const key of ['a', 'b', undefined])
        answers.push(await modern(bridge.url, method, {}, { headers: { 'x-api-key': key } }))
      expect(new Set(answers.map(({ text }) => text)).size).to.equal(1)
    })

    it(`have one page: ${method}`, async () => {
      expect(refusalOf(await modern(bridge.url, method, { cursor: 'x' }))).to.include({ status: 200, code: -32602 })
    })
  }

  it('are in the same order at any time', async () => {
    const { tools } = resultOf<{ tools: { name: string }[] }>(await modern(bridge.url, 'tools/list'))
    const names = tools.map(({ name }) => name)
    expect(names).to.deep.equal(names.toSorted())
  })

  it('ask the API nothing', async () => {
    api.forget()
    for (const method of Object.keys(lists)) await modern(bridge.url, method)
    expect(api.seen).to.have.length(0)
  })

  it('hold no member that the revision took back', async () => {
    const { tools } = resultOf<{ tools: object[] }>(await modern(bridge.url, 'tools/list'))
    for (const tool of tools) expect(tool).to.not.have.any.keys('execution', 'outputSchema')
  })

  it('show output schemas of any kind to who asks for them in the address', async () => {
    const answer = await modern(`${bridge.url}?schemas=full`, 'tools/list')
    const { tools } = resultOf<{ tools: { name: string; outputSchema?: { type?: string } }[] }>(answer)
    expect(tools.find(({ name }) => name === 'check')?.outputSchema).to.include({ type: 'array' })
  })

  it('are those of a new document as soon as it is loaded', async () => {
    const before = await modern(bridge.url, 'tools/list')
    const document = api.document as { paths: Record<string, { post?: { summary: string } }> }
    const { post } = document.paths['/v1/echo'] ?? {}
    if (!post) throw new Error('There is no echo')
    post.summary = 'Say it again'
    api.etag = '"2"'
    await bridge.refresh()
    const after = await modern(bridge.url, 'tools/list')
    expect(after.text).to.contain('Say it again').and.not.to.equal(before.text)
  })
})
