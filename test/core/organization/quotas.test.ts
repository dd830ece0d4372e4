import { expect } from 'chai'
import { createBody } from '../certification/credentials/certified.ts'
import { createSerial, formatVerdict, getBody, waitForJob } from '../dpp/passports/fixtures.ts'
import { createEmail, getOperator } from '../identity/people.ts'
import { createItemRow, runImport } from '../imports/engine/job.maker.ts'
import { runAdmin } from '../../support/admin-command.ts'
import { createApiClient, type Answer, type Client } from '../../support/client.ts'
import { startSecondServer } from '../../support/network/second-server.ts'
import { platform } from '../../support/platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { beginMonth, endLeases, spoilUsed } from '../../support/rows/meters/meters.ts'
import {
  buildBuyer,
  buildCertifiedPassport,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import {
  buildShopOnPlan,
  freeOperations,
  readOperations,
  readUsage,
  setPlan,
  useOperations,
} from './quotas.fixtures.ts'

const verify = ({ organization }: Shop) =>
  runAdmin(platform.dataDir, 'quotas', 'verify', '--organization', organization, '--json')

const claim = (buyer: Client, passport: string) => buyer.post('/v1/dpp/claim', { passport })

/** Creates a passport; a request that waited too long for its turn is sent again. */
async function createPatiently(api: Client, body: object): Promise<Answer> {
  for (;;) {
    const answer = await api.post('/v1/dpp/passports', body)
    if (answer.status !== 503) return answer
  }
}

function expectRefusal(answer: Answer): void {
  expect(formatVerdict(answer), answer.text).to.equal('429 QUOTA_EXCEEDED')
  const { meter, limit, resetsAt } = getBody<{ meter: string; limit: number; resetsAt: string }>(answer)
  expect([meter, limit]).to.deep.equal(['dpp.operations', freeOperations])
  expect(resetsAt).to.match(/^\d{4}-\d\d-01T00:00:00\.000Z$/)
  const seconds = (Date.parse(resetsAt) - Date.now()) / 1_000
  expect(Number(answer.headers['retry-after'])).to.be.within(seconds - 5, seconds + 60)
}

describe('GET /v1/quotas/usage', function () {
  this.timeout(240_000)

  it('shows every meter of the month, with what the plan allows', async () => {
    const shop = await buildShopOnPlan('free')
    const { period, plan, asOf, meters } = await readUsage(shop)
    const now = new Date(asOf)
    const [start, end] = [0, 1].map((months) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months)))
    expect(period).to.deep.equal({ start: start?.toISOString(), end: end?.toISOString() })
    expect(plan).to.deep.equal({ id: 'free', name: 'Free' })
    const nothing = { used: 0, reserved: 0, overage: 0, resetsAt: period.end }
    expect(meters).to.deep.equal([
      { code: 'dpp.operations', unit: 'operation', limit: 1_000, remaining: 1_000, hard: true, ...nothing },
      { code: 'loyalty.activeUsers', unit: 'account', limit: 500, remaining: 500, hard: false, ...nothing },
      { code: 'wallets', unit: 'account', limit: 500, remaining: 500, hard: true, ...nothing },
      { code: 'llm.tokens', unit: 'token', limit: 100_000, remaining: 100_000, hard: true, ...nothing },
    ])
  })

  it('shows no limits to an organization that was put on no plan', async () => {
    const shop = await buildShop()
    await buildPassport(shop, await buildSheet(shop))
    expect((await readUsage(shop)).plan.id).to.equal('unlimited')
    expect(await readOperations(shop)).to.deep.include({ used: 1, reserved: 0, limit: null, remaining: null })
  })

  it('counts each operation once, whatever the way, and gives nothing back by deleting', async () => {
    const shop = await buildShopOnPlan('free')
    const sheet = await buildSheet(shop)
    let expected = 0
    const expectUsed = async (units: number, what: string) => {
      expected += units
      expect((await readOperations(shop)).used, what).to.equal(expected)
    }
    const body = { product: sheet, fields: { serialNumber: 'Q-1' }, reference: createSerial() }
    const idempotencyKey = { headers: { 'idempotency-key': createSerial() } }
    const created = await shop.api.post('/v1/dpp/passports', body, idempotencyKey)
    expect(created.status, created.text).to.equal(201)
    await expectUsed(1, 'create')
    expect((await shop.api.post('/v1/dpp/passports', body, idempotencyKey)).body.id).to.equal(created.body.id)
    await expectUsed(0, 'a stored answer')
    expect((await shop.api.post('/v1/dpp/passports', body)).status).to.equal(409)
    await expectUsed(0, 'a refusal')
    await shop.api.delete(`/v1/dpp/passports/${created.body.id}`)
    await expectUsed(0, 'delete')
    const rows = [1, 2, 3].map((at) => ({ serialNumber: `M-${at}` }))
    const minted = await shop.api.post(`/v1/dpp/products/${sheet}/mint`, rows)
    await waitForJob(shop.api, `/v1/jobs/${minted.body.jobId}`)
    await expectUsed(6, 'batch mint')
    await runImport(shop, [createItemRow(createSerial()), { reference: 'x' }])
    await expectUsed(1, 'import')
    await buildCertifiedPassport(shop)
    await expectUsed(2, 'certify')
    const email = createEmail('buyer')
    const { id } = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })
    const buyer = await buildBuyer(shop, email)
    const claimed = await claim(buyer, id)
    expect(claimed.status, claimed.text).to.equal(202)
    await waitForJob(buyer, `/v1/dpp/claim/${claimed.body.jobId}/status`)
    await expectUsed(2, 'create and claim')
    const { code, json, err } = await verify(shop)
    expect([code, json, err]).to.deep.equal([0, { checked: 2, differences: [] }, ''])
  })
})

describe('Quotas: a hard limit', function () {
  this.timeout(300_000)

  it('lets exactly 10 of 1,000 parallel creates of two processes through at 10 below it', async () => {
    const shop = await buildShopOnPlan('free')
    const sheet = await buildSheet(shop)
    await useOperations(shop, freeOperations - 10)
    const second = await startSecondServer(platform, { RATE_LIMIT_KEY_PER_MINUTE: '0' })
    try {
      const clients = [shop.api, createApiClient(shop.key, second.api)]
      const answers = await Promise.all(
        Array.from({ length: 1_000 }, (_, at) =>
          createPatiently(clients[at % 2] ?? shop.api, { product: sheet, fields: { serialNumber: `P-${at}` } }),
        ),
      )
      const counts = new Map<string, number>()
      for (const answer of answers) {
        const verdict = formatVerdict(answer)
        counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
      }
      expect(Object.fromEntries(counts)).to.deep.equal({ '201': 10, '429 QUOTA_EXCEEDED': 990 })
      expect(await readOperations(shop)).to.deep.include({
        used: freeOperations,
        reserved: 0,
        remaining: 0,
        overage: 0,
      })
    } finally {
      second.kill()
      await second.ended
    }
    expect((await verify(shop)).json).to.deep.equal({ checked: 1, differences: [] })
  })

  it('refuses a batch as a whole, keeps the good rows of an import, and refuses the rest', async () => {
    const shop = await buildShopOnPlan('free')
    const sheet = await buildSheet(shop)
    const email = createEmail('buyer')
    const { id } = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })
    const token = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
    const made = await Promise.all(
      Array.from({ length: 6 }, () => shop.api.post('/v1/dpp/passports', createBody(shop))),
    )
    const published = await shop.api.post('/v1/dpp/passports/publish?skipCertification=true')
    await waitForJob(shop.api, `/v1/jobs/${published.body.jobId}`)
    for (const _ of [1, 2, 3, 4, 5, 6]) made.push(await shop.api.post('/v1/dpp/passports', createBody(shop)))
    await endLeases((await getOperator()).db, shop.organization)
    await waitUntil('what was leased is given back', async () => (await readOperations(shop)).reserved === 0)
    await useOperations(shop, freeOperations - 5 - made.length - 1)

    const rows = [1, 2, 3].map((at) => ({ serialNumber: `M-${at}` }))
    for (const query of ['', '?dryRun=true'])
      expectRefusal(await shop.api.post(`/v1/dpp/products/${sheet}/mint${query}`, rows))
    expectRefusal(await shop.api.post('/v1/dpp/passports/certify'))
    expectRefusal(await shop.api.post('/v1/dpp/passports/publish?filters[status][eq]=draft'))
    expect((await readOperations(shop)).used).to.equal(freeOperations - 5)

    const reference = createSerial()
    const { counts, errorLines } = await runImport(
      shop,
      Array.from({ length: 7 }, (_, at) => createItemRow(`${reference}/${at}`)),
    )
    expect([counts.created, counts.failed]).to.deep.equal([5, 2])
    expect(errorLines).to.deep.equal(['5 QUOTA_EXCEEDED', '6 QUOTA_EXCEEDED'])

    expectRefusal(await shop.api.post('/v1/dpp/passports', { product: sheet, fields: { serialNumber: 'X' } }))
    expectRefusal(await shop.api.post('/v1/dpp/passports', createBody(shop)))
    const buyer = await buildBuyer(shop, email)
    expectRefusal(await claim(buyer, id))
    const claimByToken = () => buyer.post('/v1/dpp/claim/magicToken', { magicToken: token.body.token })
    expectRefusal(await claimByToken())
    expect((await verify(shop)).json).to.deep.equal({ checked: 1, differences: [] })

    await setPlan(shop, 'growth')
    expect((await claimByToken()).status, 'with another plan').to.equal(202)
  })

  it('counts from 0 again when a month begins', async () => {
    const shop = await buildShopOnPlan('free')
    const sheet = await buildSheet(shop)
    await buildPassport(shop, sheet)
    await beginMonth((await getOperator()).db, shop.organization)
    expect((await readOperations(shop)).used).to.equal(0)
    await buildPassport(shop, sheet)
    expect((await readOperations(shop)).used).to.equal(1)
  })

  it('gets back what a killed process held, when its lease is over', async () => {
    const shop = await buildShopOnPlan('free')
    const sheet = await buildSheet(shop)
    const second = await startSecondServer(platform)
    const api = createApiClient(shop.key, second.api)
    expect((await api.post('/v1/dpp/passports', { product: sheet, fields: { serialNumber: 'K' } })).status).to.equal(
      201,
    )
    second.kill()
    await second.ended
    expect(await readOperations(shop), 'at most 1 %').to.deep.include({ used: 1, reserved: 9, remaining: 990 })
    await endLeases((await getOperator()).db, shop.organization)
    await waitUntil('the block comes back', async () => (await readOperations(shop)).reserved === 0)
    expect(await readOperations(shop)).to.deep.include({ used: 1, reserved: 0, remaining: 999 })
  })
})

describe('GET /v1/billing/plans', () => {
  it('lists the plans to everybody', async () => {
    const answer = await createApiClient().get('/v1/billing/plans')
    expect(answer.status, answer.text).to.equal(200)
    const plans = getBody<{ id: string; currency: string; monthlyPrice: string; meters: object[] }[]>(answer)
    expect(plans.map(({ id }) => id)).to.deep.equal(['free', 'growth', 'unlimited'])
    expect(plans[1]).to.deep.include({ currency: 'EUR', monthlyPrice: '490.00' })
    expect(plans[1]?.meters[0]).to.deep.equal({ code: 'dpp.operations', limit: 250_000, overagePrice: '0.0100' })
  })
})

describe('admin plan set, admin quotas verify', function () {
  this.timeout(120_000)

  it('puts an organization on a plan, in running processes too', async () => {
    const shop = await buildShop()
    const sheet = await buildSheet(shop)
    await buildPassport(shop, sheet)
    const set = (organization: string, plan: string) =>
      runAdmin(platform.dataDir, 'plan', 'set', '--organization', organization, '--plan', plan, '--json')
    const { code, json } = await set(shop.organization, 'free')
    expect([code, json]).to.deep.equal([0, { organization: shop.organization, plan: 'free' }])
    await buildPassport(shop, sheet)
    expect(await readOperations(shop)).to.deep.include({ used: 2, limit: freeOperations })
    const unknown = await set(shop.organization, 'golden')
    expect(unknown.code).to.equal(1)
    expect((await set('018f0000-0000-7000-8000-000000000001', 'free')).code).to.equal(1)
  })

  it('names the meters that differ from the rows, and ends with 1', async () => {
    const shop = await buildShop()
    await buildPassport(shop, await buildSheet(shop))
    await spoilUsed((await getOperator()).db, shop.organization, 3)
    const { code, json } = await verify(shop)
    const { start } = (await readUsage(shop)).period
    expect([code, json]).to.deep.equal([
      1,
      {
        checked: 1,
        differences: [
          {
            organization: shop.organization,
            meter: 'dpp.operations',
            period: start.slice(0, 10),
            kind: 'used',
            metered: 4,
            derived: 1,
          },
        ],
      },
    ])
  })
})
