import { expect } from 'chai'
import { connectClient } from '../../../support/bridge/bridge-client.ts'
import { useFixtureBridge } from '../../../support/bridge/bridge-fixture.ts'
import {
  connectModernClient,
  sendModernRequest,
  parseResult,
  modernRevision,
} from '../../../support/bridge/modern-client.ts'

describe('server/discover', () => {
  const { api, bridge } = useFixtureBridge()

  it('says what this server is and can, and for how long that holds', async () => {
    const { instructions, capabilities, _meta, ...rest } = parseResult(
      await sendModernRequest(bridge.url, 'server/discover'),
    )
    const kept = { ttlMs: 60_000, cacheScope: 'public' }
    expect(rest).to.deep.equal({ supportedVersions: [modernRevision], resultType: 'complete', ...kept })
    expect(capabilities).to.have.all.keys('tools', 'resources', 'prompts', 'completions', 'extensions')
    expect(capabilities).to.deep.include({ tools: {}, resources: {}, prompts: {}, completions: {} })
    expect(_meta).to.deep.equal({ 'io.modelcontextprotocol/serverInfo': { name: 'Widgets', version: '1' } })
    expect(instructions).to.be.a('string').with.length.above(50)
    expect(instructions).not.to.match(/dryRun|preview/)
  })

  it('asks the API nothing', async () => {
    api.clearRecords()
    await sendModernRequest(bridge.url, 'server/discover')
    expect(api.recordedRequests).to.have.length(0)
  })

  it('says the same to a client of the session era in its handshake', async () => {
    const { instructions } = parseResult(await sendModernRequest(bridge.url, 'server/discover'))
    const client = await connectClient(bridge.url)
    expect(client.getInstructions()).to.equal(instructions)
    await client.close()
  })

  it('is how a client that speaks both eras finds the newest', async () => {
    const sessions = bridge.countSessions()
    const client = await connectModernClient(bridge.url, {}, { mode: 'auto' })
    expect(client.getNegotiatedProtocolVersion()).to.equal(modernRevision)
    expect(bridge.countSessions()).to.equal(sessions)
    expect((await client.listTools()).tools).not.to.have.length(0)
    await client.close()
  })

  it('serves every capability that it names', async () => {
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])
      expect((await sendModernRequest(bridge.url, method)).status, method).to.equal(200)
  })
})
