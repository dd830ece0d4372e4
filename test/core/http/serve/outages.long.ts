import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { createApiClient, type Answer, type Client } from '../../../support/client.ts'
import { fillDisk } from '../../../support/database/refused-statements.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { waitUntil } from '../../../support/processes.ts'
import { createUniqueName } from '../../identity/people.ts'
import { listApplicationNames } from './application-names.ts'

/** A process and everything below it. */
function family(root: number): number[] {
  const parentOf = (pid: string) => {
    try {
      return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
    } catch {
      return 0
    }
  }
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), parent: parentOf(pid) }))
  const below = (pid: number): number[] =>
    all.filter(({ parent }) => parent === pid).flatMap((one) => [one.pid, ...below(one.pid)])
  return [root, ...below(root)]
}

const signal = (root: number, name: NodeJS.Signals) => {
  for (const pid of family(root)) process.kill(pid, name)
}

interface Timed {
  answer: Answer
  ms: number
}

async function timed(asking: Promise<Answer>): Promise<Timed> {
  const started = Date.now()
  return { answer: await asking, ms: Date.now() - started }
}

/** What a refusal for want of a part has to be, and must not say. */
function expectAway({ answer: { status, headers, body, text }, ms }: Timed): void {
  expect(status, text).to.equal(503)
  expect(ms, 'milliseconds').to.be.below(10_000)
  expect(headers['retry-after']).to.equal('2')
  expect(headers['content-type']).to.equal('application/problem+json; charset=utf-8')
  expect(Object.keys(body).sort()).to.deep.equal(['detail', 'instance', 'requestId', 'status', 'title', 'type'])
  expect(body['type']).to.equal('about:blank')
  expect(text).not.to.match(/select|insert|postgres|knex|\.ts|\bat \w+|ECONN|timeout/i)
}

describe('API during an outage of PostgreSQL, Redis or the chain', function () {
  this.timeout(180_000)
  let own: OwnPlatform
  let api: Client
  let server: number | undefined

  before(async () => {
    own = await startPlatform()
    api = createApiClient(own.apiKey, own.api)
    server = own.children.server.pid
    // Fills the pool, so that connections exist that fall silent.
    await Promise.all(Array.from({ length: 30 }, () => api.get('/v1/applications')))
  })
  after(() => own.stop())
  afterEach('the process that answers is still the same', () => expect(own.children.server.pid).to.equal(server))

  const create = (name: string) => api.post('/v1/applications', { name }, { headers: { 'idempotency-key': name } })
  const mixed = () => [
    api.get('/v1/applications'),
    api.get(`/v1/applications/${own.application}`),
    createApiClient({}, own.api).get(`/v1/applications/${own.application}`),
    api.get('/v1/events'),
    api.post('/v1/applications', { name: 'x' }),
    create(createUniqueName('away')),
    createApiClient({ bearer: 'canarySessionTokenOf32Characters' }, own.api).get('/v1/auth/session'),
  ]
  const recovers = async () => {
    await waitUntil(
      'reads and writes work again',
      async () =>
        (await Promise.all([api.get('/v1/applications'), api.post('/v1/applications', { name: 'x' })])).every(
          ({ status }) => status < 300,
        ),
      30_000,
    )
  }

  it('answers 503 within 10 s while PostgreSQL is stopped, and recovers within 5 s', async () => {
    const postgres = own.parts.postgres.pid ?? 0
    signal(postgres, 'SIGSTOP')
    try {
      const rounds = await Promise.all(Array.from({ length: 8 }, () => Promise.all(mixed().map(timed))))
      for (const one of rounds.flat()) expectAway(one)
      const live = await timed(createApiClient({}, own.api).get('/health/live'))
      expect([live.answer.status, live.ms < 2_500]).to.deep.equal([200, true])
      // Who asks for the health does not wait as long as who asks for data.
      let isListed = false
      const list = api.get('/v1/applications').then(({ status }) => {
        isListed = true
        return status
      })
      const ready = await createApiClient({}, own.api).get('/health/ready')
      expect([ready.status, ready.body, isListed]).to.deep.equal([
        503,
        { status: 'down', parts: ['postgresql'] },
        false,
      ])
      expect(await list).to.equal(503)
      expectAway(await timed(create(createUniqueName('later'))))
    } finally {
      signal(postgres, 'SIGCONT')
    }
    await recovers()
  })

  it('loses nothing acknowledged when PostgreSQL is shut down at once and started again', async () => {
    const acknowledged: string[] = []
    const unknown: string[] = []
    let going = true
    const writers = Array.from({ length: 6 }, async () => {
      while (going) {
        const name = createUniqueName('kept')
        const one = await timed(create(name))
        if (one.answer.status === 201) acknowledged.push(name)
        else {
          expectAway(one)
          unknown.push(name)
        }
      }
    })
    await waitUntil('some are acknowledged', () => acknowledged.length > 10)
    const before = own.parts.postgres.pid ?? 0
    process.kill(before, 'SIGQUIT')
    await waitUntil('another one runs', () => ![undefined, before].includes(own.parts.postgres.pid))
    await own.parts.postgres.ready()
    await recovers()
    going = false
    await Promise.all(writers)
    const names = await listApplicationNames(api)
    for (const name of acknowledged)
      expect(
        names.filter((one) => one === name),
        name,
      ).to.have.length(1)
    for (const name of unknown) expect(names.filter((one) => one === name).length, name).to.be.within(0, 1)
    for (const name of unknown) {
      const again = await create(name)
      expect(again.status === 201 || again.body['code'] === 'IDEMPOTENCY_IN_PROGRESS', again.text).to.equal(true)
    }
  })

  it('reports a read-only database, as with a full disk, and that it stores again', async () => {
    const ready = async () => (await createApiClient({}, own.api).get('/health/ready')).body
    const full = { status: 'degraded', parts: ['postgresql:writes'] }
    // The health asks each part for 0.4 s only, which a busy machine may take for the first write after a recovery.
    const becomes = (report: object) =>
      waitUntil('the health is told', async () => JSON.stringify(await ready()) === JSON.stringify(report))
    await becomes({ status: 'ok' })
    const disk = await fillDisk(own)
    expect((await api.post('/v1/applications', { name: 'x' })).status).to.equal(503)
    await becomes(full)
    await disk.makeRoomForApplications()
    // A write that happens to find room does not mean that there is any.
    expect((await api.post('/v1/applications', { name: 'x' })).status).to.equal(201)
    await becomes(full)
    await disk.makeRoomForTables()
    await becomes({ status: 'ok' })
  })

  it('stays ready without the chain or Redis', async () => {
    const parts = async () => (await createApiClient({}, own.api).get('/health/ready')).body
    const anvil = own.parts.anvil.pid ?? 0
    process.kill(anvil, 'SIGSTOP')
    try {
      await waitUntil(
        'the chain is missed',
        async () => JSON.stringify(await parts()) === '{"status":"degraded","parts":["chain:EthereumAnvil"]}',
      )
      expect((await api.get('/v1/applications')).status).to.equal(200)
    } finally {
      process.kill(anvil, 'SIGCONT')
    }
    await waitUntil('nothing is missed', async () => JSON.stringify(await parts()) === '{"status":"ok"}')
    await waitUntil('Redis is missed', async () => {
      // It is killed again each time, because it comes back within half a second.
      const { pid } = own.parts.redis ?? {}
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
      return JSON.stringify(await parts()) === '{"status":"degraded","parts":["redis"]}'
    })
    expect((await api.get('/v1/applications')).status).to.equal(200)
    await own.parts.redis?.ready()
    await waitUntil('nothing is missed', async () => JSON.stringify(await parts()) === '{"status":"ok"}', 60_000)
  })

  it('writes no secret of a request to the log, from address, fields or a failed statement', async () => {
    const postgres = own.parts.postgres.pid ?? 0
    const canaries = {
      token: 'canary-magic-token',
      session: 'canarySessionTokenOf32Characters',
      key: 'tsr_test_canarycanarycanarycanarycanarycanary1',
      cookie: 'canary-cookie',
      otp: '918273',
      text: 'canary-in-a-body',
    }
    const requests = () => [
      createApiClient({}, own.api).get(`/claim?token=${canaries.token}`),
      createApiClient({ bearer: canaries.session }, own.api).get('/v1/applications'),
      createApiClient(canaries.key, own.api).get(`/v1/applications?token=${canaries.token}`),
      createApiClient({ cookie: `tessera.session=${canaries.cookie}` }, own.api).get('/v1/auth/session'),
      createApiClient({}, own.api).post('/v1/auth/sign-in/email-otp', {
        email: 'canary@people.example',
        otp: canaries.otp,
      }),
      api.post('/v1/applications', { name: canaries.text, slug: '!' }),
      api.post('/v1/applications', { name: canaries.text }),
      createApiClient({}, own.api).post('/claim', undefined, {
        raw: `token=${canaries.token}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ]
    await Promise.all(requests())
    signal(postgres, 'SIGSTOP')
    try {
      expect((await Promise.all(requests())).some(({ status }) => status === 503)).to.equal(true)
    } finally {
      signal(postgres, 'SIGCONT')
    }
    await recovers()
    expect(own.lines.some((line) => line.includes('"operation":"claim_page_v1"'))).to.equal(true)
    expect(own.lines.some((line) => line.includes('a part of the platform is away'))).to.equal(true)
    const leakedLines = own.lines.filter((line) => Object.values(canaries).some((canary) => line.includes(canary)))
    expect(leakedLines.length, leakedLines.join('\n')).to.equal(0)
  })
})
