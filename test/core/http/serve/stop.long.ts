import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { countWaitingConnections } from '../../../support/database/backends.ts'
import { waitUntil } from '../../../support/processes.ts'
import { lockApplication } from '../../../support/rows/applications/application-changes.ts'
import { countUploads } from '../../../support/rows/imports/kept-uploads.ts'
import { getOperator, createUniqueName } from '../../identity/people.ts'
import { buildOrganization, buildShop, type Tenant } from '../../../support/world.ts'
import { formatHead, openRawConnection } from '../../../support/network/raw.ts'
import { startSecondServer, type SecondServer } from '../../../support/network/second-server.ts'
import { listApplicationNames } from './application-names.ts'

interface Outcome {
  status: number
  error: string
}

/** One request over a connection that is kept; an error is told by its code. */
function send(agent: Agent, base: string, key: string, body: string | null): Promise<Outcome> {
  return new Promise((resolve) => {
    const request = httpRequest(
      `${base}/v1/applications${body === null ? '?pageSize=1' : ''}`,
      {
        agent,
        method: body === null ? 'GET' : 'POST',
        headers: {
          'x-api-key': key,
          ...(body !== null && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        response.resume()
        response.once('error', (error: NodeJS.ErrnoException) => resolve({ status: 0, error: `answer ${error.code}` }))
        response.once('end', () => resolve({ status: response.statusCode ?? 0, error: '' }))
      },
    )
    request.once('error', (error: NodeJS.ErrnoException) => resolve({ status: 0, error: error.code ?? error.message }))
    request.end(body ?? undefined)
  })
}

describe('API process: graceful stop', function () {
  this.timeout(120_000)
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })

  it('loses no request of clients that keep their connections, and ends well', async () => {
    const servers = (await Promise.all([startSecondServer(platform), startSecondServer(platform)])) as [
      SecondServer,
      SecondServer,
    ]
    const agent = new Agent({ keepAlive: true, maxSockets: 30 })
    const lost: string[] = []
    const created: string[] = []
    let answered = 0
    let moved = 0
    let going = true
    const clients = Array.from({ length: 30 }, async (_, at) => {
      for (let turn = 0, base = servers[at % 2 ? 1 : 0].api; going; turn++) {
        const name = turn % 3 === 0 ? createUniqueName('stop') : null
        const { status, error } = await send(agent, base, tenant.key, name === null ? null : JSON.stringify({ name }))
        if (status === 200 || status === 201) answered++
        if (status === 201 && name !== null) created.push(name)
        // Nobody listens there any more, so nothing was sent: a balancer goes to the next one.
        if (error === 'ECONNREFUSED') {
          moved++
          base = base === servers[0].api ? servers[1].api : servers[0].api
        } else if (status !== 200 && status !== 201) lost.push(`${status} ${error}`)
        if (at % 5 === 0) await sleep(Math.random() * 200)
      }
    })
    await waitUntil('the clients are served', () => answered > 200)
    servers[0].kill('SIGTERM')
    expect(await servers[0].ended, servers[0].lines.slice(-3).join('\n')).to.equal(0)
    await waitUntil('they go on at the other', () => moved > 0)
    const before = answered
    await waitUntil('and are served there', () => answered > before + 50)
    going = false
    await Promise.all(clients)
    agent.destroy()
    servers[1].kill('SIGTERM')
    expect(await servers[1].ended).to.equal(0)
    expect(lost).to.deep.equal([])
    const names = await listApplicationNames(createApiClient(tenant.key))
    expect(names.filter((name) => created.includes(name))).to.have.length(created.length)
  })

  it('finishes what it has begun, and tells the client that its connection ends', async () => {
    const server = await startSecondServer(platform)
    const { db } = await getOperator()
    const { body } = await createApiClient(tenant.key, server.api).post('/v1/applications', { name: 'Slow' })
    const trx = await db.transaction()
    await lockApplication(trx, String(body['id']))
    const slow = await openRawConnection(server.api)
    const text = JSON.stringify({ name: createUniqueName('Done') })
    slow.send(
      formatHead('PATCH', `/v1/applications/${body['id']}`, {
        'X-Api-Key': tenant.key,
        'Content-Type': 'application/json',
        'Content-Length': text.length,
      }) + text,
    )
    const idle = await openRawConnection(server.api)
    idle.send(formatHead('GET', '/health/live', {}))
    expect((await idle.answer()).headers['connection']).to.equal('keep-alive')
    await waitUntil('the change waits', async () => (await countWaitingConnections(trx)) > 0)
    server.kill('SIGTERM')
    await waitUntil('nobody is let in any more', async () =>
      openRawConnection(server.api).then(
        ({ socket }) => (socket.destroy(), false),
        () => true,
      ),
    )
    const before = idle.received().length
    idle.send(formatHead('GET', '/health/live', {}))
    await waitUntil('the last request is answered', () => idle.received().length > before)
    expect(idle.received().slice(before))
      .to.match(/^HTTP\/1\.1 200 OK/)
      .and.to.match(/Connection: close/i)
    await idle.closed
    await trx.rollback()
    expect((await slow.answer()).status).to.equal(200)
    expect(await server.ended).to.equal(0)
  })

  it('does not wait for connections that nobody uses', async () => {
    const server = await startSecondServer(platform)
    const idle = await Promise.all(Array.from({ length: 20 }, () => openRawConnection(server.api)))
    for (const { send: say, answer } of idle.slice(0, 10)) {
      say(formatHead('GET', '/health/live', {}))
      await answer()
    }
    const started = Date.now()
    server.kill('SIGTERM')
    expect(await server.ended).to.equal(0)
    expect(Date.now() - started, 'connections stay open for 65 s when nothing closes them').to.be.below(50_000)
  })

  it('cuts an upload that goes on slowly, keeps nothing of it, and ends well', async () => {
    const server = await startSecondServer(platform)
    const shop = await buildShop()
    const upload = await openRawConnection(server.api)
    const target = `/v1/imports?entityName=DppPassport&application=${shop.application}`
    upload.send(
      formatHead('POST', target, {
        'X-Api-Key': shop.key,
        'Content-Type': 'application/x-ndjson',
        'Content-Length': 50_000_000,
      }),
    )
    const row = `${JSON.stringify({ product: { name: 'x'.repeat(5_000) } })}\n`
    upload.send(row.repeat(400))
    const sending = setInterval(() => upload.send(row), 50)
    const { db } = await getOperator()
    await waitUntil('its beginning is kept', async () => (await countUploads(db, shop.organization)) > 0)
    server.kill('SIGTERM')
    await upload.closed
    clearInterval(sending)
    expect(await server.ended).to.equal(0)
    expect(server.lines.filter((line) => line.includes('"level":60'))).to.deep.equal([])
    expect(await countUploads(db, shop.organization)).to.equal(0)
  })
})
