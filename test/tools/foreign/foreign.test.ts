import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import { isRecord } from '../../../tools/openapi.ts'
import { callMcpTool, connectClient, getResultText } from '../../support/bridge/bridge-client.ts'
import { FixtureApi, sendReply, startTestBridge, type TestBridge } from '../../support/bridge/bridge-fixture.ts'
import { connectModernClient } from '../../support/bridge/modern-client.ts'
import { countToolTokens } from '../../support/bridge/tool-tokens.ts'
import type { ToolEntry } from '../../../tools/catalogue/catalogue.ts'
import { foreignDocuments } from './foreign-documents.ts'

/**
 * Annotates a document as its operator would: every operation is a tool. Its first server keeps its path and moves to
 * the fixture, which is where the document lies.
 * @returns the text in the document's own format
 */
function annotate(bytes: Buffer): string {
  const text = bytes.toString()
  const document = parse(text) as { paths: Record<string, Record<string, unknown>>; servers: { url: string }[] }
  for (const item of Object.values(document.paths))
    for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
      const operation = item[method]
      if (isRecord(operation)) item[method] = { ...operation, 'x-mcp-type': 'tool' }
    }
  document.servers = [{ url: new URL(document.servers[0]?.url ?? '/').pathname }]
  return text.startsWith('{') ? JSON.stringify(document) : stringify(document)
}

describe('Documents of others: OpenAPI documents that packages ship', () => {
  for (const { name, bytes, call } of foreignDocuments) {
    it(`makes tools of ${name}, tells its name and version, and one of the tools is called`, async () => {
      const api = new FixtureApi()
      const address = await api.start()
      api.document = annotate(bytes)
      let bridge: TestBridge | null = null
      try {
        api.setHandler(call.request, (_, response) => sendReply(response, 200, { done: true }))
        bridge = await startTestBridge(address, { API_URL: '', OPENAPI_URL: `${address}/openapi.json` })
        await bridge.ready
        const client = await connectClient(bridge.url)
        const { info } = parse(bytes.toString()) as { info: { title: string; version: string } }
        const modernClient = await connectModernClient(bridge.url)
        for (const serverInfo of [client.getServerVersion(), modernClient.getServerVersion()])
          expect(serverInfo).to.deep.equal({ name: info.title, version: info.version })
        await modernClient.close()
        const { tools } = await client.listTools()
        const tokens = countToolTokens(tools as unknown as ToolEntry[])
        const ready = (await (await fetch(bridge.url.replace('/mcp', '/health/ready'))).json()) as {
          leftOut?: string[]
        }
        console.log(
          `      ${name}: ${tools.length} tools, ${tokens.toLocaleString('en')} tokens, left out ${ready.leftOut?.length ?? 0}`,
        )
        const result = await callMcpTool(client, call.tool, call.args)
        await client.close()
        expect(result.isError ?? false, getResultText(result)).to.equal(false)
        expect(result.structuredContent).to.deep.equal({ done: true })
        expect(`${api.lastRequest.method} ${api.lastRequest.url}`).to.equal(call.request)
        expect(api.complaints).to.deep.equal([])
      } finally {
        await bridge?.stop()
        await api.stop()
      }
    })
  }
})

describe('Documents of others: what is left out, and what is refused', () => {
  const servers = [{ url: '/' }]
  const responses = { 200: { description: 'Done' } }
  const tool = { 'x-mcp-type': 'tool', responses }
  const multipart = { content: { 'multipart/form-data': { schema: { type: 'object' } } } }
  let api: FixtureApi
  let bridge: TestBridge

  beforeEach(async () => {
    api = new FixtureApi()
    const address = await api.start()
    api.document = {
      openapi: '3.0.3',
      info: { title: 'Things', version: '3' },
      servers,
      paths: {
        '/things': { post: { ...tool, operationId: 'Things.create' }, put: { ...tool, operationId: 'putThing' } },
        '/files': { post: { ...tool, operationId: 'sendFile', requestBody: multipart } },
      },
    }
    bridge = await startTestBridge(address, { API_URL: '', OPENAPI_URL: `${address}/openapi.json` })
    await bridge.ready
  })
  afterEach(async () => {
    await bridge.stop()
    await api.stop()
  })

  const readReady = async () => (await (await fetch(bridge.url.replace('/mcp', '/health/ready'))).json()) as object
  async function listNames(): Promise<string[]> {
    const client = await connectClient(bridge.url)
    const { tools } = await client.listTools()
    await client.close()
    return tools.map(({ name }) => name)
  }
  const replaceDocument = async (document: unknown): Promise<string[]> => {
    api.document = document
    api.etag = '"2"'
    const before = bridge.logEntries.length
    await bridge.refresh()
    return bridge.logEntries.slice(before).map(({ msg }) => String(msg))
  }

  it('names an operation that cannot be a tool in the log and in /health/ready, and keeps the others', async () => {
    expect(await listNames()).to.deep.equal(['put_thing', 'things_create'])
    expect(await readReady()).to.deep.equal({ status: 'ok', leftOut: ['POST /files'] })
    expect(bridge.logEntries.map(({ msg }) => msg)).to.include(
      'POST /files is left out: a multipart body cannot be a tool',
    )
  })

  it('keeps the last good document when a new one has no annotation', async () => {
    const lines = await replaceDocument({
      openapi: '3.1.0',
      info: { title: 'Others', version: '1' },
      paths: { '/others': { get: { operationId: 'others', responses } } },
    })
    expect(lines).to.deep.equal([
      'the API document cannot be used: no operation in it has x-mcp-type; the last good one stays',
    ])
    expect(await listNames()).to.deep.equal(['put_thing', 'things_create'])
    expect(await readReady()).to.deep.include({ status: 'degraded', parts: ['api'] })
  })

  it('keeps the last good document when a new one names a server of another origin', async () => {
    const [line] = await replaceDocument({
      ...(api.document as object),
      servers: [{ url: 'http://elsewhere.example/v1' }],
    })
    expect(line).to.contain('its servers name http://elsewhere.example now').and.to.contain('the last good one stays')
    expect(await listNames()).to.deep.equal(['put_thing', 'things_create'])
  })

  it('refuses what is neither JSON nor YAML, and YAML whose aliases multiply or end in themselves', async () => {
    expect((await replaceDocument('{"openapi": ')).join()).to.match(/it is not JSON/)
    expect((await replaceDocument('openapi: [3.1.0')).join()).to.match(/it is neither JSON nor YAML/)
    const cycle = 'openapi: 3.1.0\ninfo: &info\n  example: *info\npaths: {}\n'
    expect((await replaceDocument(cycle)).join()).to.contain('cannot be used: it contains itself')
    const levels = Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}*a${at}]`)
    expect((await replaceDocument(['a0: &a0 [1]', ...levels].join('\n'))).join()).to.match(/alias/i)
    expect(await listNames()).to.deep.equal(['put_thing', 'things_create'])
  })

  it('takes values that may be null and bounds that are excluded from OpenAPI 3.0', async () => {
    const schema = {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'number', minimum: 0, exclusiveMinimum: true },
        note: { type: 'string', nullable: true },
      },
    }
    const requestBody = { required: true, content: { 'application/json': { schema } } }
    await replaceDocument({
      ...(api.document as object),
      paths: { '/things': { post: { ...tool, operationId: 'Things.create', requestBody } } },
    })
    api.setHandler('POST /things', (_, response) => sendReply(response, 200, {}))
    const client = await connectClient(bridge.url)
    const good = await callMcpTool(client, 'things_create', { size: 1, note: null })
    const bad = await callMcpTool(client, 'things_create', { size: 0 })
    await client.close()
    expect(good.isError ?? false, getResultText(good)).to.equal(false)
    expect(getResultText(bad)).to.contain('size')
  })
})
