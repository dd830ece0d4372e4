import { expect } from 'chai'
import { countOpenStreams } from '../../../../core/http/events/event-streams.ts'
import { answerEvents } from '../../../../core/kernel/answer.ts'
import { declareOperation } from '../../../../core/kernel/operation.ts'
import { waitUntil } from '../../../support/processes.ts'
import { serveRoutes, type ServedRoutes } from './routes.ts'

const document = { tag: 'Tests', summary: 'Follow' }
const media = { type: 'text/event-stream', description: 'Its states.' } as const
const base = { method: 'GET', access: 'public', document } as const

const operations = [
  declareOperation({ ...base, id: 'follow_v1', path: '/v1/follow', returns: { 200: media } }).withReadHandler(
    async () =>
      answerEvents({
        read: async () => ({ value: { text: 'a' }, version: 1, isTerminal: false }),
        subscribe: () => () => undefined,
      }),
  ),
  declareOperation({
    ...base,
    id: 'read_csv_v1',
    path: '/v1/csv',
    returns: { 200: { type: 'text/csv', description: 'Its rows.' } },
  }).withReadHandler(async () => ({})),
  declareOperation({ ...base, id: 'read_nothing_v1', path: '/v1/nothing', returns: { 204: null } }).withReadHandler(
    async () => undefined,
  ),
]

describe('Routes: the streams of events', () => {
  let served: ServedRoutes
  before(async () => {
    served = await serveRoutes(operations, { settings: { eventStreamsPerBuyer: 1 } })
  })
  after(() => served.stop())

  const follow = (accept = 'text/event-stream', method = 'GET') => {
    const client = new AbortController()
    const answer = fetch(`${served.url}/v1/follow`, { method, headers: { accept }, signal: client.signal })
    return { answer, end: () => client.abort() }
  }

  it('are counted for their address while they are open', async () => {
    const open = countOpenStreams()
    const first = follow()
    const { status, headers, body } = await first.answer
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/event-stream'])
    const reader = body?.getReader()
    const event = await reader?.read()
    expect(Buffer.from(event?.value ?? []).toString()).to.equal('id: 1\ndata: {"text":"a"}\n\n')
    const refused = await follow().answer
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).to.deep.equal([
      429,
      '1 event streams of your address are open already. Close one of them, or follow by the status route.',
    ])
    first.end()
    await waitUntil('the stream has ended', () => countOpenStreams() === open)
    await waitUntil('another one may begin', async () => {
      const next = follow()
      const answer = await next.answer
      next.end()
      return answer.status === 200
    })
    await waitUntil('that one has ended too', () => countOpenStreams() === open)
  })

  it('are only for who accepts them', async () => {
    const { status } = await follow('application/json').answer
    expect(status).to.equal(406)
  })

  it('are neither counted nor needed on other routes', async () => {
    const open = countOpenStreams()
    const following = follow()
    await following.answer
    for (const [path, status] of [
      ['/v1/csv', 200],
      ['/v1/nothing', 204],
    ] as const)
      for (let round = 0; round < 2; round++) {
        const answer = await fetch(`${served.url}${path}`, { headers: { accept: 'application/json' } })
        expect(answer.status, path).to.equal(status)
        await answer.text()
      }
    following.end()
    await waitUntil('the stream has ended', () => countOpenStreams() === open)
  })
})
