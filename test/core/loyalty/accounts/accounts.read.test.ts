import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { describePerson, nameAccount } from '../../../support/rows/accounts/accounts.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { createEmail, getOperator, signInBuyer } from '../../identity/people.ts'
import { getAccountId, signInByPhone, storeFigures, type ShownAccount } from './accounts.maker.ts'

describe('GET /v1/accounts/{id}', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const read = async (id: string) => {
    const answer = await shop.api.get(`/v1/accounts/${id}`)
    expect(answer.status, answer.text).to.equal(200)
    return getBody<ShownAccount>(answer)
  }

  it('shows a new account with its wallet, its person and nothing yet', async () => {
    const email = createEmail('ann')
    const signedIn = await signInBuyer(shop.application, email)
    const session = getBody<{ account: ShownAccount; user: { id: string } }>(signedIn)
    const { name } = (await shop.api.get(`/v1/applications/${shop.application}`)).body
    expect(await read(session.account.id)).to.deep.equal({
      id: session.account.id,
      application: { id: shop.application, name },
      network: 'EthereumAnvil',
      address: session.account.address,
      user: {
        id: session.user.id,
        name: null,
        email,
        emailVerified: true,
        phoneNumber: null,
        phoneNumberVerified: false,
        birthDate: null,
        preferredLocale: null,
      },
      loyalty: {
        optimisticBalance: '0',
        settledBalance: '0',
        pending: '0',
        visits: 0,
        fixedRewardTier: null,
        rewardTier: null,
        customerId: null,
        optIn: { apple: false, google: false },
      },
      dpp: { isActive: false, passportCount: 0, lastActivityAt: null },
      createdAt: session.account.createdAt,
      updatedAt: session.account.updatedAt,
    })
  })

  it('shows a number and no made-up address of a person who signs in by phone', async () => {
    const { account, number } = await signInByPhone(shop)
    expect((await read(account)).user).to.deep.include({
      email: null,
      emailVerified: false,
      phoneNumber: number,
      phoneNumberVerified: true,
    })
  })

  it('shows what the person told this application', async () => {
    const { db } = await getOperator()
    const id = getAccountId(await signInBuyer(shop.application))
    await nameAccount(db, id, 'Ann')
    await describePerson(db, id, { birthDate: '1990-02-28', locale: 'it-IT' })
    expect((await read(id)).user).to.include({ name: 'Ann', birthDate: '1990-02-28', preferredLocale: 'it-IT' })
  })

  it('links to the explorer of a network that has one', async () => {
    const id = getAccountId(await signInBuyer(shop.application, createEmail(), { 'x-network': 'BaseSepolia' }))
    const { address, explorerUrl } = await read(id)
    expect(explorerUrl).to.equal(`https://sepolia.basescan.org/address/${address}`)
  })

  it('shows every digit of large and negative balances, and leaves what is not told as it was', async () => {
    const [first, second] = [
      getAccountId(await signInBuyer(shop.application)),
      getAccountId(await signInBuyer(shop.application)),
    ]
    const before = await read(first)
    const points = 10n ** 18n - 1n
    await storeFigures({ account: second, points: -3n }, { account: first, points, pending: 2n ** 53n + 1n, visits: 4 })
    await storeFigures({ account: first, settled: points })
    const after = await read(first)
    expect(after.loyalty).to.deep.include({
      optimisticBalance: '999999999999999999',
      settledBalance: '999999999999999999',
      pending: '9007199254740993',
      visits: 4,
    })
    expect(after.updatedAt).to.equal(before.updatedAt)
    expect((await read(second)).loyalty).to.include({ optimisticBalance: '-3', settledBalance: '0', visits: 0 })
  })

  it('has an ETag that changes with a balance, and answers 304 while it does not', async () => {
    const id = getAccountId(await signInBuyer(shop.application))
    const etag = String((await shop.api.get(`/v1/accounts/${id}`)).headers['etag'])
    const again = () => shop.api.get(`/v1/accounts/${id}`, { headers: { 'if-none-match': etag } })
    expect((await again()).status).to.equal(304)
    await storeFigures({ account: id, points: 1n })
    expect((await again()).status).to.equal(200)
  })

  it('answers the members that are asked for', async () => {
    const id = getAccountId(await signInBuyer(shop.application))
    const { body } = await shop.api.get(`/v1/accounts/${id}?fields=loyalty.visits,dpp`)
    expect(body).to.deep.equal({
      id,
      loyalty: { visits: 0 },
      dpp: { isActive: false, passportCount: 0, lastActivityAt: null },
    })
  })

  it("is not found for another organization's account, like for none", async () => {
    const id = getAccountId(await signInBuyer((await buildShop()).application))
    for (const hidden of [id, randomUUID()])
      expect(formatVerdict(await shop.api.get(`/v1/accounts/${hidden}`))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await shop.api.get('/v1/accounts/x'))).to.equal('400 INVALID_REQUEST')
  })
})
