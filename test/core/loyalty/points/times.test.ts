import { expect } from 'chai'
import { buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { waitUntil } from '../../../support/processes.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { burn, getAccepted, listEntries, listOrders, mint, waitForPoints } from './fixtures.ts'
import { readShownPoints } from './grants.maker.ts'

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const hour = 3_600_000

describe('POST /v1/loyalty/account/:id/mint, with times', () => {
  let shop: Shop
  let account: string
  before(async () => {
    shop = await buildShop()
  })
  beforeEach(async () => {
    ;({ account } = await buildBuyer(shop))
  })

  it('keeps points pending until they become active, and takes none of them before', async () => {
    const waiting = getAccepted(await mint(shop.api, account, { amount: 30, activatesAt: inMs(hour) }))
    expect(waiting).to.deep.include({ amount: '30', optimisticBalance: '0' })
    expect(await readShownPoints(shop, account)).to.deep.equal(['0', '30'])
    const refused = await burn(shop.api, account, { amount: 1 })
    expect(formatVerdict(refused)).to.equal('409 LOYALTY_INSUFFICIENT_BALANCE')
    expect(await waitForPoints(shop.api, waiting)).to.deep.include({ status: 'completed', failed: 0 })
  })

  it('makes points active in time, without an entry', async () => {
    await mint(shop.api, account, { amount: 30, activatesAt: inMs(400) })
    await waitUntil('the points are active', async () => (await readShownPoints(shop, account))[0] === '30')
    expect(getAccepted(await burn(shop.api, account, { amount: 30 })).optimisticBalance).to.equal('0')
    expect((await listEntries(shop.api, account)).map(({ kind }) => kind)).to.deep.equal(['burn', 'mint'])
  })

  it('takes a time that is over for now', async () => {
    const accepted = getAccepted(await mint(shop.api, account, { amount: 5, activatesAt: '2020-01-01T00:00:00+02:00' }))
    expect(accepted.optimisticBalance).to.equal('5')
    expect(await readShownPoints(shop, account)).to.deep.equal(['5', '0'])
  })

  it('lets what is left expire by an entry that happened then, also on the chain', async () => {
    const expiresAt = inMs(1_500)
    await mint(shop.api, account, { amount: 30, expiresAt })
    await burn(shop.api, account, { amount: 10 })
    await waitUntil('the points are over', async () => (await readShownPoints(shop, account))[0] === '0')
    await waitUntil(
      'an entry of the expiry',
      async () => (await listEntries(shop.api, account, 'filters[kind][eq]=expire')).length > 0,
    )
    const [entry] = await listEntries(shop.api, account, 'filters[kind][eq]=expire')
    expect(entry).to.deep.include({ occurredAt: expiresAt })
    expect(entry?.postings[0]?.amount).to.equal('-20')
    await waitUntil('all entries are final', async () =>
      (await listEntries(shop.api, account)).every(({ chain }) => chain === 'final'),
    )
    const [order] = (await listOrders(shop.api, `walletId=${account}`)).filter(({ kind }) => kind === 'expire')
    expect(order).to.deep.include({ points: '-20', status: 'settled' })
  })

  it('never spends points that have expired, and spends those first that expire first', async () => {
    await mint(shop.api, account, { amount: 10 })
    await mint(shop.api, account, { amount: 20, expiresAt: inMs(hour) })
    const expiresAt = inMs(700)
    await mint(shop.api, account, { amount: 30, expiresAt })
    expect(getAccepted(await burn(shop.api, account, { amount: 5 })).optimisticBalance).to.equal('55')
    await waitUntil('the points are over', () => Date.now() > Date.parse(expiresAt) + 50)
    const refused = await burn(shop.api, account, { amount: 31 })
    expect(getBody<{ available: string }>(refused).available).to.equal('30')
    expect(getAccepted(await burn(shop.api, account, { amount: 30 })).optimisticBalance).to.equal('0')
    expect((await listEntries(shop.api, account, 'filters[kind][eq]=expire'))[0]?.postings[0]?.amount).to.equal('-25')
  })

  it('answers a reference that comes again with other times like the first time', async () => {
    const reference = 'gift-1'
    const first = getAccepted(await mint(shop.api, account, { amount: 5, reference, activatesAt: inMs(hour) }))
    const again = getAccepted(await mint(shop.api, account, { amount: 5, reference, expiresAt: inMs(2 * hour) }))
    expect(again).to.deep.equal(first)
    expect(await readShownPoints(shop, account)).to.deep.equal(['0', '5'])
  })

  for (const [what, body, path] of [
    ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ['an expiry before the activation', { activatesAt: inMs(2 * hour), expiresAt: inMs(hour) }, 'expiresAt'],
    [
      'an expiry at the activation',
      { activatesAt: '2099-01-01T00:00:00Z', expiresAt: '2099-01-01T01:00:00+01:00' },
      'expiresAt',
    ],
    ['an expiry that is no time', { expiresAt: 'tomorrow' }, 'expiresAt'],
    ['an activation that is no time', { activatesAt: '2099-02-30T00:00:00Z' }, 'activatesAt'],
    ['an activation without an offset', { activatesAt: '2099-01-01T00:00:00' }, 'activatesAt'],
    ['a number as expiry', { expiresAt: 4_070_908_800 }, 'expiresAt'],
    ['pending points above 10^18', { amount: '1000000000000000000', activatesAt: '2099-01-01T00:00:00Z' }, 'amount'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const answer = await mint(shop.api, account, { amount: 1, ...body })
      expect(answer.status, answer.text).to.equal(422)
      expect(getBody<{ errors: { path: string }[] }>(answer).errors[0]?.path).to.equal(path)
      expect(await readShownPoints(shop, account)).to.deep.equal(['0', '0'])
    })
  }

  it('refuses times of a burn', async () => {
    const answer = await burn(shop.api, account, { amount: 1, expiresAt: inMs(hour) })
    expect(answer.status, answer.text).to.equal(422)
  })
})
