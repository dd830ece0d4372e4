import { expect } from 'chai'
import { detectEra } from '../../../bridge/protocol/detect-era.ts'
import {
  startBareSession,
  createInitializeRequest,
  parseMessages,
  postJsonRpc,
  sendRawRequest,
} from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'
import {
  createEnvelope,
  sendModernRequest,
  createModernRequest,
  parseError,
  modernRevision,
} from '../../support/bridge/modern-client.ts'

const request = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, params })
const modernOne = request('tools/list', { _meta: createEnvelope() })
const sessionOne = request('tools/list', { _meta: { progressToken: 1 } })
const versionOf = (version: unknown) => ({
  _meta: { ...createEnvelope(), 'io.modelcontextprotocol/protocolVersion': version },
})

describe('Bridge: classification of a request by era', () => {
  const cases: [string, string, unknown, unknown, 'modern' | 'session'][] = [
    ['a request that names its revision in _meta', 'POST', modernRevision, modernOne, 'modern'],
    ['the same without a header', 'POST', undefined, modernOne, 'modern'],
    ['the same under an older header', 'POST', '2025-11-25', modernOne, 'modern'],
    [
      'a revision that there is not yet, in _meta',
      'POST',
      'v999.0.0',
      request('tools/list', versionOf('v999.0.0')),
      'modern',
    ],
    ['an older revision in _meta', 'POST', '2025-11-25', request('tools/list', versionOf('2025-11-25')), 'modern'],
    ['a revision in _meta that is no text', 'POST', undefined, request('tools/list', versionOf(7)), 'modern'],
    ['a request without a revision', 'POST', '2025-11-25', sessionOne, 'session'],
    ['a request without a revision or header', 'POST', undefined, sessionOne, 'session'],
    ['a request without parameters', 'POST', undefined, request('tools/list'), 'session'],
    ['a request without a revision under a modern header', 'POST', modernRevision, sessionOne, 'modern'],
    ['a request under a header that is no revision', 'POST', 'v999.0.0', sessionOne, 'session'],
    ['initialize', 'POST', undefined, createInitializeRequest('2025-11-25'), 'session'],
    [
      'initialize that asks for the modern revision',
      'POST',
      undefined,
      createInitializeRequest(modernRevision),
      'session',
    ],
    ['initialize under a modern header', 'POST', modernRevision, createInitializeRequest('2025-11-25'), 'modern'],
    [
      'initialize that names the modern revision in _meta',
      'POST',
      undefined,
      request('initialize', { _meta: createEnvelope() }),
      'modern',
    ],
    [
      'initialize with an older revision in _meta',
      'POST',
      undefined,
      request('initialize', versionOf('2025-06-18')),
      'session',
    ],
    ['a batch', 'POST', undefined, [sessionOne], 'session'],
    ['a batch with a modern request in it', 'POST', undefined, [sessionOne, modernOne], 'modern'],
    ['an empty batch', 'POST', undefined, [], 'session'],
    ['an answer', 'POST', undefined, { jsonrpc: '2.0', id: 1, result: {} }, 'session'],
    ['an answer under a modern header', 'POST', modernRevision, { jsonrpc: '2.0', id: 1, result: {} }, 'modern'],
    ['a notification', 'POST', undefined, { jsonrpc: '2.0', method: 'notifications/cancelled' }, 'session'],
    [
      'a notification under a modern header',
      'POST',
      modernRevision,
      { jsonrpc: '2.0', method: 'notifications/cancelled' },
      'modern',
    ],
    ['no JSON-RPC', 'POST', undefined, 'x', 'session'],
    ['GET', 'GET', '2025-11-25', undefined, 'session'],
    ['DELETE', 'DELETE', undefined, undefined, 'session'],
    ['GET under a modern header', 'GET', modernRevision, undefined, 'modern'],
  ]
  for (const [what, method, header, message, era] of cases)
    it(`finds the ${era} era for ${what}`, () => expect(detectEra(method, header, message)).to.equal(era))
})

describe('Bridge: both eras on one endpoint', () => {
  const { bridge } = useFixtureBridge()

  it('do not disturb each other', async () => {
    const { headers } = await startBareSession(bridge.url, '2025-11-25')
    const kept = bridge.countSessions()
    const id = { 'mcp-session-id': headers['mcp-session-id'] }
    expect((await sendModernRequest(bridge.url, 'tools/list', {}, { headers: id })).status).to.equal(200)
    expect(bridge.countSessions()).to.equal(kept)
    const answer = await postJsonRpc(bridge.url, request('tools/list'), headers)
    expect(parseMessages(answer)[0]).to.have.nested.property('result.tools')
  })

  it('leave a modern client without a session, whatever id it sends', async () => {
    const answer = await sendModernRequest(
      bridge.url,
      'tools/list',
      {},
      { headers: { 'mcp-session-id': 'nobody', 'last-event-id': '7' } },
    )
    expect(answer.status).to.equal(200)
    expect(answer.headers).not.to.have.property('mcp-session-id')
  })

  it('take modern requests one by one', async () => {
    const { message, headers } = createModernRequest('tools/list')
    const answer = await sendRawRequest(bridge.url, { headers, body: JSON.stringify([message]) })
    expect(parseError(answer)).to.include({ status: 400, code: -32600, id: null })
  })

  it('take nothing but POST from a modern client', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await sendRawRequest(bridge.url, {
        method,
        headers: { 'mcp-protocol-version': modernRevision, accept: 'text/event-stream' },
      })
      expect(answer.status, method).to.equal(405)
      expect(answer.headers['allow'], method).to.equal('POST')
    }
  })

  it('take no answers from a modern client: it is asked nothing by requests', async () => {
    const answer = await postJsonRpc(
      bridge.url,
      { jsonrpc: '2.0', id: 1, result: {} },
      { 'mcp-protocol-version': modernRevision },
    )
    expect(parseError(answer)).to.include({ status: 400, code: -32600 })
  })

  it('take a notification of a modern client and answer nothing', async () => {
    const { headers } = createModernRequest('notifications/cancelled')
    const answer = await postJsonRpc(bridge.url, { jsonrpc: '2.0', method: 'notifications/cancelled' }, headers)
    expect(answer).to.include({ status: 202, text: '' })
  })

  it('tell who began with initialize under a modern header what is wrong', async () => {
    const answer = await postJsonRpc(bridge.url, createInitializeRequest('2025-11-25'), {
      'mcp-protocol-version': modernRevision,
    })
    expect(parseError(answer)).to.include({ status: 400, code: -32020, id: 0 })
  })
})
