import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createContext, type ContextHandle } from '../../../core/app/context.ts'
import { readSettings } from '../../../core/app/settings.ts'
import { grantPoints, recordVisit } from '../../../core/features/loyalty/index.ts'
import { ProblemError } from '../../../core/kernel/problem.ts'
import { runAdmin } from '../../support/admin-command.ts'
import { createApiClient, type Client } from '../../support/client.ts'
import { createTemporaryFolder, removeFolder } from '../../support/folders.ts'
import { startSecondServer } from '../../support/network/second-server.ts'
import { platform } from '../../support/platform.ts'
import { startPosStage, webhookSecret, type PosStage } from '../../support/pos/restaurants.ts'
import { sendSigned } from '../../support/pos/signing.ts'
import { waitUntil } from '../../support/processes.ts'
import { beginMonth, spoilUsed } from '../../support/rows/meters/meters.ts'
import { buildBuyer, buildShop, type Shop } from '../../support/world.ts'
import { formatVerdict, getBody } from '../dpp/passports/fixtures.ts'
import { createEmail, getOperator } from '../identity/people.ts'
import { burn, getAccepted, listEntries, listOrders, mint } from '../loyalty/points/fixtures.ts'
import { grant, readShownPoints, readTarget, reverse } from '../loyalty/points/grants.maker.ts'
import { buildCustomer, buildRestaurant, sendEnded, waitForPoints } from '../loyalty/pos/fixtures.ts'
import { visit } from '../loyalty/visits/visits.maker.ts'
import { buildShopOnPlan, countActiveUsers, readUsage, setPlan } from './quotas.fixtures.ts'

const verify = ({ organization }: Shop) =>
  runAdmin(platform.dataDir, 'quotas', 'verify', '--organization', organization, '--json')

const buildAccounts = async (shop: Shop, count: number): Promise<string[]> => {
  const accounts: string[] = []
  for (let at = 0; at < count; at++) accounts.push((await buildBuyer(shop)).account)
  return accounts
}

describe('Quotas: loyalty.activeUsers', function () {
  this.timeout(240_000)

  it('counts an account once a month, whatever it has: credits, burns, visits, gifts, reversals', async () => {
    const shop = await buildShopOnPlan('free')
    const { api, application } = shop
    const emails = [createEmail('active'), createEmail('active'), createEmail('active')]
    const [minted = '', visited = '', gifted = ''] = await Promise.all(
      emails.map(async (email) => (await buildBuyer(shop, email)).account),
    )
    expect(await countActiveUsers(shop), 'nobody for having an account').to.equal(0)
    const expectCount = async (count: number, what: string) =>
      expect(await countActiveUsers(shop), what).to.equal(count)
    expect(formatVerdict(await burn(api, minted, { amount: 1 }))).to.equal('409 LOYALTY_INSUFFICIENT_BALANCE')
    await expectCount(0, 'a refusal')
    getAccepted(await mint(api, minted, { amount: 9, reference: 'R-1' }))
    await expectCount(1, 'mint')
    getAccepted(await mint(api, minted, { amount: 9, reference: 'R-1' }))
    getAccepted(await burn(api, minted, { amount: 2 }))
    await visit(shop, minted)
    const [order] = await listOrders(api, `walletId=${minted}&filters[kind][eq]=mint`)
    await reverse({
      target: await readTarget(shop, minted),
      order: order!.id,
      key: 'one',
      points: 1n,
      occurredAt: new Date(),
    })
    await expectCount(1, 'the same account again')
    await visit(shop, visited)
    await expectCount(2, 'visit')
    expect(formatVerdict(await api.patch(`/v1/accounts/${visited}`, { loyalty: { visits: 7 } }))).to.equal('200')
    await expectCount(2, 'visits of the same account')
    const gift = { application, email: emails[2], optimisticBalance: '5' }
    expect(formatVerdict(await api.post('/v1/account-assignments', gift))).to.equal('201')
    await expectCount(3, 'assignment')
    const bonus = await api.patch(`/v1/applications/${application}`, { loyaltySettings: { welcomeBonus: '3' } })
    expect(bonus.status, bonus.text).to.equal(200)
    const { account: welcomed } = await buildBuyer(shop)
    expect(await readShownPoints(shop, welcomed)).to.deep.equal(['3', '0'])
    await expectCount(4, 'welcome bonus')
    const [adjusted = ''] = await buildAccounts(shop, 1)
    await expectCount(5, 'welcome bonus')
    expect(formatVerdict(await api.patch(`/v1/accounts/${adjusted}`, { loyalty: { visits: 1 } }))).to.equal('200')
    await expectCount(5, 'visits of an account that was counted')
    expect((await verify(shop)).json).to.deep.equal({ checked: 2, differences: [] })

    await beginMonth((await getOperator()).db, shop.organization)
    await expectCount(0, 'a month begins')
    getAccepted(await mint(api, minted, { amount: 1 }))
    getAccepted(await mint(api, gifted, { amount: 1 }))
    getAccepted(await mint(api, gifted, { amount: 1 }))
    await expectCount(2, 'in the new month')
  })

  it('counts points that expire, because they are an entry', async () => {
    const shop = await buildShop()
    const [account = ''] = await buildAccounts(shop, 1)
    const expiresAt = new Date(Date.now() + 2_000).toISOString()
    getAccepted(await mint(shop.api, account, { amount: 30, expiresAt }))
    await beginMonth((await getOperator()).db, shop.organization)
    await waitUntil('the points are over', async () => (await listEntries(shop.api, account)).length === 2)
    expect(await countActiveUsers(shop)).to.equal(1)
  })

  it('counts one for parallel credits of one account, and each account for those of many, over two processes', async () => {
    const shop = await buildShopOnPlan('free')
    const accounts = await buildAccounts(shop, 12)
    const second = await startSecondServer(platform)
    try {
      const clients = [shop.api, createApiClient(shop.key, second.api)]
      const send = (account: string, at: number) => mint(clients[at % 2] ?? shop.api, account, { amount: 1 })
      const once = await Promise.all(Array.from({ length: 60 }, (_, at) => send(accounts[0] ?? '', at)))
      once.forEach(getAccepted)
      expect(await countActiveUsers(shop)).to.equal(1)
      const others = Array.from({ length: 60 }, (_, at) => accounts[at % accounts.length] ?? '')
      const [answers] = await Promise.all([
        Promise.all(others.map(send)),
        Promise.all(accounts.map((account) => visit(shop, account))),
      ])
      answers.forEach(getAccepted)
    } finally {
      second.kill()
      await second.ended
    }
    expect(await countActiveUsers(shop)).to.equal(12)
    expect((await verify(shop)).json).to.deep.equal({ checked: 2, differences: [] })
  })

  it('is a number past the limit of a plan, and refuses nobody', async () => {
    const shop = await buildShopOnPlan('free')
    const [first = '', second = ''] = await buildAccounts(shop, 2)
    getAccepted(await mint(shop.api, first, { amount: 1 }))
    await spoilUsed((await getOperator()).db, shop.organization, 500)
    getAccepted(await mint(shop.api, second, { amount: 1 }))
    const found = (await readUsage(shop)).meters.find(({ code }) => code === 'loyalty.activeUsers')
    expect(found).to.deep.include({ used: 502, limit: 500, overage: 2, remaining: 0, hard: false })
  })

  it('is found wrong by admin quotas verify', async () => {
    const shop = await buildShop()
    const [account = ''] = await buildAccounts(shop, 1)
    await grant({ target: await readTarget(shop, account), kind: 'mint', key: 'K', amount: 1n })
    await spoilUsed((await getOperator()).db, shop.organization, 2)
    const { code, json } = await verify(shop)
    const period = (await readUsage(shop)).period.start.slice(0, 10)
    const meter = 'loyalty.activeUsers'
    const difference = { organization: shop.organization, meter, period, kind: 'used', metered: 3, derived: 1 }
    expect(code).to.equal(1)
    expect((json as unknown as { differences: object[] }).differences).to.deep.include(difference)
  })
})

describe('Quotas: loyalty.activeUsers, where a plan makes it hard', function () {
  this.timeout(240_000)
  const limit = 3
  let folder: string
  let stage: PosStage
  let hard: ContextHandle
  before(async () => {
    folder = createTemporaryFolder()
    const file = join(folder, 'plans.json')
    const { plans } = await getOperator()
    const hardPlans = plans.map((plan) => ({
      ...plan,
      meters: plan.meters.map((one) =>
        one.code === 'loyalty.activeUsers' && plan.id === 'free' ? { ...one, limit, hard: true } : one,
      ),
    }))
    writeFileSync(file, JSON.stringify(hardPlans))
    stage = await startPosStage({ PLANS_FILE: file })
    const env = { NODE_ENV: 'test', LOG_LEVEL: 'fatal', DATABASE_URL: platform.database, PLANS_FILE: file }
    hard = await createContext(
      readSettings({ ...env, KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') }),
      'test',
    )
  })
  after(async () => {
    await stage?.stop()
    await hard?.close()
    await removeFolder(folder)
  })

  /** What accounts have: entries and points. */
  const listTraces = async (shop: Shop, account: string) => [
    (await listEntries(shop.api, account)).length,
    (await listOrders(shop.api, `walletId=${account}`)).length,
    await readShownPoints(shop, account),
  ]

  it('refuses exactly the accounts past the limit, with nothing half done, and goes on for those that were counted', async () => {
    const shop = await buildShop()
    await setPlan(shop, 'free')
    const api: Client = createApiClient(shop.key, stage.api)
    const accounts = await buildAccounts(shop, 7)
    const answers = await Promise.all(accounts.map((account) => mint(api, account, { amount: 5 })))
    const verdicts = answers.map(formatVerdict)
    expect(verdicts.toSorted()).to.deep.equal([
      ...Array.from({ length: limit }, () => '202'),
      ...Array.from({ length: 7 - limit }, () => '429 QUOTA_EXCEEDED'),
    ])
    const refusal = answers[verdicts.indexOf('429 QUOTA_EXCEEDED')]!
    const { resetsAt, ...problem } = getBody<Record<string, unknown>>(refusal)
    expect(problem).to.deep.include({ meter: 'loyalty.activeUsers', limit })
    expect(resetsAt).to.match(/^\d{4}-\d\d-01T00:00:00\.000Z$/)
    expect(Number(refusal.headers['retry-after'])).to.be.above(0)
    for (const [at, account] of accounts.entries())
      expect(await listTraces(shop, account)).to.deep.equal(
        verdicts[at] === '202' ? [1, 1, ['5', '0']] : [0, 0, ['0', '0']],
      )
    const counted = accounts[verdicts.indexOf('202')] ?? ''
    const refused = accounts[verdicts.indexOf('429 QUOTA_EXCEEDED')] ?? ''
    getAccepted(await mint(api, counted, { amount: 1 }))
    getAccepted(await burn(api, counted, { amount: 2 }))
    const key = { 'idempotency-key': 'again' }
    expect(formatVerdict(await mint(api, refused, { amount: 1 }, key))).to.equal('429 QUOTA_EXCEEDED')
    const adjusted = await api.patch(`/v1/accounts/${refused}`, { loyalty: { visits: 2 } })
    expect(formatVerdict(adjusted)).to.equal('429 QUOTA_EXCEEDED')
    expect(await listTraces(shop, refused)).to.deep.equal([0, 0, ['0', '0']])
    expect(await countActiveUsers(shop)).to.equal(limit)

    const { context } = hard
    const grants = [{ target: await readTarget(shop, refused), kind: 'welcome' as const, key: 'W', amount: 1n }]
    const give = (isForced: boolean) =>
      context.db.transaction((trx) => grantPoints(trx, context, grants, { isForced })).catch((error: unknown) => error)
    expect(await give(false)).to.be.instanceOf(ProblemError)
    expect(await give(true), 'a gift at sign-up').to.be.an('array')
    const { organization, application } = shop
    const seen = { organization, application, place: 'till', localDay: '2026-01-01', occurredAt: new Date() }
    const last = accounts.findLast((_, at) => verdicts[at] !== '202')!
    await context.db.transaction((trx) => recordVisit(trx, context, { ...seen, account: last }))
    expect(await countActiveUsers(shop), 'what has happened counts').to.equal(limit + 2)
    expect((await verify(shop)).json).to.deep.equal({ checked: 2, differences: [] })
    await setPlan(shop, 'growth')
    const another = (await buildAccounts(shop, 1))[0] ?? ''
    getAccepted(await mint(api, another, { amount: 1 }))
  })

  it('refuses to burn points of an earlier month past the limit, for a member and for a POS alike', async () => {
    const { pos, api } = stage
    const restaurant = await buildRestaurant(pos, api)
    const { restaurantId, shop } = restaurant
    await setPlan(shop, 'free')
    const { account, customer } = await buildCustomer(restaurant)
    await sendEnded(restaurant, pos.close({ id: randomUUID(), restaurantId, customer }))
    await waitForPoints(restaurant, account, '20')
    await beginMonth((await getOperator()).db, shop.organization)
    for (const other of await buildAccounts(shop, limit)) getAccepted(await mint(restaurant.api, other, { amount: 1 }))
    const { id: orderId } = pos.close({ id: randomUUID(), restaurantId, customer, status: 1, points: 2 })
    const path = `/v1/loyalty/pos-integration/burn/${restaurantId}/${customer.id}`
    const refused = [
      await burn(restaurant.api, account, { amount: 2 }),
      await sendSigned(api, path, { orderId, points: 2 }, webhookSecret),
    ]
    for (const answer of refused) expect(formatVerdict(answer), answer.text).to.equal('429 QUOTA_EXCEEDED')
    await waitForPoints(restaurant, account, '20')
    expect(await countActiveUsers(shop)).to.equal(limit)
  })
})
