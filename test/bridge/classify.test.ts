import { expect } from 'chai'
import { eraOf } from '../../bridge/eras/classify.ts'
import { bareSession, initialize, messagesOf, post, raw } from '../support/bridge-client.ts'
import { fixtureBridge } from '../support/bridge-fixture.ts'
import { envelope, modern, modernRequest, refusalOf, revision } from '../support/modern-client.ts'

const request = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, params })
const modernOne = request('tools/list', { _meta: envelope() })
const sessionOne = request('tools/list', { _meta: { progressToken: 1 } })
const versionOf = (version: unknown) => ({ _meta: { ...envelope(), 'io.modelcontextprotocol/protocolVersion': version } })

describe('The era of a request', () => {
  const cases: [string, string, unknown, unknown, 'modern' | 'session'][] = [
    ['a request that names its revision in _meta', 'POST', revision, modernOne, 'modern'],
    ['the same without a header', 'POST', undefined, modernOne, 'modern'],
    ['the same under an older header', 'POST', '2025-11-25', modernOne, 'modern'],
    ['a revision that there is not yet, in _meta', 'POST', 'v999.0.0', request('tools/list', versionOf('v999.0.0')), 'modern'],
    ['an older revision in _meta', 'POST', '2025-11-25', request('tools/list', versionOf('2025-11-25')), 'modern'],
    ['a revision in _meta that is no text', 'POST', undefined, request('tools/list', versionOf(7)), 'modern'],
    ['a request without a revision', 'POST', '2025-11-25', sessionOne, 'session'],
    ['a request without a revision or header', 'POST', undefined, sessionOne, 'session'],
    ['a request without parameters', 'POST', undefined, request('tools/list'), 'session'],
    ['a request without a revision under a modern header', 'POST', revision, sessionOne, 'modern'],
    ['a request under a header that is no revision', 'POST', 'v999.0.0', sessionOne, 'session'],
    ['initialize', 'POST', undefined, initialize('2025-11-25'), 'session'],
    ['initialize that asks for the modern revision', 'POST', undefined, initialize(revision), 'session'],
    ['initialize under a modern header', 'POST', revision, initialize('2025-11-25'), 'modern'],
    ['initialize that names the modern revision in _meta', 'POST', undefined, request('initialize', { _meta: envelope() }), 'modern'],
    ['initialize with an older revision in _meta', 'POST', undefined, request('initialize', versionOf('2025-06-18')), 'session'],
    ['a batch', 'POST', undefined, [sessionOne], 'session'],
    ['a batch with a modern request in it', 'POST', undefined, [sessionOne, modernOne], 'modern'],
    ['an empty batch', 'POST', undefined, [], 'session'],
    ['an answer', 'POST', undefined, { jsonrpc: '2.0', id: 1, result: {} }, 'session'],
    ['an answer under a modern header', 'POST', revision, { jsonrpc: '2.0', id: 1, result: {} }, 'modern'],
    ['a notification', 'POST', undefined, { jsonrpc: '2.0', method: 'notifications/cancelled' }, 'session'],
    ['a notification under a modern header', 'POST', revision, { jsonrpc: '2.0', method: 'notifications/cancelled' }, 'modern'],
    ['no JSON-RPC', 'POST', undefined, 'x', 'session'],
    ['GET', 'GET', '2025-11-25', undefined, 'session'],
    ['DELETE', 'DELETE', undefined, undefined, 'session'],
    ['GET under a modern header', 'GET', revision, undefined, 'modern'],
  ]
  for (const [what, method, header, message, era] of cases)
    it(`of ${what} is the ${era} one`, () => expect(eraOf(method, header, message)).to.equal(era))
})

describe('Both eras on one endpoint', () => {
  const { bridge } = fixtureBridge()

  it('do not disturb each other', async () => {
    const { headers } = await bareSession(bridge.url, '2025-11-25')
    const kept = bridge.sessions()
    const id = { 'mcp-session-id': headers['mcp-session-id'] }
    expect((await modern(bridge.url, 'tools/list', {}, { headers: id })).status).to.equal(200)
    expect(bridge.sessions()).to.equal(kept)
    const answer = await post(bridge.url, request('tools/list'), headers)
    expect(messagesOf(answer)[0]).to.have.nested.property('result.tools')
  })

  it('leave a modern client without a session, whatever id it sends', async () => {
    const answer = await modern(bridge.url, 'tools/list', {}, { headers: { 'mcp-session-id': 'nobody', 'last-event-id': '7' } })
    expect(answer.status).to.equal(200)
    expect(answer.headers).not.to.have.property('mcp-session-id')
  })

  it('take modern requests one by one', async () => {
    const { message, headers } = modernRequest('tools/list')
    const answer = await raw(bridge.url, { headers, body: JSON.stringify([message]) })
    expect(refusalOf(answer)).to.include({ status: 400, code: -32600, id: null })
  })

  it('take nothing but POST from a modern client', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await raw(bridge.url, { method, headers: { 'mcp-protocol-version': revision, accept: 'text/event-stream' } })
      expect(answer.status, method).to.equal(405)
      expect(answer.headers['allow'], method).to.equal('POST')
    }
  })

  it('take no answers from a modern client: it is asked nothing by requests', async () => {
    const answer = await post(bridge.url, { jsonrpc: '2.0', id: 1, result: {} }, { 'mcp-protocol-version': revision })
    expect(refusalOf(answer)).to.include({ status: 400, code: -32600 })
  })

  it('take a notification of a modern client and answer nothing', async () => {
    const { headers } = modernRequest('notifications/cancelled')
    const answer = await post(bridge.url, { jsonrpc: '2.0', method: 'notifications/cancelled' }, headers)
    expect(answer).to.include({ status: 202, text: '' })
  })

  it('tell who began with initialize under a modern header what is wrong', async () => {
    const answer = await post(bridge.url, initialize('2025-11-25'), { 'mcp-protocol-version': revision })
    expect(refusalOf(answer)).to.include({ status: 400, code: -32020, id: 0 })
  })
})
