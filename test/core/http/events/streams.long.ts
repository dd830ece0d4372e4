import { EventEmitter } from 'node:events'
import { expect } from 'chai'
import { Agent, request } from 'undici'
import type { ContextHandle } from '../../../../core/app/context.ts'
import { answerEvents } from '../../../../core/kernel/answer.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import { declareOperation } from '../../../../core/kernel/operation.ts'
import { findFreePort } from '../../../../core/start/ports.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { countServerConnections } from '../../../support/database/backends.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { waitUntil } from '../../../support/processes.ts'
import { writeJobProgress, type JobProgressOptions } from '../../../support/rows/queue/job-progress.ts'
import { getOperator, buildOperator } from '../../identity/people.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { serveApi, type Api } from '../../queue/api.ts'
import { formatHead, openRawConnection } from '../../../support/network/raw.ts'

interface Event {
  id: number
  data: { status: string; completed: number }
}

/** The events of a stream as it came, comments left out; throws for a line that has no business there. */
function read(text: string): Event[] {
  const blocks = text.split('\n\n')
  if (blocks.pop() !== '') throw new Error(`The stream ends inside an event: ${text.slice(-200)}`)
  return blocks
    .filter((block) => block !== ':')
    .map((block) => {
      const [, id, data] = /^id: (\d+)\ndata: (.+)$/.exec(block) ?? []
      if (data === undefined) throw new Error(`No event: ${block}`)
      return { id: Number(id), data: JSON.parse(data) as Event['data'] }
    })
}

describe('Event streams (SSE)', function () {
  this.timeout(240_000)
  let own: OwnPlatform
  let api: Client
  let built: ContextHandle
  let agent: Agent
  let metrics: number

  before(async () => {
    metrics = await findFreePort()
    own = await startPlatform({
      env: { METRICS_PORT: String(metrics), EVENT_STREAMS_PER_KEY: '2000', EVENT_STREAMS_PER_ORGANIZATION: '2000' },
    })
    api = createApiClient(own.apiKey, own.api)
    built = await buildOperator(own.database)
    agent = new Agent({ connections: null })
    // Jobs stand still, so that a test moves them.
    process.kill(own.children.worker.pid ?? 0, 'SIGSTOP')
  })
  after(async () => {
    process.kill(own.children.worker.pid ?? 0, 'SIGCONT')
    await agent.destroy()
    await built.close()
    await own.stop()
  })

  const newJob = async () => String((await api.post('/v1/dpp/passports/publish')).body['jobId'])
  const move = (id: string, progress: JobProgressOptions) => writeJobProgress(built.context.db, id, progress)
  const openStreams = async () => {
    const { body } = await request(`http://127.0.0.1:${metrics}/metrics`)
    return Number(/^tessera_event_streams(?:\{[^}]*\})? (\d+)/m.exec(await body.text())?.[1])
  }

  /** Follows a job and keeps what it hears. */
  async function follow(id: string, headers: Record<string, string> = {}) {
    const answer = await request(`${own.api}/v1/jobs/${id}/sse`, {
      dispatcher: agent,
      headers: { 'x-api-key': own.apiKey, accept: 'text/event-stream', ...headers },
    })
    const parts: Buffer[] = []
    const ended = (async () => {
      for await (const part of answer.body) parts.push(part as Buffer)
    })()
    ended.catch(() => undefined)
    return {
      status: answer.statusCode,
      headers: answer.headers,
      ended,
      events: () => read(Buffer.concat(parts).toString('utf8')),
      drop: () => answer.body.destroy(),
    }
  }

  it('has the present state at once, then each later one with a growing id, and ends with the last', async () => {
    const id = await newJob()
    const stream = await follow(id)
    expect(stream.headers).to.include({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    await waitUntil('the present state comes', () => stream.events().length === 1)
    expect(stream.events()[0]?.data).to.deep.equal((await api.get(`/v1/jobs/${id}`)).body)
    for (const completed of [1, 2, 3]) {
      await move(id, { completed })
      await waitUntil('the change comes', () => stream.events().at(-1)?.data.completed === completed)
    }
    await move(id, { status: 'completed', total: 3 })
    await stream.ended
    const seen = stream.events()
    expect(seen.at(-1)?.data).to.deep.equal((await api.get(`/v1/jobs/${id}`)).body)
    const ids = seen.map((event) => event.id)
    expect(ids).to.deep.equal([...new Set(ids)].sort((a, b) => a - b))
    const again = await follow(id, { 'last-event-id': String(ids.at(-1)) })
    expect([again.status, again.headers['content-type']]).to.deep.equal([204, undefined])
    const earlier = await follow(id, { 'last-event-id': String(ids[0]) })
    await earlier.ended
    expect(earlier.events()).to.deep.equal([seen.at(-1)])
    await waitUntil('nothing is left open', async () => (await openStreams()) === 0)
  })

  it('is for who accepts one, by name or by a wildcard', async () => {
    const id = await newJob()
    for (const accept of ['application/json', 'text/html', 'text/event-stream;q=0']) {
      expect(formatVerdict(await api.get(`/v1/jobs/${id}/sse`, { headers: { accept } })), accept).to.equal(
        '406 NOT_ACCEPTABLE',
      )
    }
    for (const accept of ['text/event-stream', '*/*', 'text/*', 'application/json, text/event-stream;q=0.1']) {
      const stream = await follow(id, { accept })
      expect(stream.status, accept).to.equal(200)
      stream.drop()
    }
    await waitUntil('nothing is left open', async () => (await openStreams()) === 0)
  })

  it('leaves nothing open after HEAD, a refusal or a client that goes before its first event', async () => {
    const id = await newJob()
    await api.send('HEAD', `/v1/jobs/${id}/sse`, undefined, { skipsDocumentCheck: true })
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { send, socket } = await openRawConnection(own.api)
        send(formatHead('GET', `/v1/jobs/${id}/sse`, { 'X-Api-Key': own.apiKey, Accept: 'text/event-stream' }))
        socket.destroy()
      }),
    )
    await waitUntil('nothing is left open', async () => (await openStreams()) === 0)
  })

  it('costs no connection of the database: a thousand are open, and the pool is free', async () => {
    const id = await newJob()
    const streams: Awaited<ReturnType<typeof follow>>[] = []
    // Fewer at once than the pool has: those who ask together need a connection each.
    for (let part = 0; part < 100; part++)
      streams.push(...(await Promise.all(Array.from({ length: 10 }, () => follow(id)))))
    await waitUntil(
      'each has the present state',
      () => streams.every(({ events: seen }) => seen().length === 1),
      30_000,
    )
    expect(await openStreams()).to.equal(1_000)
    expect(await countServerConnections(built.context.db)).to.be.at.most(20)
    await waitUntil('the pool is free', async () => {
      const { body } = await request(`http://127.0.0.1:${metrics}/metrics`)
      return /tessera_database_connections\{[^}]*state="used"[^}]*\} 0/.test(await body.text())
    })
    expect((await api.get('/v1/applications')).status).to.equal(200)
    await move(id, { completed: 1 })
    await waitUntil(
      'each hears of the change',
      () => streams.every(({ events: seen }) => seen().at(-1)?.data.completed === 1),
      30_000,
    )
    for (const { drop } of streams.splice(0, 900)) drop()
    await waitUntil('those that went are gone', async () => (await openStreams()) === 100)
    const late = await follow(id)
    await waitUntil('who comes late sees the present first', () => late.events()[0]?.data.completed === 1)
    await move(id, { status: 'completed', total: 1 })
    await Promise.all([late, ...streams].map(({ ended }) => ended))
    await waitUntil('nothing is left open', async () => (await openStreams()) === 0)
  })

  it('may be opened and dropped in a storm: no listener stays, and the job goes on', async () => {
    const id = await newJob()
    for (let storm = 0; storm < 5; storm++) {
      const streams = await Promise.all(Array.from({ length: 200 }, () => follow(id)))
      await move(id, { completed: storm + 1 })
      for (const { drop } of streams) drop()
    }
    await waitUntil('nothing is left open', async () => (await openStreams()) === 0)
    const last = await follow(id)
    await waitUntil('the present state comes', () => last.events()[0]?.data.completed === 5)
    await move(id, { status: 'failed' })
    await last.ended
    expect(last.events().at(-1)?.data.status).to.equal('failed')
  })

  it('ends when the process stops, so that its reader goes elsewhere', async () => {
    const id = await newJob()
    const stream = await follow(id)
    await waitUntil('the present state comes', () => stream.events().length === 1)
    process.kill(own.children.server.pid ?? 0, 'SIGTERM')
    await stream.ended
    expect(stream.events()).to.have.length(1)
    await waitUntil(
      'the API is back',
      async () => (await api.get('/v1/applications').catch(() => null))?.status === 200,
      30_000,
    )
  })
})

describe('Event streams (SSE): a slow reader', () => {
  const caller: Caller = {
    kind: 'key',
    application: null,
    id: 'k',
    organization: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab',
    permissions: { dpp: ['read'] },
  }
  const changes = new EventEmitter()
  const state = { version: 0, reads: 0, fails: false }
  const followed = declareOperation({
    id: 'follow_v1',
    method: 'GET',
    path: '/v1/follow',
    access: 'dpp:read',
    returns: { 200: { type: 'text/event-stream', description: 'States.' } },
    document: { tag: 'Tests', summary: 'Follow' },
  }).withReadHandler(async () =>
    answerEvents({
      read: async () => {
        state.reads++
        if (state.fails) throw new Error('the state cannot be read')
        return { value: { at: state.version, filler: 'x'.repeat(100_000) }, version: state.version, isTerminal: false }
      },
      subscribe: (changed) => {
        changes.on('change', changed)
        return () => changes.off('change', changed)
      },
    }),
  )

  let api: Api
  before(async () => {
    api = await serveApi(await getOperator(), [followed])
  })
  after(() => api.stop())
  beforeEach(() => Object.assign(state, { version: 0, reads: 0, fails: false }))

  const open = async () => {
    const stream = await openRawConnection(api.url)
    stream.send(formatHead('GET', '/v1/follow', { ...api.as(caller), Accept: 'text/event-stream' }))
    await waitUntil('the first state comes', () => stream.received().includes('id: 0'))
    return stream
  }
  const change = async (times: number) => {
    for (let time = 0; time < times; time++) {
      state.version++
      changes.emit('change')
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  it('has its states joined: what waits for it stays small, and the newest arrives', async () => {
    const { socket, received } = await open()
    socket.pause()
    await change(1_000)
    expect(state.reads, 'reads of 100 kB each').to.be.below(150)
    socket.resume()
    await waitUntil('the newest state arrives', () => received().includes('"at":1000,'))
    const ids = [...received().matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    expect(ids).to.deep.equal([...new Set(ids)].sort((a, b) => a - b))
    expect(ids.length).to.be.below(150)
    socket.destroy()
    await waitUntil('nobody listens', () => changes.listenerCount('change') === 0)
  })

  it('is broken off when its state cannot be read, and leaves no listener', async () => {
    const { closed } = await open()
    state.fails = true
    await change(1)
    await closed
    await waitUntil('nobody listens', () => changes.listenerCount('change') === 0)
  })
})
