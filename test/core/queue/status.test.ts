import { expect } from 'chai'
import { createParser } from 'eventsource-parser'
import { Agent, request } from 'undici'
import { countClientConnections, endNoticeConnections } from '../../support/database/connections.ts'
import { waitUntil } from '../../support/processes.ts'
import { deleteJob } from '../../support/rows/queue/job-rows.ts'
import { createJobStateSource, jobOperations } from '../../../core/features/jobs/index.ts'
import type { Caller } from '../../../core/kernel/caller.ts'
import { startWorker, type Worker } from '../../../core/queue/worker.ts'
import { serveApi, type Api } from './api.ts'
import { organizationId, createQueueParts, startUnitsJob, unitsJob, type QueueParts } from './parts.ts'
import { hasJobEnded, readJobRow, useServers } from './servers.ts'

const key = (permissions: object, of = organizationId): Caller => ({
  kind: 'key',
  application: null,
  id: 'k',
  organization: of,
  permissions,
})
const buyer = (user: string): Caller => ({
  kind: 'endUser',
  session: 's',
  user,
  application: organizationId,
  organization: organizationId,
  email: null,
  phoneNumber: null,
})
const reader = key({ dpp: ['read'] })

interface Seen {
  id: string | undefined
  data: { status: string; completed: number }
}

describe('GET /v1/jobs/{jobId}', () => {
  const servers = useServers()
  let parts: QueueParts
  let api: Api
  let worker: Worker | undefined
  let agent: Agent

  before(async () => {
    parts = createQueueParts(servers().database.url, servers().redis.url)
    api = await serveApi(parts.context, jobOperations([unitsJob]))
    agent = new Agent({ connections: null })
  })
  after(async () => {
    await agent.destroy()
    await api.stop()
    await parts.close()
  })
  afterEach(async () => {
    await worker?.stop()
    worker = undefined
  })

  const get = async (path: string, caller: Caller) => {
    const answer = await request(`${api.url}${path}`, { headers: api.as(caller) })
    return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> }
  }
  const work = () => {
    worker = startWorker({ context: parts.context, jobs: [unitsJob], types: ['mint'] })
  }

  /** Follows a job and keeps what it hears; `ended` when the server ends the stream. */
  const follow = async (id: string, caller: Caller, headers: Record<string, string> = {}) => {
    const answer = await request(`${api.url}/v1/jobs/${id}/sse`, {
      dispatcher: agent,
      headers: { ...api.as(caller), accept: 'text/event-stream', ...headers },
    })
    const seen: Seen[] = []
    const parser = createParser({
      onEvent: (event) => seen.push({ id: event.id, data: JSON.parse(event.data) as Seen['data'] }),
    })
    const ended = (async () => {
      for await (const part of answer.body) parser.feed(String(part))
    })()
    ended.catch(() => undefined)
    return { status: answer.statusCode, seen, ended, drop: () => answer.body.destroy() }
  }

  it('has the one shape of all jobs', async () => {
    const id = await startUnitsJob(parts.context, { units: 2 })
    work()
    await waitUntil('it ends', () => hasJobEnded(servers(), id))
    const { status, body } = await get(`/v1/jobs/${id}`, reader)
    expect(status).to.equal(200)
    const { createdAt, updatedAt, ...rest } = body
    expect(rest).to.deep.equal({
      id,
      type: 'mint',
      status: 'completed',
      total: 2,
      completed: 2,
      failed: 0,
      result: { units: 2 },
      errors: [],
    })
    for (const instant of [createdAt, updatedAt]) expect(instant).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('is read by the organization with the permission of its type and by the buyer who started it, by nobody else', async () => {
    const { db, queue } = parts.context
    const id = await db.transaction((trx) =>
      queue.enqueue(trx, {
        type: 'mint',
        organization: organizationId,
        application: organizationId,
        endUser: 'buyer-1',
        total: 1,
        payload: { units: 1 },
      }),
    )
    const absent = await get('/v1/jobs/018f3f6e-7b1a-7c3d-9e2f-0123456789ff', reader)
    expect(absent.status).to.equal(404)
    for (const caller of [reader, buyer('buyer-1')]) expect((await get(`/v1/jobs/${id}`, caller)).status).to.equal(200)
    const others = [
      key({ loyalty: ['read'] }),
      key({ dpp: ['create'] }),
      key({ dpp: ['read'] }, '018f3f6e-7b1a-7c3d-9e2f-0123456789ac'),
      buyer('buyer-2'),
      { ...buyer('buyer-1'), application: '018f3f6e-7b1a-7c3d-9e2f-0123456789ac' } as Caller,
      {
        kind: 'member',
        session: 's',
        user: 'u',
        organization: '018f3f6e-7b1a-7c3d-9e2f-0123456789ac',
        role: 'owner',
      } as Caller,
    ]
    for (const caller of others) {
      for (const path of [`/v1/jobs/${id}`, `/v1/jobs/${id}/sse`]) {
        const { status, body } = await get(path, caller)
        expect({ ...body, status, instance: '', requestId: '' }).to.deep.equal({
          ...absent.body,
          status: 404,
          instance: '',
          requestId: '',
        })
      }
    }
    expect((await get(`/v1/jobs/${id}`, { kind: 'anonymous' })).status).to.equal(401)
  })

  it('is streamed: the present state at once, each later state in order, then the end', async () => {
    const id = await startUnitsJob(parts.context, { units: 4, pause: 150 })
    const { status, seen, ended } = await follow(id, reader)
    expect(status).to.equal(200)
    await waitUntil('the present state comes', () => seen.length === 1)
    expect(seen[0]?.data).to.include({ status: 'pending', completed: 0 })
    work()
    await ended
    const done = seen.map(({ data }) => data.completed)
    expect(done).to.deep.equal([...done].sort((a, b) => a - b))
    expect(done.length).to.be.greaterThan(3)
    expect(seen.at(-1)?.data).to.deep.equal((await get(`/v1/jobs/${id}`, reader)).body)
    const ids = seen.map((event) => Number(event.id))
    expect(ids).to.deep.equal([...new Set(ids)].sort((a, b) => a - b))
    expect((await follow(id, reader, { 'last-event-id': String(ids.at(-1)) })).status).to.equal(204)
  })

  it('costs no connection and no read of its own for each of 1,000 streams, and leaves nothing behind', async function () {
    const id = await startUnitsJob(parts.context, { units: 1, pause: 10 })
    const before = await countClientConnections(servers().db)
    const streams: Awaited<ReturnType<typeof follow>>[] = []
    for (let part = 0; part < 10; part++)
      streams.push(...(await Promise.all(Array.from({ length: 100 }, () => follow(id, reader)))))
    await waitUntil('all have the present state', () => streams.every(({ seen }) => seen.length === 1), 20_000)
    // The pool of the process that serves them, opening them included, has at most 12.
    expect(await countClientConnections(servers().db)).to.be.below(before + 12)
    const reads: string[] = []
    const listener = ({ sql }: { sql: string }) => {
      if (/from "jobs"/.test(sql)) reads.push(sql)
    }
    parts.context.db.on('query', listener)
    for (const { drop } of streams.splice(0, 500)) drop()
    await parts.context.queue.advanceJob(servers().db, id, { completed: 1 })
    await waitUntil('all hear of the change', () => streams.every(({ seen }) => seen.length === 2), 20_000)
    expect(reads.length).to.be.within(1, 3)
    work()
    await Promise.all(streams.map(({ ended }) => ended))
    parts.context.db.removeListener('query', listener)
    expect(streams.every(({ seen }) => seen.at(-1)?.data.status === 'completed')).to.equal(true)
  })

  it('is seen by other processes too, and after their listening connection was lost', async () => {
    const elsewhere = createQueueParts(servers().database.url, undefined)
    try {
      const id = await startUnitsJob(parts.context, { units: 1 })
      const source = createJobStateSource(elsewhere.context, id)
      let heard = 0
      const stop = source.subscribe(() => heard++)
      await elsewhere.notices.ready()
      await endNoticeConnections(servers().db)
      await parts.context.queue.advanceJob(servers().db, id, { completed: 1 })
      await elsewhere.notices.ready()
      await waitUntil(
        'it is told to look again',
        async () => heard > 0 && ((await source.read())?.value as { completed: number }).completed === 1,
      )
      expect((await source.read())?.version).to.equal((await readJobRow(servers(), id)).version)
      stop()
      await deleteJob(servers().db, id)
      expect(await source.read()).to.equal(null)
    } finally {
      await elsewhere.close()
    }
  })
})
