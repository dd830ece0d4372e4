import { expect } from 'chai'
import { request } from 'node:http'
import { parseMessages, postJsonRpc, defaultHeaders } from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, sendReply } from '../../support/bridge/bridge-fixture.ts'

type Json = Record<string, unknown>

interface Open {
  /** The question as it was sent. */
  readonly question: { readonly id: string; readonly method: string; readonly params: Json }
  readonly headers: Record<string, string>
  readonly ended: Promise<Json[]>
  readonly leave: () => void
}

/** What a client posts in answer to a question. */
describe('Bridge: answers in a session, as JSON or as an event stream', () => {
  const { api, bridge } = useFixtureBridge()
  before(() => {
    api.setHandler('DELETE /v1/widgets/w-1', (_, response) => sendReply(response, 200, { id: 'w-1' }))
  })
  beforeEach(() => api.clearRecords())

  const begin = async (key = 'k'): Promise<Record<string, string>> => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'bare', version: '1' },
    }
    const begun = await postJsonRpc(
      bridge.url,
      { jsonrpc: '2.0', id: 0, method: 'initialize', params },
      { 'x-api-key': key },
    )
    return { 'x-api-key': key, 'mcp-session-id': String(begun.headers['mcp-session-id']) }
  }

  /** A call that asks, up to the question. */
  const ask = async (headers: Record<string, string>, id = 1): Promise<Open> => {
    const call = {
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'delete_widget', arguments: { id: 'w-1' } },
    }
    let text = ''
    let resolveQuestion = () => {}
    const seen = new Promise<void>((resolve) => {
      resolveQuestion = resolve
    })
    const sent = request(bridge.url, { method: 'POST', headers: { ...defaultHeaders, ...headers }, agent: false })
    const ended = new Promise<Json[]>((resolve) => {
      sent.on('error', () => undefined)
      sent.on('response', (response) => {
        response.on('error', () => undefined)
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString()
          if (text.includes('elicitation/create')) resolveQuestion()
        })
        response.on('close', () => resolve(parseMessages({ status: 200, headers: response.headers, text })))
      })
    })
    sent.end(JSON.stringify(call))
    await seen
    const [question] = parseMessages({ status: 200, headers: { 'content-type': 'text/event-stream' }, text })
    return { question: question as unknown as Open['question'], headers, ended, leave: () => sent.destroy() }
  }
  const answer = async (headers: Record<string, string>, id: unknown, given: Json) =>
    (await postJsonRpc(bridge.url, { jsonrpc: '2.0', id, ...given }, headers)).status
  const yes = { result: { action: 'accept', content: { confirm: true } } }
  const endOf = async ({ ended }: Open) => JSON.stringify((await ended).at(-1))

  it('reaches the call that asked, under an id that no other question has', async () => {
    const headers = await begin()
    const [one, other] = [await ask(headers, 1), await ask(headers, 2)]
    expect(one.question.method).to.equal('elicitation/create')
    expect(one.question.id).to.match(/^[\w-]+\.[\w-]+$/)
    expect(one.question.id).not.to.equal(other.question.id)
    expect(await answer(headers, other.question.id, { result: { action: 'decline' } })).to.equal(202)
    expect(await endOf(other)).to.contain('The user declined')
    expect(await answer(headers, one.question.id, yes)).to.equal(202)
    expect(await endOf(one))
      .to.contain('"id":1')
      .and.not.to.contain('isError')
    expect(api.recordedRequests).to.have.length(1)
  })

  it('makes room for the next question: only twenty are open at a time', async () => {
    const headers = await begin()
    for (let id = 1; id <= 22; id++) {
      const open = await ask(headers, id)
      await answer(headers, open.question.id, { result: { action: 'decline' } })
      expect(await endOf(open), String(id)).to.contain('The user declined')
    }
  })

  it('ignores an answer from another session, also of the same caller', async () => {
    const open = await ask(await begin())
    for (const key of ['k', 'other']) await answer(await begin(key), open.question.id, yes)
    await answer(open.headers, `${open.question.id}x`, yes)
    await answer(open.headers, 0, yes)
    expect(api.recordedRequests).to.deep.equal([])
    await answer(open.headers, open.question.id, { result: { action: 'cancel' } })
    expect(await endOf(open)).to.contain('gave no answer')
    expect(api.recordedRequests).to.deep.equal([])
  })

  it('counts once', async () => {
    const open = await ask(await begin())
    for (let time = 1; time <= 3; time++) expect(await answer(open.headers, open.question.id, yes)).to.equal(202)
    await open.ended
    expect(api.recordedRequests).to.have.length(1)
  })

  it('sends nothing for an answer that is an error, or for none', async () => {
    const headers = await begin()
    const given: Json[] = [
      { error: { code: -32603, message: 'no window' } },
      { error: null, result: null },
      { result: 'yes' },
      { result: { action: 'perhaps', content: { confirm: true } } },
      { result: { content: { confirm: true } } },
      { result: { action: 'accept', content: [true] } },
    ]
    for (const [index, one] of given.entries()) {
      const open = await ask(headers, index + 1)
      await answer(headers, open.question.id, one)
      expect(await endOf(open), JSON.stringify(one)).to.contain('The client could not ask the user. Nothing was sent.')
    }
    expect(api.recordedRequests).to.deep.equal([])
  })

  it('sends nothing for a call that its client has left', async () => {
    const open = await ask(await begin())
    open.leave()
    await open.ended
    await answer(open.headers, open.question.id, yes)
    const next = await ask(open.headers, 2)
    await answer(open.headers, next.question.id, { result: { action: 'decline' } })
    await next.ended
    expect(api.recordedRequests).to.deep.equal([])
  })
})
