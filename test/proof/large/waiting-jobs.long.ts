import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { ContextHandle } from '../../../core/app/context.ts'
import { buildOperator } from '../../core/identity/people.ts'
import { createApiClient, type Answer, type Client } from '../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { advancePassports } from '../../support/rows/dpp/passports.ts'
import { countStagedFiles } from '../../support/rows/imports/uploads.ts'
import { countCompletedJobs } from '../../support/rows/queue/job-records.ts'
import { countPendingJobs } from '../../support/rows/queue/job-rows.ts'
import { waitUntil } from '../../support/processes.ts'
import { signIn } from '../stage/buyers.ts'
import { getMintPath, createNeighbour, createMintRows, type Neighbour } from './neighbours.ts'

const maxWaiting = 200
const maxClaims = 20

describe('POST that queues a job, beyond the maximum of waiting jobs of an organization', function () {
  this.timeout(180_000)
  let platform: OwnPlatform
  let operator: ContextHandle
  let a: Neighbour
  let b: Neighbour

  before(async () => {
    platform = await startPlatform()
    operator = await buildOperator(platform.database)
    ;[a, b] = [await createNeighbour(platform, operator), await createNeighbour(platform, operator)]
    pause()
  })
  after(async () => {
    goOn()
    await operator.close()
    await platform.stop()
  })

  const signal = (name: NodeJS.Signals) => {
    const { pid } = platform.children.worker
    if (pid === undefined) throw new Error('The worker does not run')
    process.kill(pid, name)
  }
  /** Nothing that waits is worked on. */
  const pause = () => signal('SIGSTOP')
  const goOn = () => signal('SIGCONT')

  const count = (answers: readonly Answer[], status: number) => answers.filter((each) => each.status === status).length

  /** Sends it so many times, ten at once. */
  async function sendRepeatedly(times: number, send: () => Promise<Answer>, maxConcurrent = 10): Promise<Answer[]> {
    const answers: Answer[] = []
    const one = async () => {
      while (times-- > 0) answers.push(await send())
    }
    await Promise.all(Array.from({ length: maxConcurrent }, one))
    return answers
  }

  function expectRefused({ status, body, headers, text }: Answer): void {
    expect(status, text).to.equal(429)
    expect(body['code']).to.equal('RATE_LIMITED')
    expect(Number(headers['retry-after'])).to.be.within(1, 60)
  }

  const total = async (api: Client, path: string) => Number((await api.get(path)).body['total'])

  it('refuses mints past 200 with Retry-After, however many come at once, and keeps nothing of them', async () => {
    const mint = () => a.api.post(getMintPath(a), createMintRows(1))
    const first = await sendRepeatedly(maxWaiting - 15, mint)
    const refused = first.filter(({ status }) => status !== 202)
    expect(refused.map(({ status, text }) => `${status} ${text}`)).to.deep.equal([])
    const last = await Promise.all(Array.from({ length: 40 }, mint))
    expect(count(last, 202)).to.equal(15)
    last.filter(({ status }) => status !== 202).forEach(expectRefused)
    expect(await total(a.api, '/v1/dpp/passports')).to.equal(maxWaiting)
  })

  it('takes jobs of other kinds, and those of other organizations', async () => {
    const published = await a.api.post('/v1/dpp/passports/publish?skipCertification=true')
    expect(published.status, published.text).to.equal(202)
    const minted = await b.api.post(getMintPath(b), createMintRows(1))
    expect(minted.status, minted.text).to.equal(202)
  })

  it('answers what was accepted before again, under its idempotency key', async () => {
    const key = { headers: { 'idempotency-key': randomUUID() } }
    const row = createMintRows(1)
    const accepted = await b.api.post(getMintPath(b), row, key)
    expect(accepted.status, accepted.text).to.equal(202)
    await sendRepeatedly(maxWaiting + 5, () => b.api.post(getMintPath(b), createMintRows(1)))
    expectRefused(await b.api.post(getMintPath(b), createMintRows(1)))
    const again = await b.api.post(getMintPath(b), row, key)
    expect([again.status, again.body['jobId']]).to.deep.equal([202, accepted.body['jobId']])
  })

  it('refuses publications, certifications, deletions, archivings and imports past 200', async () => {
    const shop = await createNeighbour(platform, operator)
    const file = { raw: '[{}]', headers: { 'content-type': 'application/json' } }
    for (const path of [
      '/v1/dpp/passports/publish',
      '/v1/dpp/passports/certify',
      '/v1/dpp/passports/delete',
      '/v1/dpp/passports/archive',
      `/v1/imports?entityName=DppPassport&application=${shop.application}`,
    ]) {
      const send = () => shop.api.post(path, undefined, path.startsWith('/v1/imports') ? file : {})
      // Fewer at once than one key may upload.
      const answers = await sendRepeatedly(maxWaiting + 10, send, 5)
      expect(count(answers, 202), path).to.equal(maxWaiting)
      answers.filter(({ status }) => status !== 202).forEach(expectRefused)
    }
    const item = { product: { idGranularity: 'model', name: 'Bag', modelNumber: 'T-1' } }
    const table = { application: shop.application, text: JSON.stringify([item]) }
    expectRefused(await shop.api.post('/v1/imports/table', table))
    expectRefused(await shop.api.post('/v1/imports/table', table, { headers: { 'idempotency-key': randomUUID() } }))
    expect((await countStagedFiles(operator.context.db, shop.organization)).uploads).to.equal(0)
    expect(await total(shop.api, '/v1/imports')).to.equal(maxWaiting)
  })

  it('refuses a buyer the twenty-first claim, and not another buyer', async () => {
    const shop = createApiClient(platform.apiKey, platform.api)
    const [one, other] = [
      await signIn(platform, `${randomUUID()}@people.example`),
      await signIn(platform, `${randomUUID()}@people.example`),
    ]
    const made = await shop.post('/v1/dpp/products', {
      application: platform.application,
      network: 'EthereumAnvil',
      name: 'Bag',
      status: 'ACTIVE',
    })
    const tokens = await sendRepeatedly(maxClaims + 2, async () => {
      const {
        body: { id },
      } = await shop.post('/v1/dpp/passports', { product: made.body['id'] })
      await advancePassports(operator.context.db, [String(id)], { status: 'published' })
      return shop.get(`/v1/dpp/passports/${id}/magic-token`)
    })
    const claims: Answer[] = []
    for (const token of tokens.slice(0, maxClaims + 1)) {
      claims.push(await one.api.post('/v1/dpp/claim/magicToken', { magicToken: token.body['token'] }))
    }
    expect(count(claims, 202), claims.at(0)?.text).to.equal(maxClaims)
    claims.slice(maxClaims).forEach(expectRefused)
    // The refusal has not spent the token.
    const spared = tokens[maxClaims]?.body['token']
    const taken = await other.api.post('/v1/dpp/claim/magicToken', { magicToken: spared })
    expect(taken.status, taken.text).to.equal(202)
  })

  it('takes more when those that waited are done, and does all that was accepted', async () => {
    goOn()
    await waitUntil(
      'the mints of A are done',
      async () => (await countPendingJobs(operator.context.db, a.organization)) === 0,
      60_000,
    )
    const minted = await a.api.post(getMintPath(a), createMintRows(1))
    expect(minted.status, minted.text).to.equal(202)
    const { organization } = a
    expect(await countCompletedJobs(operator.context.db, { organization, type: 'mint' })).to.be.greaterThanOrEqual(
      maxWaiting,
    )
  })
})
