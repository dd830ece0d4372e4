import { expect } from 'chai'
import { buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { createEmail, createPhone, verifyOtp } from '../../identity/people.ts'
import { getAccountId, signInByPhone } from '../accounts/accounts.maker.ts'
import { listEntries } from '../points/fixtures.ts'
import { assign, assignNew, listAssignments, path, readGifts, sendCode, setWelcomeBonus } from './fixtures.ts'
import { waitUntil } from '../../../support/processes.ts'

describe('A new account', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
    await setWelcomeBonus(shop, '50')
  })

  it('has the welcome bonus of its application at once, and the chain gets it', async () => {
    const { account } = await buildBuyer(shop)
    expect(await readGifts(shop, account)).to.deep.equal({ points: '50', gifts: ['welcome 50'] })
    await waitUntil('the chain has the bonus', async () => {
      const [entry] = await listEntries(shop.api, account)
      return entry?.chain === 'final'
    })
    const { body } = await shop.api.get(`/v1/accounts/${account}`)
    expect(body['loyalty']?.['settledBalance']).to.equal('50')
  })

  it('has no bonus where the application gives none', async () => {
    const plain = await buildShop()
    const { account } = await buildBuyer(plain)
    expect(await readGifts(plain, account)).to.deep.equal({ points: '0', gifts: [] })
    await setWelcomeBonus(plain, '0')
    expect((await readGifts(plain, (await buildBuyer(plain)).account)).gifts).to.deep.equal([])
  })

  it('has its bonus once, however often its person signs in', async () => {
    const email = createEmail()
    const { account } = await buildBuyer(shop, email)
    expect((await buildBuyer(shop, email)).account).to.equal(account)
    expect((await readGifts(shop, account)).gifts).to.deep.equal(['welcome 50'])
  })

  it('has the points that were assigned to the e-mail of its person', async () => {
    const email = createEmail()
    const assignment = await assignNew(shop, { email: email.toUpperCase() })
    const { account } = await buildBuyer(shop, email)
    expect(await readGifts(shop, account)).to.deep.equal({ points: '75', gifts: ['assignment 25', 'welcome 50'] })
    const read = await shop.api.get(`${path}/${assignment.id}`)
    expect(read.body).to.include({ id: assignment.id, status: 'consumed', optimisticBalance: '25' })
    expect(await listAssignments(shop.api, `filters[id][eq]=${assignment.id}`)).to.deep.equal([])
  })

  it('has the points that were assigned to the phone of its person, and no one else has', async () => {
    const { account: other } = await signInByPhone(shop)
    const phone = createPhone()
    await assignNew(shop, { phoneNumber: `+39 ${phone}`, email: createEmail() })
    expect((await readGifts(shop, other)).gifts).to.deep.equal(['welcome 50'])
    const { account } = await signInByPhone(shop, phone)
    expect((await readGifts(shop, account)).gifts).to.deep.equal(['assignment 25', 'welcome 50'])
  })

  it('has nothing of an assignment on another network', async () => {
    const email = createEmail()
    await assignNew(shop, { email, network: 'BaseSepolia' })
    const { account } = await buildBuyer(shop, email)
    expect((await readGifts(shop, account)).gifts).to.deep.equal(['welcome 50'])
    expect(await listAssignments(shop.api, 'network=BaseSepolia')).to.have.length(1)
  })

  it('of somebody who deleted an account has no second bonus', async () => {
    const email = createEmail()
    const { account } = await buildBuyer(shop, email)
    const deleted = await shop.api.delete(`/v1/accounts/${account}`)
    expect(deleted.status, deleted.text).to.equal(200)
    const again = await buildBuyer(shop, email)
    expect(again.account).not.to.equal(account)
    expect(await readGifts(shop, again.account)).to.deep.equal({ points: '0', gifts: [] })
  })
})

describe('A sign-up that races', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
    await setWelcomeBonus(shop, '50')
  })
  const rounds = 50
  /** A person who has a code. */
  const invite = async () => {
    const email = createEmail()
    return { email, code: await sendCode(shop, email) }
  }
  const signUp = async ({ email, code }: { email: string; code: string }) =>
    getAccountId(await verifyOtp(shop.application, email, code))

  it('with an assignment of points gets them once', async () => {
    for (let round = 0; round < rounds; round++) {
      const person = await invite()
      const [account, assigned] = await Promise.all([signUp(person), assign(shop, { email: person.email })])
      expect(assigned.status, assigned.text).to.equal(201)
      expect((await readGifts(shop, account)).gifts).to.deep.equal(['assignment 25', 'welcome 50'])
      expect((await shop.api.get(`${path}/${assigned.body['id']}`)).body['status']).to.equal('consumed')
    }
  })

  it('with a change of the points gets those of before or after, as the change was answered', async () => {
    for (let round = 0; round < rounds; round++) {
      const person = await invite()
      const { id } = await assignNew(shop, { email: person.email })
      const [account, changed] = await Promise.all([
        signUp(person),
        shop.api.patch(`${path}/${id}`, { optimisticBalance: 7 }),
      ])
      expect(formatVerdict(changed)).to.be.oneOf(['200', '422 VALIDATION_FAILED'])
      const points = changed.status === 200 ? 7 : 25
      expect((await readGifts(shop, account)).gifts).to.deep.equal([`assignment ${points}`, 'welcome 50'])
    }
  })

  it('with a deletion of the assignment gets all or nothing, as the deletion was answered', async () => {
    for (let round = 0; round < rounds; round++) {
      const person = await invite()
      const { id } = await assignNew(shop, { email: person.email })
      const [account, deleted] = await Promise.all([signUp(person), shop.api.delete(`${path}/${id}`)])
      expect(deleted.status, deleted.text).to.equal(200)
      const gifts = deleted.body['status'] === 'consumed' ? ['assignment 25', 'welcome 50'] : ['welcome 50']
      expect((await readGifts(shop, account)).gifts).to.deep.equal(gifts)
    }
  })

  it('leaves one of two assignments for a person that race with each other', async () => {
    for (let round = 0; round < rounds; round++) {
      const email = createEmail()
      const answers = await Promise.all([assign(shop, { email }), assign(shop, { email })])
      expect(answers.map(formatVerdict).toSorted()).to.deep.equal(['201', '409 LOYALTY_FIRST_ASSIGNMENT_EXISTING'])
    }
  })

  it('keeps the points of two upserts for a person', async () => {
    for (let round = 0; round < rounds; round++) {
      const email = createEmail()
      const answers = await Promise.all([assign(shop, { email, upsert: true }), assign(shop, { email, upsert: true })])
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 201])
      const { id } = answers[0]!.body
      expect((await shop.api.get(`${path}/${id}`)).body['optimisticBalance']).to.equal('50')
    }
  })
})
