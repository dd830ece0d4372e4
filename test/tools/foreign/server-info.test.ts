import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { defaultSessionLimits } from '../../../bridge/shared/session-cache.ts'
import { callMcpTool, connectClient } from '../../support/bridge/bridge-client.ts'
import { FixtureApi, sendReply, startTestBridge, type TestBridge } from '../../support/bridge/bridge-fixture.ts'
import { connectModernClient, parseResult, sendModernRequest } from '../../support/bridge/modern-client.ts'

interface Info {
  readonly name: string
  readonly version: string
}

const infoKey = 'io.modelcontextprotocol/serverInfo'
const sessionRevisions = ['2025-11-25', '2025-06-18', '2025-03-26']
const tool = {
  'x-mcp-type': 'tool',
  responses: { 200: { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } } },
}

/** A document of somebody else: two tools, of which one answers nothing, and a resource. */
const createDocument = (title: string, version: string | number, server?: object) => ({
  openapi: '3.1.0',
  info: { title, version },
  ...(server && { 'x-mcp-server': server }),
  servers: [{ url: '/' }],
  paths: {
    '/things': {
      get: { ...tool, 'x-mcp-type': 'resource', operationId: 'list_things' },
      post: { ...tool, operationId: 'make_thing' },
      delete: { ...tool, operationId: 'drop_things', responses: { 204: { description: 'Gone' } } },
    },
  },
})

/** Every kind of request whose result is formatted in a way of its own. */
const requests = (address: string): readonly (readonly [string, Record<string, unknown>])[] => [
  ['server/discover', {}],
  ['tools/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['prompts/list', {}],
  ['tools/call', { name: 'make_thing', arguments: {} }],
  ['tools/call', { name: 'make_thing', arguments: { unknown: 1 } }],
  ['tools/call', { name: 'drop_things', arguments: {} }],
  ['resources/read', { uri: `${address}/things` }],
]

for (const bypassSdk of [true, false]) {
  describe(`The name and version of the server${bypassSdk ? '' : ', where the SDK answers all it can'}`, () => {
    let api: FixtureApi
    let bridge: TestBridge
    let address: string

    beforeEach(async () => {
      api = new FixtureApi()
      address = await api.start()
      api.document = createDocument('Things – API', '3.1')
      for (const route of ['GET /things', 'POST /things'])
        api.setHandler(route, (_, response) => sendReply(response, 200, { done: true }))
      api.setHandler('DELETE /things', (_, response) => void response.writeHead(204).end())
      const env = { API_URL: '', OPENAPI_URL: `${address}/openapi.json` }
      bridge = await startTestBridge(address, env, { ...defaultSessionLimits, bypassSdk })
      await bridge.ready
    })
    afterEach(async () => {
      await bridge.stop()
      await api.stop()
    })

    const replaceDocument = async (document: unknown): Promise<void> => {
      api.document = document
      api.etag = `${api.etag}+`
      await bridge.refresh()
    }

    async function expectServerInfo(info: Info): Promise<void> {
      for (const revision of sessionRevisions) {
        const client = await connectClient(bridge.url, {}, { revision })
        expect(client.getServerVersion(), revision).to.deep.equal(info)
        await client.close()
      }
      const client = await connectModernClient(bridge.url)
      expect(client.getServerVersion()).to.deep.equal(info)
      const progress = { onprogress: () => undefined }
      const result = await client.callTool({ name: 'make_thing', arguments: {} }, progress)
      expect(result._meta?.[infoKey]).to.deep.equal(info)
      await client.close()
      for (const [method, params] of requests(address))
        for (const query of ['', '?schemas=full', '?view=search']) {
          if (query === '?view=search' && method === 'tools/call') continue
          const { _meta: meta } = parseResult<{ _meta: object }>(
            await sendModernRequest(`${bridge.url}${query}`, method, params),
          )
          expect(meta, `${method} ${query}`).to.deep.include({ [infoKey]: info })
        }
    }

    it('are those of the document, in every revision, and those of a new document once it is loaded', async () => {
      await expectServerInfo({ name: 'Things – API', version: '3.1' })
      await replaceDocument(createDocument('Things – API', '3.2'))
      await expectServerInfo({ name: 'Things – API', version: '3.2' })
      await replaceDocument(createDocument('Things – API', '3.2', { name: 'things', version: '4' }))
      await expectServerInfo({ name: 'things', version: '4' })
      // YAML reads a version like 3.5 as a number.
      await replaceDocument(createDocument('Things – API', 3.5))
      await expectServerInfo({ name: 'Things – API', version: '3.5' })
    })

    it('stay those of the last good document when a new one says them wrongly', async () => {
      for (const server of [{ name: 7 }, { name: 'n'.repeat(201) }, { version: '1'.repeat(201) }])
        await replaceDocument(createDocument('Others', '9', server))
      await replaceDocument(createDocument('t'.repeat(201), '9'))
      const last = bridge.logEntries.slice(-4).map(({ msg }) => String(msg))
      expect(last.map((line) => /: (.*);/.exec(line)?.[1])).to.deep.equal([
        'x-mcp-server.name is not text',
        'the name of the server is longer than 200 characters; x-mcp-server.name can say a shorter one',
        'the version of the server is longer than 200 characters; x-mcp-server.version can say a shorter one',
        'the name of the server is longer than 200 characters; x-mcp-server.name can say a shorter one',
      ])
      await expectServerInfo({ name: 'Things – API', version: '3.1' })
    })

    it('are those of the API in front of our own', async () => {
      const own = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as {
        info: { version: string }
      }
      await replaceDocument(own)
      const info = { name: 'tessera', version: own.info.version }
      for (const client of [await connectClient(bridge.url), await connectModernClient(bridge.url)]) {
        expect(client.getServerVersion()).to.deep.equal(info)
        await client.close()
      }
    })
  })
}

describe('The name and version of the server, in a call during which the document changes', () => {
  const api = new FixtureApi()
  let bridge: TestBridge

  before(async () => {
    const address = await api.start()
    api.document = createDocument('Things', '1')
    bridge = await startTestBridge(address, { API_URL: '', OPENAPI_URL: `${address}/openapi.json` })
    await bridge.ready
  })
  after(async () => {
    await bridge.stop()
    await api.stop()
  })

  it('are those with which it began; the session goes on', async () => {
    api.setHandler('POST /things', async (_, response) => {
      api.document = createDocument('Things', '2')
      api.etag = '"2"'
      await bridge.refresh()
      sendReply(response, 200, { done: true })
    })
    const session = await connectClient(bridge.url)
    const call = ['tools/call', { name: 'make_thing', arguments: {} }] as const
    const infos = []
    for (let time = 1; time <= 2; time++)
      infos.push(
        parseResult<{ _meta: Record<string, Info> }>(await sendModernRequest(bridge.url, ...call))._meta[infoKey],
      )
    expect(infos.map((info) => info?.version)).to.deep.equal(['1', '2'])
    expect((await callMcpTool(session, 'make_thing')).structuredContent).to.deep.equal({ done: true })
    await session.close()
  })
})
