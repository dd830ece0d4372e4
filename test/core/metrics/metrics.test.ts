import { expect } from 'chai'
import { recordScan } from '../../../core/features/dpp/index.ts'
import { moveFoldAhead, sumRows } from '../../support/rows/metrics/days.ts'
import { ageScans } from '../../support/rows/dpp/scans.ts'
import {
  buildApplication,
  buildBuyer,
  buildCertifiedPassport,
  buildKey,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { startRefusedCertify } from '../../support/dpp/certify-jobs.ts'
import { createApiClient } from '../../support/client.ts'
import { formatVerdict, listFaultPaths, waitForJob } from '../dpp/passports/fixtures.ts'
import { createEmail, getOperator } from '../identity/people.ts'
import { createImport, sendFile } from '../imports/intake/intake.maker.ts'
import { createOperationId, postPoints } from '../../../core/features/loyalty/index.ts'
import { readTarget } from '../loyalty/points/grants.maker.ts'
import { burn, getAccepted, mint, waitForPoints } from '../loyalty/points/fixtures.ts'
import { visit } from '../loyalty/visits/visits.maker.ts'
import { listPoints, readMetrics, repeatDays, waitForTotals } from './fixtures.ts'

const noCampaigns = { campaignsSent: 0, recipientsNotified: 0, recipientsVisited: 0, conversionRate: null }
const dayMs = 86_400_000
const formatDay = (time: number) => new Date(time).toISOString().slice(0, 10)
const startOfToday = () => formatDay(Date.now())

describe('GET /v1/admin/metrics/dpp', function () {
  this.timeout(120_000)
  let shop: Shop
  let sheet: string
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
  })

  it('answers the last 30 days, with nothing in them at first', async () => {
    const own = await buildShop()
    const today = startOfToday()
    const { totals, series, ...period } = await readMetrics(own.api, 'dpp')
    expect(period).to.deep.equal({
      from: formatDay(Date.parse(today) - 29 * dayMs),
      to: today,
      interval: 'day',
      timeZone: 'UTC',
    })
    expect(series.map(({ at }) => at)).to.deep.equal(
      Array.from({ length: 30 }, (_, day) => formatDay(Date.parse(period.from) + day * dayMs)),
    )
    const none = {
      passportsCreated: 0,
      passportsPublished: 0,
      passportsMinted: 0,
      claims: 0,
      scans: 0,
      certified: 0,
      certifyFailed: 0,
      importsCompleted: 0,
    }
    expect(totals).to.deep.equal({
      ...none,
      passportsByStatus: { draft: 0, published: 0, claimed: 0, archived: 0 },
    })
    expect(series[0]).to.deep.equal({ at: period.from, ...none })
  })

  it('counts what happened to passports within seconds, as the rows say, for the application and for all', async () => {
    const { api, application, organization } = shop
    await buildPassport(shop, sheet)
    const minted = await api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'A' }, { serialNumber: 'B' }])
    await waitForJob(api, `/v1/jobs/${minted.body['jobId']}`)
    const email = createEmail('claimer')
    const buyer = await buildBuyer(shop, email)
    const { id } = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })
    const claimed = await buyer.post('/v1/dpp/claim', { passport: id })
    await waitForJob(buyer, String(claimed.headers['location']))
    await buildCertifiedPassport(shop)
    await createImport(shop)
    const tried = await sendFile(shop, '[]', { query: { dryRun: 'true' } })
    await waitForJob(api, `/v1/imports/${tried.body['id']}`)

    const counted = {
      passportsCreated: 5,
      passportsPublished: 4,
      passportsMinted: 3,
      claims: 1,
      scans: 0,
      certified: 1,
      certifyFailed: 0,
      importsCompleted: 1,
    }
    const { totals, series } = await waitForTotals(api, 'dpp', counted)
    expect(totals['passportsByStatus']).to.deep.equal({ draft: 1, published: 3, claimed: 1, archived: 0 })
    expect(series.at(-1)).to.deep.equal({ at: startOfToday(), ...counted })
    expect((await readMetrics(api, `dpp?application=${application}`)).totals).to.deep.equal(totals)
    const other = await buildApplication(organization)
    expect((await readMetrics(api, `dpp?application=${other}`)).totals).to.deep.equal({
      ...Object.fromEntries(Object.keys(counted).map((name) => [name, 0])),
      passportsByStatus: { draft: 0, published: 0, claimed: 0, archived: 0 },
    })
    const rows = await sumRows((await getOperator()).db, organization)
    for (const name of ['passportsCreated', 'passportsPublished', 'passportsMinted', 'claims'] as const)
      expect(totals[name], name).to.equal(rows[name])
    expect(totals['passportsByStatus']).to.include(rows.passportsByStatus)
  })

  it('counts a certification that failed', async () => {
    const own = await buildShop()
    const product = await buildSheet(own, { certifiedPaths: ['serialNumber'] })
    const passports = [(await buildPublishedPassport(own, product)).id, (await buildPublishedPassport(own, product)).id]
    const reason = 'The contract refused it.'
    const job = await startRefusedCertify(await getOperator(), {
      organization: own.organization,
      passports: passports.map(String),
      reason,
    })
    await waitForJob(own.api, `/v1/jobs/${job}`)
    await waitForTotals(own.api, 'dpp', { certified: 0, certifyFailed: 2 })
  })

  it('counts the pages that a visitor opens within 30 minutes once a passport, whichever numbers were scanned', async () => {
    const own = await buildShop()
    const product = await buildSheet(own)
    const [first, second] = [await buildPublishedPassport(own, product), await buildPublishedPassport(own, product)]
    const { db, settings } = await getOperator()
    const context = { db, settings: { ...settings, sessionSecret: 'a secret of this test' } }
    const scan = (id: unknown, address: string, unknown = false) => recordScan(context, String(id), address, unknown)
    await scan(first.id, '192.0.2.7')
    expect(await scan(first.id, '192.0.2.7', true)).to.equal(true)
    await ageScans(db)
    expect(await scan(first.id, '192.0.2.7')).to.equal(true)
    await waitForTotals(own.api, 'dpp', { scans: 1 })
    await scan(first.id, '192.0.2.8')
    await scan(second.id, '192.0.2.7')
    await waitForTotals(own.api, 'dpp', { scans: 3 })
    await ageScans(db, 1_801)
    await scan(first.id, '192.0.2.7')
    await waitForTotals(own.api, 'dpp', { scans: 4 })
  })

  it('counts everything once when its days are counted again, and when the clock went back', async () => {
    const before = await readMetrics(shop.api, 'dpp')
    await repeatDays(shop, before.from)
    expect(await readMetrics(shop.api, 'dpp')).to.deep.equal(before)
    const { db } = await getOperator()
    await moveFoldAhead(db)
    await buildPassport(shop, sheet)
    const after = await waitForTotals(shop.api, 'dpp', { passportsCreated: 6, passportsPublished: 4 })
    await repeatDays(shop, before.from)
    expect(await readMetrics(shop.api, 'dpp')).to.deep.equal(after)
  })

  describe('like /loyalty', () => {
    for (const what of ['dpp', 'loyalty']) {
      const read = (query: string, by = shop.api) => by.get(`/v1/admin/metrics/${what}?${query}`)

      it(`refuses a period that there is not: ${what}`, async () => {
        for (const [query, path] of [
          ['from=2026-02-02&to=2026-02-01', 'from'],
          ['from=2024-01-01&to=2025-02-04', 'from'],
          ['from=1990-01-01&to=2026-01-01&interval=month', 'from'],
          ['from=2026-02-30', 'from'],
          ['to=yesterday', 'to'],
          ['interval=year', 'interval'],
          ['application=none', 'application'],
        ] as const) {
          const refused = await read(query)
          expect(formatVerdict(refused), query).to.equal('400 INVALID_REQUEST')
          expect(listFaultPaths(refused), query).to.deep.equal([path])
        }
        for (const [query, points] of [
          ['from=2024-01-01&to=2025-02-03', 400],
          ['from=2018-01-01&to=2025-08-31&interval=week', 400],
          ['from=1993-01-31&to=2026-04-01&interval=month', 400],
          ['from=2026-01-01&to=2026-01-01', 1],
        ] as const)
          expect((await readMetrics(shop.api, `${what}?${query}`)).series, query).to.have.length(points)
      })

      it(`finds no application of others, and needs a permission: ${what}`, async () => {
        const other = await buildShop()
        expect(formatVerdict(await read(`application=${other.application}`))).to.equal('404 NOT_FOUND')
        expect((await readMetrics(other.api, what)).totals).to.include(
          what === 'dpp' ? { passportsCreated: 0 } : { accountsCreated: 0 },
        )
        const resource = what === 'dpp' ? 'loyalty' : 'dpp'
        const { key } = await buildKey(shop.organization, { [resource]: ['read'] })
        expect(formatVerdict(await read('', createApiClient(key)))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
        expect(formatVerdict(await read('', createApiClient()))).to.equal('401 AUTH_UNAUTHENTICATED')
      })
    }
  })
})

describe('GET /v1/admin/metrics/loyalty', function () {
  this.timeout(120_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('counts what accounts did within seconds, as the rows say, for the application and for all', async () => {
    const { api, application, organization } = shop
    const [ada, bob, cleo] = [await buildBuyer(shop), await buildBuyer(shop), await buildBuyer(shop)]
    const first = getAccepted(await mint(api, ada.account, { amount: 100 }))
    getAccepted(await burn(api, ada.account, { amount: 30 }))
    getAccepted(await mint(api, bob.account, { amount: '7', expiresAt: new Date(Date.now() + 1_200).toISOString() }))
    await visit(shop, bob.account)
    await visit(shop, bob.account, { place: 'till-2' })
    await waitForPoints(api, first)
    const operator = await getOperator()
    const target = await readTarget(shop, ada.account)
    await operator.db.transaction((trx) =>
      postPoints(trx, operator, [
        {
          target,
          kind: 'order',
          points: 50n,
          operation: createOperationId(target, 'order', 'metrics'),
          occurredAt: new Date(),
        },
      ]),
    )

    const counted = {
      accountsCreated: 3,
      activeAccounts: 2,
      visits: 2,
      pointsMinted: '157',
      pointsBurnt: '30',
      pointsExpired: '7',
      orders: 1,
    }
    const { totals, series } = await waitForTotals(api, 'loyalty', counted)
    expect(totals).to.deep.equal({ ...counted, ...noCampaigns })
    expect(series.at(-1)).to.deep.equal({ at: startOfToday(), ...counted, ...noCampaigns })
    for (const interval of ['week', 'month']) {
      const summed = await readMetrics(api, `loyalty?interval=${interval}&application=${application}`)
      expect(summed.totals, interval).to.deep.equal(totals)
      expect(listPoints(summed, 'activeAccounts'), interval).to.have.length(1)
    }
    const rows = await sumRows(operator.db, organization)
    for (const name of Object.keys(counted) as (keyof typeof counted)[]) expect(totals[name], name).to.equal(rows[name])
    expect(cleo.account).to.be.a('string')
  })
})
