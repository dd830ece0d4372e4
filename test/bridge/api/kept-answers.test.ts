import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'chai'
import { createClient } from 'redis'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { callMcpTool, catchError, connectClient, getResultText } from '../../support/bridge/bridge-client.ts'
import {
  FixtureApi,
  sendProblem,
  sendReply,
  startTestBridge,
  useFixtureBridge,
} from '../../support/bridge/bridge-fixture.ts'
import { parseError, parseResult, sendModernRequest } from '../../support/bridge/modern-client.ts'
import { TcpProxy } from '../../support/bridge/request-balancer.ts'
import { startRedisServer } from '../../support/database/redis-server.ts'

const limit = 256 * 1024
const mebibyte = 1024 * 1024
const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: index, name: `Käfer ${index}` }))
const body = Buffer.from(JSON.stringify({ rows }))
const countBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

interface Entry {
  uri: string
  mimeType: string
  text?: string
  blob?: string
}

const getBytes = ({ text, blob }: Entry) => (blob === undefined ? Buffer.from(text ?? '') : Buffer.from(blob, 'base64'))

const getLink = ({ content }: Pick<CallToolResult, 'content'>) => {
  const links = content.filter((block) => block.type === 'resource_link')
  expect(links).to.have.length(1)
  return links[0] as Extract<CallToolResult['content'][number], { type: 'resource_link' }>
}

/** Reads an address, and the rest where the answer names it. */
async function readAll(client: Client, uri: string): Promise<Buffer> {
  const { contents } = await client.readResource({ uri })
  const [entry, rest] = contents as Entry[]
  if (!entry) throw new Error('There is no entry')
  expect(getBytes(entry).length).to.be.at.most(limit)
  return rest ? Buffer.concat([getBytes(entry), await readAll(client, rest.uri)]) : getBytes(entry)
}

describe('tools/call: a large answer that no address of the API reads again', () => {
  const { api, bridge } = useFixtureBridge()
  const clients: Client[] = []
  const connect = async (key = 'key', url = bridge.url, revision?: string) => {
    const client = await connectClient(url, { 'x-api-key': key }, revision === undefined ? {} : { revision })
    clients.push(client)
    return client
  }
  let client: Client
  before(async () => {
    client = await connect()
  })
  after(() => Promise.all(clients.map((one) => one.close())))
  const answerEcho = (content: Buffer | string = body) =>
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, content))
  const callEcho = (caller = client) => callMcpTool(caller, 'echo', { value: 'x' })

  it('is cut in text and structured content, and a link reads the rest', async () => {
    answerEcho()
    const result = await callEcho()
    const [first, note] = result.content as { text: string }[]
    const shown = Buffer.from(first?.text ?? '')
    expect(shown.length).to.be.within(limit - 65_536, limit)
    expect(countBytes(result.structuredContent)).to.be.within(limit - 4096, limit)
    const { rows: shownRows } = result.structuredContent as { rows: unknown[] }
    expect(shownRows).to.deep.equal(rows.slice(0, shownRows.length))
    expect(note?.text).to.contain(`structuredContent has the first ${shownRows.length} of 20000 entries of rows`)
    const link = getLink(result)
    expect(link).to.deep.include({ mimeType: 'application/json', size: body.length - shown.length })
    expect(Buffer.concat([shown, await readAll(client, link.uri)]).equals(body)).to.equal(true)
    const whole = link.uri.replace(/#.*/, '')
    expect((await readAll(client, whole)).equals(body)).to.equal(true)
    const part = (await client.readResource({ uri: `${whole}#bytes=300000-300009` })).contents as Entry[]
    expect(part.map(({ text }) => text)).to.deep.equal([body.subarray(300_000, 300_010).toString()])
  })

  it('is read in the modern era too, where only its caller may cache it', async () => {
    answerEcho()
    const headers = { 'x-api-key': 'modern' }
    const call = await sendModernRequest(
      bridge.url,
      'tools/call',
      { name: 'echo', arguments: { value: 'x' } },
      { headers },
    )
    const { uri } = getLink(parseResult<CallToolResult>(call))
    const read = parseResult<{ contents: Entry[] }>(
      await sendModernRequest(bridge.url, 'resources/read', { uri }, { headers }),
    )
    expect(read).to.include({ cacheScope: 'private' })
    const from = Number(/bytes=(\d+)-$/.exec(uri)?.[1])
    const [entry] = read.contents
    expect(entry && body.subarray(from).indexOf(getBytes(entry))).to.equal(0)
    const other = await sendModernRequest(bridge.url, 'resources/read', { uri })
    expect(parseError(other)).to.include({ code: -32602 })
  })

  it('is cut for a client of the first revision, which has only the text', async () => {
    answerEcho()
    const result = await callEcho(await connect('key', bridge.url, '2025-03-26'))
    const text = getResultText(result)
    expect(Buffer.byteLength(text)).to.be.below(limit + 1024)
    const [, uri = ''] = /(tessera:\/\/answers\/\S+#bytes=\d+-)/.exec(JSON.stringify(result.content)) ?? []
    expect((await readAll(client, uri)).length).to.be.greaterThan(body.length - limit - 1)
  })

  it('is kept up to 8 MiB', async () => {
    const whole = Buffer.from(JSON.stringify({ text: 'x'.repeat(8 * mebibyte - 11) }))
    expect(whole.length).to.equal(8 * mebibyte)
    answerEcho(whole)
    const result = await callEcho()
    expect(countBytes(result.structuredContent)).to.be.at.most(limit)
    const uri = getLink(result).uri.replace(/#.*/, '')
    expect((await readAll(client, uri)).equals(whole)).to.equal(true)
  })

  it('is cut and linked where its bytes are no text', async () => {
    const pack = Buffer.alloc(limit + 1000, 'pack')
    api.setHandler('POST /v1/pack', (_, response) =>
      sendReply(response, 200, pack, { 'content-type': 'application/zip' }),
    )
    const result = await callMcpTool(client, 'pack')
    const [first] = result.content as unknown as { resource: Entry }[]
    const shown = first ? getBytes(first.resource) : Buffer.alloc(0)
    expect(shown.length).to.equal(limit)
    const rest = await readAll(client, getLink(result).uri)
    expect(Buffer.concat([shown, rest]).equals(pack)).to.equal(true)
  })

  it('is kept where it is a refusal', async () => {
    const errors = Array.from({ length: 20_000 }, (_, index) => ({ path: `rows[${index}]`, message: 'is wrong' }))
    api.setHandler('POST /v1/refuse', (_, response) => sendProblem(response, 422, { detail: 'Not valid.', errors }))
    const result = await callMcpTool(client, 'refuse', { as: 'x' })
    expect(result.isError).to.equal(true)
    const problem = JSON.parse((await readAll(client, getLink(result).uri)).toString()) as { errors: unknown }
    expect(problem.errors).to.deep.equal(errors)
  })

  it('shows a secret in no text, and the kept answer has it', async () => {
    const document = createBridgeDocument()
    const echo = document.paths['/v1/echo'] as { post: { responses: unknown } }
    const properties = { token: { type: 'string', 'x-mcp-secret': true }, rows: {} }
    const schema = { type: 'object', properties }
    echo.post.responses = { 200: { description: 'It.', content: { 'application/json': { schema } } } }
    const secretApi = new FixtureApi()
    secretApi.document = document
    const secretBridge = await startTestBridge(await secretApi.start())
    try {
      await secretBridge.ready
      const answer = { token: 'hush-1', rows }
      secretApi.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, answer))
      for (const revision of ['2025-11-25', '2025-03-26']) {
        const caller = await connect('key', secretBridge.url, revision)
        const result = await callEcho(caller)
        const sizes = result.content.map((block) => countBytes(block))
        expect(Math.max(...sizes)).to.be.below(2 * limit)
        if (revision === '2025-11-25') {
          expect(result.structuredContent).to.include({ token: 'hush-1' })
          expect(JSON.stringify(result.content)).not.to.contain('hush')
          const { uri } = getLink(result)
          expect(JSON.parse((await readAll(caller, uri)).toString())).to.deep.equal(answer)
        } else expect(getResultText(result)).to.contain('hush-1')
      }
    } finally {
      await secretBridge.stop()
      await secretApi.stop()
    }
  })

  it('is its caller’s alone, and gone when four newer ones have taken its place', async () => {
    answerEcho()
    const addresses: string[] = []
    for (let count = 0; count < 5; count++) addresses.push(getLink(await callEcho()).uri)
    const isThere = async (uri = '', caller = client) => {
      const cause = await readAll(caller, uri).then(
        () => null,
        (one: unknown) => one as Error & { code: number },
      )
      if (!cause) return true
      expect(cause.code).to.equal(-32002)
      expect(cause.message).to.contain('An answer is kept for 10 minutes')
      return false
    }
    const found = []
    for (const uri of addresses) found.push(await isThere(uri))
    expect(found).to.deep.equal([false, true, true, true, true])
    const newest = addresses[4] ?? ''
    for (const key of ['another', 'key2', 'key3']) expect(await isThere(newest, await connect(key))).to.equal(false)
    expect(
      await isThere(newest.replace(/.(#.*)$/, (_, range) => (newest.includes('A#') ? 'B' : 'A') + range)),
    ).to.equal(false)
    expect(await isThere('tessera://answers/99-x')).to.equal(false)
    const wrong = await catchError(client.readResource({ uri: newest.replace(/#.*/, '#bytes=9-3') }))
    expect(wrong).to.include({ code: -32002 })
  })

  it('is not kept where a link reads it, or where it is small', async () => {
    answerEcho('{"a":1}')
    expect((await callEcho()).content.filter(({ type }) => type === 'resource_link')).to.deep.equal([])
    api.setHandler('PATCH /v1/widgets/w', (_, response) => sendReply(response, 200, body))
    const changed = await callMcpTool(client, 'update_widget', { id_path: 'w', note: 'x' })
    expect(getLink(changed).uri).to.equal(`${api.url}/v1/widgets/w`)
  })
})

describe('tools/call: the large end of a job that no resource of the document reads', () => {
  const api = new FixtureApi()
  const document = createBridgeDocument()
  delete (document.paths['/v1/jobs/{id}'] as { get: Record<string, unknown> }).get['x-mcp-type']
  api.document = document

  it('is kept as it ended', async () => {
    const bridge = await startTestBridge(await api.start())
    await bridge.ready
    const client = await connectClient(bridge.url)
    try {
      const job = { id: 'j1', type: 'publish', status: 'completed', total: 1, completed: 1, failed: 0, errors: [] }
      api.setHandler('POST /v1/widgets/publish', (_, response) => sendReply(response, 202, { jobId: 'j1' }))
      api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(`data: ${JSON.stringify({ ...job, result: { rows } })}\n\n`)
      })
      const params = { name: 'publish_widgets', arguments: { filters: [] } }
      const result = (await client.callTool(params, undefined, { onprogress: () => undefined })) as CallToolResult
      expect(countBytes(result.structuredContent)).to.be.within(limit - 4096, limit)
      const uri = getLink(result).uri.replace(/#.*/, '')
      const whole = JSON.parse((await readAll(client, uri)).toString()) as Record<string, unknown>
      expect(whole).to.deep.include({ jobId: 'j1', status: 'completed', result: { rows } })
    } finally {
      await client.close()
      await bridge.stop()
      await api.stop()
    }
  })
})

describe('tools/call: a large answer that is kept by one of several processes', () => {
  const api = new FixtureApi()
  const key = { 'x-api-key': 'canary-key' }

  it('is read at another process, and at the same one while Redis is away', async () => {
    const [redis] = await Promise.all([startRedisServer(), api.start()])
    const wire = new TcpProxy(Number(new URL(redis.url).port))
    const address = Object.assign(new URL(redis.url), { port: await wire.start() }).href
    const [one, other] = await Promise.all([
      startTestBridge(api.url, { REDIS_URL: address }),
      startTestBridge(api.url, { REDIS_URL: redis.url }),
    ])
    const clients: Client[] = []
    try {
      await Promise.all([one.ready, other.ready])
      const connected = await Promise.all([one, other].map(({ url }) => connectClient(url, key)))
      clients.push(...connected)
      const [client, reader] = connected as [Client, Client]
      api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, body))
      const readRest = async (caller: Client) => {
        const { uri } = getLink(await callMcpTool(client, 'echo', { value: 'x' }))
        return (await readAll(caller, uri.replace(/#.*/, ''))).equals(body)
      }
      expect(await readRest(reader)).to.equal(true)
      const stored = createClient({ url: redis.url })
      await stored.connect()
      const names = await stored.keys('mcp:kept:*')
      expect(names).to.have.length(1)
      for (const name of names) {
        expect(await stored.ttl(name)).to.be.within(1, 600)
        expect(await stored.get(name))
          .not.to.contain('Käfer')
          .and.not.to.contain('canary')
      }
      stored.destroy()
      wire.cut()
      expect(await readRest(client)).to.equal(true)
    } finally {
      await Promise.all(clients.map((one) => one.close()))
      await Promise.all([one.stop(), other.stop()])
      await Promise.all([wire.stop(), api.stop(), redis.stop()])
    }
  })
})
