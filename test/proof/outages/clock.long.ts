import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { createClient } from 'redis'
import type { ContextHandle } from '../../../core/app/context.ts'
import { readCluster } from '../../../core/embedded/postgres/postgres.cluster.ts'
import { runAsSuperuser } from '../../../core/embedded/postgres/postgres.roles.ts'
import { startPostgres, type PostgresPart } from '../../../core/embedded/postgres/postgres.ts'
import { buildOperator } from '../../core/identity/people.ts'
import { createApiClient, type Answer, type Client, type Json } from '../../support/client.ts'
import { createEmptyDatabase, readServerTime } from '../../support/database/server-activity.ts'
import { moveNextRun } from '../../support/rows/imports/mappers.ts'
import { dateJobAhead, holdJob, putJobOff } from '../../support/rows/queue/job-records.ts'
import { createFakedClock, type FakedClock } from '../../support/values/faked-clock.ts'
import { removeFolder, createTemporaryFolder } from '../../support/folders.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { waitForJobEnd } from '../stage/retried-requests.ts'
import { expectWhole, keepPlatformLines } from '../kills/kills.ts'
import { checkMintedTokens } from '../stage/minted-tokens.ts'
import { openShop, type Shop } from '../stage/shop.ts'

const hour = 3_600
const addressLimit = 40

describe('System clock set back or forth by an hour', function () {
  this.timeout(300_000)
  const dataDir = createTemporaryFolder()
  let clock: FakedClock
  let server: PostgresPart
  let own: OwnPlatform
  let operator: ContextHandle
  let shop: Shop
  let api: Client
  const anonymous = () => createApiClient({}, own.api)
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

  before(async () => {
    clock = await createFakedClock()
    // Redis and the chain do not start with this library, so they keep the real time; PostgreSQL gets it from this process.
    Object.assign(process.env, clock.env)
    server = await startPostgres({
      dataDir,
      durable: false,
      giveUp: (cause) => {
        throw cause
      },
    }).finally(() => {
      for (const name of Object.keys(clock.env)) delete process.env[name]
    })
    await runAsSuperuser(readCluster(dataDir).record, Number(new URL(server.url).port), 'postgres', (database) =>
      createEmptyDatabase(database, 'clock'),
    )
    own = await startPlatform({
      env: {
        ...clock.env,
        DATABASE_URL: Object.assign(new URL(server.url), { pathname: '/clock' }).href,
        TRUST_PROXY: 'true',
        CODE_SENDS_PER_ADDRESS_HOUR: '4',
        RATE_LIMIT_ADDRESS_PER_MINUTE: `${addressLimit}`,
      },
    })
    operator = await buildOperator(own.database)
    api = createApiClient(own.apiKey, own.api)
    shop = await openShop(own)
  })
  after(async () => {
    await operator?.close()
    await own?.stop()
    await server?.stop()
    await removeFolder(dataDir)
    clock?.remove()
  })
  afterEach(function () {
    keepPlatformLines(this, own)
  })

  /** Puts the clock and waits until the database and the API have it. */
  async function put(seconds: number): Promise<void> {
    clock.setOffset(seconds)
    const isThere = (at: number) => Math.abs(at - Date.now() - seconds * 1000) < 60_000
    await waitUntil(
      'the database has the new time',
      async () => isThere((await readServerTime(operator.context.db)).getTime()),
      30_000,
    )
    await waitUntil(
      'the API has the new time',
      async () => {
        const { headers } = await anonymous().get('/health/live', { skipsDocumentCheck: true })
        return isThere(Date.parse(String(headers['date'])))
      },
      30_000,
    )
  }

  async function codeOf(email: string): Promise<string> {
    const sent = await anonymous().post(
      '/v1/auth/send-otp',
      { application: own.application, type: 'email-otp', email },
      from(randomAddress()),
    )
    expect(sent.status, sent.text).to.equal(204)
    const { body } = await createApiClient({}, own.outbox).get('', { skipsDocumentCheck: true })
    const message = (body as unknown as Json[]).find(({ to }) => String(to) === email)
    return /\b\d{6}\b/.exec(String(message?.['text']))?.[0] ?? ''
  }
  const verify = async (email: string, otp: string) =>
    (
      await anonymous().post(
        '/v1/auth/verify-otp',
        { application: own.application, type: 'email-otp', email, otp },
        from(randomAddress()),
      )
    ).status

  for (const [name, { start, end }] of Object.entries({
    back: { start: 0, end: -hour },
    forth: { start: -hour, end: 0 },
  })) {
    describe(name, () => {
      const asking = name === 'back' ? '203.0.113.7' : '203.0.113.17'
      const key = { headers: { 'idempotency-key': randomUUID() } }
      const email = `${name}-${randomUUID()}@people.example`
      let code = ''
      let stored: Answer
      const send = () =>
        anonymous().post(
          '/v1/auth/send-otp',
          {
            application: own.application,
            type: 'email-otp',
            email: `${randomUUID()}@people.example`,
          },
          from(asking),
        )
      const ask = () => anonymous().get('/v1/auth/session', { ...from(`${asking}7`), skipsDocumentCheck: true })

      before(async () => {
        await put(start)
        code = await codeOf(email)
        stored = await api.post('/v1/applications', { name: 'Once' }, key)
        expect(
          await Promise.all([send(), send(), send(), send()]).then((all) => all.map(({ status }) => status)),
        ).to.deep.equal([204, 204, 204, 204])
        expect((await send()).status).to.equal(429)
        await waitUntil('the address is refused', async () => (await ask()).status === 429)
      })

      it('keeps jobs and leases: work under way whose worker dies goes on at once and is done once, a wait is no longer', async () => {
        const { db, queue } = operator.context
        const order = await shop.batch(400)
        const { job } = await order.send()
        const enqueue = (prepare: (trx: Knex, job: string) => Promise<void>) =>
          db.transaction(async (trx) => {
            const { organization } = own
            const queued = await queue.enqueue(trx, { type: 'publish', organization, total: 1, payload: {} })
            await prepare(trx, queued)
            return queued
          })
        const jobs = {
          waiting: await enqueue((trx, queued) => putJobOff(trx, queued, { seconds: 5 })),
          held: await enqueue(holdJob),
          ahead: await enqueue((trx, queued) => dateJobAhead(trx, queued, { seconds: hour })),
        }
        const { worker } = own.children
        const { pid } = worker
        await put(end)
        if (pid !== undefined) process.kill(pid, 'SIGKILL')
        await waitForJobEnd(() => order.status(job))
        expectWhole(await checkMintedTokens(own.rpc, await order.check(job), shop.known()), name)
        for (const [what, queued] of Object.entries(jobs)) {
          await waitUntil(
            `the job that was ${what} has run`,
            async () => String((await api.get(`/v1/jobs/${queued}`)).body['status']) !== 'pending',
            60_000,
          )
        }
      })

      it('lets no code live longer than ten minutes, and new ones are good', async () => {
        expect(await verify(email, code)).to.equal(401)
        const fresh = `${name}-${randomUUID()}@people.example`
        expect(await verify(fresh, await codeOf(fresh))).to.equal(200)
      })

      it('keeps budgets and limits: nobody waits longer than their window', async () => {
        const sent = await send()
        if (name === 'forth') expect(sent.status).to.equal(204)
        else expect(Number(sent.headers['retry-after'])).to.be.within(1, hour)
        const rateLimitAnswer = await ask()
        expect([401, 429]).to.include(rateLimitAnswer.status)
        expect(Number(rateLimitAnswer.headers['retry-after'] ?? 0)).to.be.at.most(60)
        // As in a Redis whose own clock was put back: its windows end an hour later than they should.
        const redis = createClient({ url: own.redis ?? '' })
        await redis.connect()
        for (const window of await redis.keys('limit:*')) await redis.pExpire(window, hour * 1000)
        await redis.close()
        expect((await ask()).status).to.equal(401)
      })

      it('keeps answers under their keys, and sessions', async () => {
        const again = await api.post('/v1/applications', { name: 'Once' }, key)
        expect([again.status, again.body['id'], again.headers['idempotency-replayed']]).to.deep.equal([
          201,
          stored.body['id'],
          'true',
        ])
      })
    })
  }

  it('runs a schedule once when its time is passed, and not again when it comes a second time', async () => {
    await put(-hour)
    const mapper = await scheduled(`${(new Date().getUTCMinutes() + 20) % 60} * * * *`)
    await put(0)
    const runs = async (of: string) => {
      const listed = await api.get(
        '/v1/imports?filters[data.source][eq]=scheduled&filters[name][eq]=batch&pageSize=100',
      )
      return (listed.body['data'] as unknown as Json[]).filter(({ data }) => String(data?.['mapperId']) === of).length
    }
    await waitUntil('it has run', async () => (await runs(mapper)) === 1, 30_000)
    await put(-hour)
    const later = await scheduled('0 * * * *')
    await moveNextRun(operator.context.db, [later], { minutes: 0 })
    await waitUntil('another one has run since', async () => (await runs(later)) === 1, 30_000)
    expect(await runs(mapper)).to.equal(1)
  })

  async function scheduled(schedule: string): Promise<string> {
    const made = await api.post('/v1/import/mappers', {
      application: own.application,
      name: randomUUID(),
      type: 'url',
      format: 'csv',
      url: 'https://nobody.invalid/a.csv',
      schedule,
      rows: [{ destination: 'reference', kind: 'field', source: 'ref' }],
    })
    expect(made.status, made.text).to.equal(201)
    return String(made.body['id'])
  }
})

const randomAddress = () => `198.51.${Math.floor(Math.random() * 200)}.${1 + Math.floor(Math.random() * 200)}`
