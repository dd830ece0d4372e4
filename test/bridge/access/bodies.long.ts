import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { defaultHeaders, postJsonRpc, sendRawRequest, startBareSession } from '../../support/bridge/bridge-client.ts'
import { sendReply, startTestBridge, useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'
import { createModernRequest } from '../../support/bridge/modern-client.ts'
import { waitUntil } from '../../support/processes.ts'

const mebibyte = 1024 * 1024
const ping = { jsonrpc: '2.0', id: 'p-1', method: 'ping' }
const getId = ({ text }: { text: string }) => (JSON.parse(text) as { id: unknown }).id

describe('Bridge: bodies of requests', () => {
  const { api, bridge } = useFixtureBridge()
  before(() => api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true })))

  it('are refused with the id of the request, wherever it could be read', async () => {
    const starting = await startTestBridge('http://127.0.0.1:9')
    const refusals = [
      [400, await postJsonRpc(bridge.url, ping)],
      [404, await postJsonRpc(bridge.url, ping, { 'mcp-session-id': 'unknown' })],
      [400, await postJsonRpc(bridge.url, ping, { 'mcp-protocol-version': '2020-01-01' })],
      [400, await postJsonRpc(`${bridge.url}?toolsets=unknown`, ping)],
      [503, await postJsonRpc(starting.url, ping)],
      [
        400,
        await sendRawRequest(bridge.url, {
          headers: defaultHeaders,
          body: '{"jsonrpc":"2.0","id":"p-1","method":"ping","params":{"a":12345678901234567890}}',
        }),
      ],
    ] as const
    await starting.stop()
    for (const [status, answer] of refusals)
      expect([answer.status, getId(answer)], answer.text).to.deep.equal([status, 'p-1'])
  })

  it('are refused with no id where none was read', async () => {
    for (const [status, body, headers] of [
      [400, '{"id":"p-1"', defaultHeaders],
      [415, JSON.stringify(ping), { ...defaultHeaders, 'content-type': 'text/plain' }],
    ] as const) {
      const answer = await sendRawRequest(bridge.url, { headers, body })
      expect([answer.status, getId(answer)], answer.text).to.deep.equal([status, null])
    }
  })

  it('have at most 250,000 values, whatever these are', async () => {
    for (const values of ['['.repeat(250_001), `[${'1,'.repeat(250_000)}1]`, `{${'"a":{},'.repeat(130_000)}"b":1}`]) {
      const answer = await sendRawRequest(bridge.url, { headers: defaultHeaders, body: values })
      expect(answer.status, answer.text).to.equal(413)
      expect(answer.text).to.contain('250000 values')
    }
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const value = `${'[{,"\\\\'.repeat(60_000)}${'x'.repeat(5 * mebibyte)}`
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { value } } }
    expect((await postJsonRpc(bridge.url, call, headers)).text).to.contain('"ok":true')
    expect(JSON.parse(api.lastRequest.body.toString())).to.deep.equal({ value })
  })
})

describe('Bridge: bodies of more than 1 MiB', () => {
  const { api, bridge } = useFixtureBridge()
  before(() => api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { ok: true })))

  const call = (value: string) =>
    createModernRequest('tools/call', { name: 'echo', arguments: { value } }, { id: 'p-1' })
  const padding = ' '.repeat(2 * mebibyte)

  it('reach the API unchanged, though a thread parses them', async () => {
    const value = 'é😀"\\\u2028'.repeat(mebibyte / 8)
    const { message, headers } = call(value)
    const marked = Buffer.from(`\uFEFF${padding}${JSON.stringify(message)}`)
    const answer = await sendRawRequest(bridge.url, { headers, body: marked })
    expect(answer.text).to.contain('"ok":true')
    expect(JSON.parse(api.lastRequest.body.toString())).to.deep.equal({ value })
  })

  it('are refused for what smaller ones are refused for', async () => {
    const { message, headers } = call('@')
    const text = JSON.stringify(message)
    const write = (value: string) => Buffer.from(padding + text.replace('"@"', value))
    api.clearRecords()
    for (const [what, body, status, id, part] of [
      ['an inexact number', write('12345678901234567890'), 400, 'p-1', '12345678901234567890 has more digits'],
      ['no JSON', write('nothing'), 400, null, 'not JSON'],
      ['no UTF-8', Buffer.concat([write('"'), Buffer.from([0xff, 0xfe])]), 400, null, 'not JSON in UTF-8'],
      ['no value', Buffer.from(padding), 400, null, 'not JSON'],
    ] as const) {
      const answer = await sendRawRequest(bridge.url, { headers, body })
      expect([answer.status, getId(answer)], `${what}: ${answer.text}`).to.deep.equal([status, id])
      expect(answer.text, what).to.contain(part)
    }
    expect(api.recordedRequests).to.have.length(0)
  })

  it('wait for a thread, at most 16 from one address; the next is told when to try again', async () => {
    const { message, headers } = call('@')
    // Each number is compared with its digits where one has many: so slowly that the others have come meanwhile.
    const numbers = `[${'1,'.repeat(50_000)}1000000000000000]`
    const text = `${JSON.stringify(message).replace('"@"', numbers)}${padding}`
    const complete = await Promise.all(
      Array.from({ length: 30 }, () => sendAllButEnd(bridge.url, { ...headers, 'x-api-key': 'one' }, text)),
    )
    const answers = await Promise.all(complete.map((end) => end()))
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused.length).to.be.within(1, 12)
    expect(answers.filter(({ status }) => status === 200)).to.have.length(30 - refused.length)
    for (const { headers: answered } of refused) expect(answered['retry-after']).to.equal('5')
    const answer = await sendRawRequest(bridge.url, { headers, body: text })
    expect(answer.status, answer.text).to.equal(200)
  })
})

/** Sends a request but for its last byte, and returns a function that sends this and waits for the answer. */
async function sendAllButEnd(url: string, headers: Record<string, string>, text: string) {
  const body = Buffer.from(text)
  const sent = request(url, { method: 'POST', headers: { ...headers, 'content-length': body.length }, agent: false })
  await new Promise((resolve) => sent.write(body.subarray(0, -1), resolve))
  return () =>
    new Promise<IncomingMessage & { status: number }>((resolve, reject) => {
      sent.once('error', reject)
      sent.once('response', (response) =>
        resolve(Object.assign(response.resume(), { status: response.statusCode ?? 0 })),
      )
      sent.end(body.subarray(-1))
    })
}

/** Requests of one caller that each hold 15 MiB at the bridge, and never end by themselves. */
interface HeldBodies {
  readonly headers: Record<string, string>
  readonly count: number
  readonly open: ClientRequest[]
}

/** Opens the requests that are not open: the bridge ends each after 30 s, which a slow machine needs for all of them. */
async function holdBodies(url: string, { headers, count, open }: HeldBodies): Promise<void> {
  const blank = Buffer.alloc(15 * mebibyte, ' ')
  open.splice(0, open.length, ...open.filter(({ destroyed }) => !destroyed))
  const opened = Array.from({ length: count - open.length }, () => {
    const sent = request(url, {
      method: 'POST',
      headers: { ...defaultHeaders, ...headers, 'content-length': 16 * mebibyte },
      agent: false,
    })
    sent.on('error', () => {})
    return sent
  })
  open.push(...opened)
  const written = opened.map(
    (sent) =>
      new Promise<void>((resolve) => {
        sent.once('close', resolve)
        sent.write(blank, () => resolve())
      }),
  )
  await Promise.all(written)
}

describe('Bridge: the memory for bodies', () => {
  const { bridge } = useFixtureBridge({ TRUST_PROXY: 'true' })
  const held: HeldBodies[] = []
  const hold = async (headers: Record<string, string>, count: number) => {
    held.push({ headers, count, open: [] })
    await Promise.all(held.map((bodies) => holdBodies(bridge.url, bodies)))
  }
  const release = () => held.splice(0).forEach(({ open }) => open.forEach((sent) => sent.destroy()))
  afterEach(release)

  const small = Buffer.from(`${' '.repeat(10 * mebibyte)}${JSON.stringify(ping)}`)
  const send = async (headers: Record<string, string>) =>
    await sendRawRequest(bridge.url, { headers: { ...defaultHeaders, ...headers }, body: small })
  const isRefused = async (headers: Record<string, string>) => {
    await Promise.all(held.map((bodies) => holdBodies(bridge.url, bodies)))
    const { status, headers: answered } = await send(headers)
    return status === 503 && answered['retry-after'] === '5'
  }
  /** Opens again what was ended, as `isRefused` does: others have room beside all of it. */
  const hasRoom = async (headers: Record<string, string>) => {
    await Promise.all(held.map((bodies) => holdBodies(bridge.url, bodies)))
    return (await send(headers)).status === 400
  }

  it('is 64 MiB without credentials; those with credentials have room', async () => {
    await hold({}, 4)
    await waitUntil('the budget is used up', () => isRefused({}))
    await waitUntil('others have room', () => hasRoom({ 'x-api-key': 'one' }))
    release()
    await waitUntil('the budget is given back', () => hasRoom({}))
  })

  it('is 128 MiB of one network and 256 MiB in total, whatever the credentials', async () => {
    const from = (address: string, key: string) => ({ 'x-forwarded-for': address, 'x-api-key': key })
    await hold(from('2001:db8::1', 'one'), 8)
    await waitUntil('the budget of the network is used up', () => isRefused(from('2001:db8::2', 'two')))
    await waitUntil('others have room', () => hasRoom(from('2001:db8:0:1::1', 'one')))
    await hold(from('192.0.2.1', 'three'), 8)
    await waitUntil('the budget of the other network is used up', () => isRefused(from('192.0.2.1', 'four')))
    await waitUntil('others have room', () => hasRoom(from('192.0.2.2', 'five')))
    await hold(from('192.0.2.3', 'six'), 1)
    await waitUntil('the whole budget is used up', () => isRefused(from('192.0.2.2', 'five')))
    release()
    await waitUntil('the budget is given back', () => hasRoom(from('192.0.2.1', 'four')))
  })
})
