import { expect } from 'chai'
import type { ContextHandle } from '../../../../core/app/context.ts'
import { createApiKey, createOrganization } from '../../../../core/features/identity/index.ts'
import { allPermissions } from '../../../../core/kernel/permission.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { waitUntil } from '../../../support/processes.ts'
import { buildOperator } from '../../identity/people.ts'
import { startSecondServer, type SecondServer } from '../../../support/network/second-server.ts'

const limits = { RATE_LIMIT_KEY_PER_MINUTE: '40', RATE_LIMIT_ADDRESS_PER_MINUTE: '20', TRUST_PROXY: 'true' }

const left = ({ headers }: Answer) => Number(/^"default";r=(\d+);t=\d+$/.exec(String(headers['ratelimit']))?.[1])

describe('Rate limit', function () {
  this.timeout(180_000)
  let own: OwnPlatform
  let second: SecondServer
  let built: ContextHandle
  let organization: string

  before(async () => {
    own = await startPlatform({ env: limits })
    second = await startSecondServer(own, limits)
    built = await buildOperator(own.database)
    organization = (await createOrganization(built.context, { name: 'Limits', owner: 'limits@people.example' })).id
  })
  after(async () => {
    second.kill()
    await built.close()
    await own.stop()
  })

  /** A key that nobody has used yet, at one of the two processes. */
  async function freshKey() {
    const { key } = await createApiKey(built.context, { organization, name: 'Limits', permissions: allPermissions })
    return { here: createApiClient(key, own.api), there: createApiClient(key, second.api) }
  }
  let address = 0
  const freshAddress = () => `198.51.100.${++address}`
  const ask = (api: ReturnType<typeof createApiClient>, headers: Record<string, string> = {}) =>
    api.get('/v1/applications', { headers })

  it('is told with every answer, refusals too, and is one more down each time', async function () {
    // A process counts alone for two seconds if Redis is late once. Each try counts with a caller of its own.
    this.retries(4)
    const { here } = await freshKey()
    const first = await ask(here)
    expect(first.headers['ratelimit-policy']).to.equal('"default";q=40;w=60')
    expect([
      left(first),
      left(await here.get('/v1/applications?nonsense=1')),
      left(await here.post('/v1/applications', {})),
    ]).to.deep.equal([39, 38, 37])
    const nobody = createApiClient({}, own.api)
    const from = freshAddress()
    const refused = await ask(nobody, { 'x-forwarded-for': from })
    expect([refused.status, left(refused), refused.headers['ratelimit-policy']]).to.deep.equal([
      401,
      19,
      '"default";q=20;w=60',
    ])
  })

  it('is one for all processes, and ends in 429 that says when to come back', async function () {
    // A process counts alone for two seconds if Redis is late once. Each try counts with a caller of its own.
    this.retries(4)
    const { here, there } = await freshKey()
    const answers = await Promise.all(Array.from({ length: 60 }, (_, at) => ask(at % 2 ? here : there)))
    expect(answers.filter(({ status }) => status === 200)).to.have.length(40)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).to.have.length(20)
    for (const { body, headers } of refused) {
      expect(body['code']).to.equal('RATE_LIMITED')
      expect(Number(headers['retry-after'])).to.be.within(1, 60)
      expect(headers['ratelimit']).to.match(/^"default";r=0;t=\d+$/)
    }
  })

  it('counts each key for itself, and who has none or a wrong one by address', async function () {
    // A process counts alone for two seconds if Redis is late once. Each try counts with a caller of its own.
    this.retries(4)
    const [one, other] = [await freshKey(), await freshKey()]
    await Promise.all(Array.from({ length: 40 }, () => ask(one.here)))
    expect([(await ask(one.here)).status, (await ask(other.here)).status]).to.deep.equal([429, 200])
    const from = freshAddress()
    const callers = [
      createApiClient({}, own.api),
      createApiClient('tsr_test_nonsense', own.api),
      createApiClient({ bearer: 'nonsense' }, second.api),
    ]
    const answers = await Promise.all(
      Array.from({ length: 21 }, (_, at) => ask(callers[at % 3] as (typeof callers)[0], { 'x-forwarded-for': from })),
    )
    expect(answers.filter(({ status }) => status === 401)).to.have.length(20)
    expect(answers.filter(({ status }) => status === 429)).to.have.length(1)
    expect((await ask(createApiClient({}, own.api), { 'x-forwarded-for': freshAddress() })).status).to.equal(401)
  })

  it('believes of the addresses that proxies name the last one only', async function () {
    // A process counts alone for two seconds if Redis is late once. Each try counts with a caller of its own.
    this.retries(4)
    const nobody = createApiClient({}, own.api)
    const from = freshAddress()
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, at) => ask(nobody, { 'x-forwarded-for': `203.0.113.${at}, ${from}` })),
    )
    expect(answers.filter(({ status }) => status === 429)).to.have.length(5)
  })

  it('does not count what belongs to the server itself', async () => {
    const from = { 'x-forwarded-for': freshAddress() }
    const nobody = createApiClient({}, own.api)
    for (const path of ['/health/live', '/health/ready', '/openapi.json', '/problems/NOT_FOUND']) {
      const answers = await Promise.all(
        Array.from({ length: 25 }, () => nobody.get(path, { headers: from, skipsDocumentCheck: true })),
      )
      // A health check of a busy machine may say that it is not ready. None of them says 429.
      const expected = path === '/health/ready' ? [200, 503] : [200]
      for (const { status } of answers) expect(status, path).to.be.oneOf(expected)
      expect(answers[0]?.headers).not.to.have.property('ratelimit')
    }
    expect(left(await ask(nobody, from))).to.equal(19)
  })

  it('is counted by each process alone while Redis says nothing, without keeping anybody waiting, and together again later', async () => {
    const redis = own.parts.redis?.pid ?? 0
    const { here, there } = await freshKey()
    process.kill(redis, 'SIGSTOP')
    try {
      expect((await ask(here)).status).to.equal(200)
      const answers = await Promise.all(Array.from({ length: 78 }, (_, at) => ask(at % 2 ? there : here)))
      expect(answers.filter(({ status }) => status === 200)).to.have.length(78)
      expect([(await ask(here)).status, (await ask(there)).status]).to.deep.equal([429, 200])
    } finally {
      process.kill(redis, 'SIGCONT')
    }
    await waitUntil('both count together', async () => {
      const fresh = await freshKey()
      return left(await ask(fresh.here)) === 39 && left(await ask(fresh.there)) === 38
    })
  })

  it('survives the death of Redis: requests go on, counted alone, and together when it is back', async () => {
    const { here } = await freshKey()
    process.kill(own.parts.redis?.pid ?? 0, 'SIGKILL')
    const answers = await Promise.all(Array.from({ length: 41 }, () => ask(here)))
    expect(answers.filter(({ status }) => status === 429).length).to.be.within(0, 1)
    expect(answers.filter(({ status }) => status !== 200 && status !== 429)).to.deep.equal([])
    await own.parts.redis?.ready()
    await waitUntil('both count together', async () => {
      const fresh = await freshKey()
      return left(await ask(fresh.here)) === 39 && left(await ask(fresh.there)) === 38
    })
    expect(
      second.lines.filter((line) => line.includes('Redis is away')),
      'one line for an outage, however often it is tried to connect',
    ).to.have.length(1)
  })
})
