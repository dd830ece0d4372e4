import { expect } from 'chai'
import { runAdmin } from '../../support/admin-command.ts'
import type { Answer, Client } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { addUsed } from '../../support/rows/billing/overage.ts'
import { beginMonth, spoilUsed } from '../../support/rows/meters/meters.ts'
import {
  buildBuyer,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Buyer,
  type Shop,
} from '../../support/world.ts'
import { formatVerdict, getBody, waitForJob } from '../dpp/passports/fixtures.ts'
import { createEmail, getOperator, listMessagesTo } from '../identity/people.ts'
import { importAssignments } from '../loyalty/assignments/imports.maker.ts'
import { getAccepted, listEntries, listOrders, mint } from '../loyalty/points/fixtures.ts'
import { readShownPoints } from '../loyalty/points/grants.maker.ts'
import { visit } from '../loyalty/visits/visits.maker.ts'
import { buildShopOnPlan, countWallets, readOperations, readUsage, setPlan } from './quotas.fixtures.ts'

/** The most wallets of the plan `free`. */
const limit = 500

const verify = ({ organization }: Shop) =>
  runAdmin(platform.dataDir, 'quotas', 'verify', '--organization', organization, '--json')

/** A shop on the plan `free` that has so many wallets left. */
async function buildShopWithLeft(left: number): Promise<Shop> {
  const shop = await buildShopOnPlan('free')
  await addUsed((await getOperator()).db, shop.organization, { meter: 'wallets', units: limit - left })
  return shop
}

const buildEmails = (count: number) => Array.from({ length: count }, () => createEmail('wallet'))

async function buildBuyers(shop: Shop, emails: readonly string[]): Promise<Buyer[]> {
  const buyers: Buyer[] = []
  for (const email of emails) buyers.push(await buildBuyer(shop, email))
  return buyers
}

/** What an account has: entries, orders, points. */
const listTraces = async (shop: Shop, account: string) => [
  (await listEntries(shop.api, account)).length,
  (await listOrders(shop.api, `walletId=${account}`)).length,
  await readShownPoints(shop, account),
]

function expectRefusal(answer: Answer): void {
  expect(formatVerdict(answer), answer.text).to.equal('429 QUOTA_EXCEEDED')
  const { resetsAt, ...problem } = getBody<Record<string, unknown>>(answer)
  expect(problem).to.deep.include({ meter: 'wallets', limit })
  expect(resetsAt).to.match(/^\d{4}-\d\d-01T00:00:00\.000Z$/)
  expect(Number(answer.headers['retry-after'])).to.be.above(0)
}

describe('Quotas: wallets', function () {
  this.timeout(240_000)

  it('counts an account once for ever, with its first entry, visit or claim', async () => {
    const shop = await buildShopOnPlan('free')
    const sheet = await buildSheet(shop)
    const emails = buildEmails(4)
    const [minted, visited, claimer] = (await buildBuyers(shop, emails)) as [Buyer, Buyer, Buyer]
    const expectCount = async (count: number, what: string) => expect(await countWallets(shop), what).to.equal(count)
    await expectCount(0, 'nobody for having an account')
    getAccepted(await mint(shop.api, minted.account, { amount: 9 }))
    getAccepted(await mint(shop.api, minted.account, { amount: 9 }))
    await visit(shop, minted.account)
    await expectCount(1, 'mint')
    await visit(shop, visited.account)
    await expectCount(2, 'visit')
    for (const round of [1, 2]) {
      const { id } = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: emails[2] })
      const claimed = await claimer.post('/v1/dpp/claim', { passport: id })
      expect(claimed.status, claimed.text).to.equal(202)
      await expectCount(3, `claim ${round}`)
      const ended = await waitForJob(claimer, `/v1/dpp/claim/${claimed.body['jobId']}/status`)
      expect(ended.status).to.equal('completed')
    }
    getAccepted(await mint(shop.api, claimer.account, { amount: 1 }))
    await expectCount(3, 'an entry of the claimer')
    expect((await verify(shop)).json).to.deep.equal({ checked: 3, differences: [] })
    await beginMonth((await getOperator()).db, shop.organization)
    getAccepted(await mint(shop.api, minted.account, { amount: 1 }))
    await expectCount(0, 'the month after')
  })

  it('refuses exactly the accounts past the limit, with nothing half done, and none that was counted', async () => {
    const shop = await buildShopWithLeft(3)
    const accounts = (await buildBuyers(shop, buildEmails(7))).map(({ account }) => account)
    const answers = await Promise.all(accounts.map((account) => mint(shop.api, account, { amount: 5 })))
    const verdicts = answers.map(formatVerdict)
    expect(verdicts.toSorted()).to.deep.equal([
      ...Array.from({ length: 3 }, () => '202'),
      ...Array.from({ length: 4 }, () => '429 QUOTA_EXCEEDED'),
    ])
    answers.filter(({ status }) => status === 429).forEach(expectRefusal)
    for (const [at, account] of accounts.entries())
      expect(await listTraces(shop, account)).to.deep.equal(
        verdicts[at] === '202' ? [1, 1, ['5', '0']] : [0, 0, ['0', '0']],
      )
    getAccepted(await mint(shop.api, accounts[verdicts.indexOf('202')] ?? '', { amount: 1 }))
    const refused = accounts[verdicts.indexOf('429 QUOTA_EXCEEDED')] ?? ''
    expectRefusal(await mint(shop.api, refused, { amount: 5 }, { 'idempotency-key': refused }))
    expectRefusal(await shop.api.patch(`/v1/accounts/${refused}`, { loyalty: { visits: 2 } }))
    expect((await shop.api.get(`/v1/accounts/${refused}`)).body['loyalty']).to.deep.include({ visits: 0 })
    expect(await countWallets(shop)).to.equal(limit)
    const period = (await readUsage(shop)).period.start.slice(0, 10)
    expect((await verify(shop)).json).to.deep.equal({
      checked: 2,
      differences: [
        { organization: shop.organization, meter: 'wallets', period, kind: 'used', metered: limit, derived: 3 },
      ],
    })
    await visit(shop, refused)
    expect(await countWallets(shop), 'a visit has happened').to.equal(limit + 1)
    await setPlan(shop, 'growth')
    getAccepted(await mint(shop.api, refused, { amount: 5 }))
  })

  it('keeps the rows of an import that are within the limit, and reports the others', async () => {
    const shop = await buildShopWithLeft(2)
    const emails = buildEmails(4)
    const buyers = await buildBuyers(shop, emails)
    const rows = [...emails, createEmail('nobody')].map((email) => ({ email, optimisticBalance: 7 }))
    const { counts, errorLines } = await importAssignments(shop, rows)
    expect([counts.created, counts.failed]).to.deep.equal([3, 2])
    expect(errorLines).to.deep.equal(['2 QUOTA_EXCEEDED email', '3 QUOTA_EXCEEDED email'])
    const points = await Promise.all(buyers.map(({ account }) => readShownPoints(shop, account)))
    expect(points).to.deep.equal([
      ['7', '0'],
      ['7', '0'],
      ['0', '0'],
      ['0', '0'],
    ])
    expect(await countWallets(shop)).to.equal(limit)
  })

  it('refuses claims past the limit, which spends no token and no operation, and lets nobody wait at sign-in', async () => {
    const shop = await buildShopWithLeft(0)
    const sheet = await buildSheet(shop)
    const [email = ''] = buildEmails(1)
    const [buyer] = (await buildBuyers(shop, [email])) as [Buyer]
    const { id } = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })
    const { body } = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
    const claim = (client: Client) => client.post('/v1/dpp/claim', { passport: id })
    const claimByToken = () => buyer.post('/v1/dpp/claim/magicToken', { magicToken: body['token'] })
    const { used } = await readOperations(shop)
    expectRefusal(await claim(buyer))
    expectRefusal(await claimByToken())
    expect((await readOperations(shop)).used).to.equal(used)
    const gift = { application: shop.application, email, optimisticBalance: 5 }
    expectRefusal(await shop.api.post('/v1/account-assignments', gift))
    const assigned = createEmail('assigned')
    const waiting = await shop.api.post('/v1/account-assignments', { ...gift, email: assigned })
    expect(waiting.status, waiting.text).to.equal(201)
    const { account } = await buildBuyer(shop, assigned)
    expect(await readShownPoints(shop, account)).to.deep.equal(['5', '0'])
    expect(await countWallets(shop), 'what was given at sign-in counts').to.equal(limit + 1)
    await setPlan(shop, 'growth')
    expect((await claimByToken()).status).to.equal(202)
  })

  it('refuses a passport that is passed on past the limit, and counts whoever gets it once there is room', async () => {
    const shop = await buildShopWithLeft(1)
    const sheet = await buildSheet(shop)
    const [from = '', to = ''] = buildEmails(2)
    const [owner, taker] = (await buildBuyers(shop, [from, to])) as [Buyer, Buyer]
    const { id } = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: from })
    const claimed = await owner.post('/v1/dpp/claim', { passport: id })
    await waitForJob(owner, `/v1/dpp/claim/${claimed.body['jobId']}/status`)
    expect((await owner.post(`/v1/dpp/passports/${id}/transfer`, { email: to })).status).to.equal(201)
    const [message] = (await listMessagesTo(to)).filter(({ text }) => text.includes('/transfer?token='))
    const token = /token=([\w-]+)/.exec(message?.text ?? '')?.[1]
    const accept = () => taker.post(`/v1/dpp/passports/${id}/transfer/accept`, { token })
    expectRefusal(await accept())
    await setPlan(shop, 'growth')
    const accepted = await accept()
    await waitForJob(taker, `/v1/dpp/claim/${accepted.body['jobId']}/status`)
    expect(await countWallets(shop)).to.equal(limit + 1)
  })

  it('is found wrong by admin quotas verify', async () => {
    const shop = await buildShop()
    const { account } = await buildBuyer(shop)
    getAccepted(await mint(shop.api, account, { amount: 1 }))
    await spoilUsed((await getOperator()).db, shop.organization, 2)
    const { code, json } = await verify(shop)
    const { differences } = json as unknown as {
      differences: { meter: string; metered: number; derived: number }[]
    }
    const found = differences.map(({ meter, metered, derived }) => [meter, metered, derived])
    expect([code, found.toSorted()]).to.deep.equal([
      1,
      [
        ['loyalty.activeUsers', 3, 1],
        ['wallets', 3, 1],
      ],
    ])
  })
})
