import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { buildApplication, buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { createEmail, createPhone } from '../../identity/people.ts'
import { signInByPhone } from '../accounts/accounts.maker.ts'
import { assign, assignNew, listAssignments, path, readGifts, type ShownAssignment } from './fixtures.ts'

describe('POST /v1/account-assignments', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('creates a pending assignment with its contacts in one form', async () => {
    const email = createEmail()
    const answer = await assign(shop, {
      email: email.toUpperCase(),
      phoneNumber: '+39 333 123 4567',
      optimisticBalance: '9007199254740993',
    })
    expect(answer.status, answer.text).to.equal(201)
    const { id, createdAt, updatedAt, ...rest } = getBody<ShownAssignment>(answer)
    expect(answer.headers['location']).to.equal(`${path}/${id}`)
    expect(createdAt).to.equal(updatedAt)
    expect(rest).to.deep.equal({
      application: shop.application,
      network: 'EthereumAnvil',
      email,
      phoneNumber: '+393331234567',
      optimisticBalance: '9007199254740993',
      status: 'pending',
    })
    expect((await shop.api.get(`${path}/${id}`)).body).to.deep.equal(answer.body)
  })

  for (const [title, body, errors] of [
    ['neither e-mail nor phone', {}, ['email: required']],
    ['an e-mail that is none', { email: 'ada' }, ['email: format']],
    ['a phone number that is none', { phoneNumber: '+3912', email: 'a@b.example' }, ['phoneNumber: format']],
    ['a phone number without a country', { phoneNumber: '333 123 4567' }, ['phoneNumber: format']],
    ['no points without a tier', { email: 'a@b.example', optimisticBalance: 0 }, ['optimisticBalance: min_value']],
    ['a network without wallets', { email: 'a@b.example', network: 'StellarTestnet' }, ['network: unusable_network']],
    [
      'all that is wrong at once',
      { phoneNumber: '+00000000', optimisticBalance: '0', network: 'StellarTestnet' },
      ['phoneNumber: format', 'optimisticBalance: min_value', 'network: unusable_network'],
    ],
    ['an unknown member', { email: 'a@b.example', points: 5 }, ['points: unknown_member']],
  ] as const)
    it(`refuses ${title}`, async () => {
      const answer = await assign(shop, body)
      expect(answer.status, answer.text).to.equal(422)
      expect(answer.body).to.include({ code: 'VALIDATION_FAILED' })
      const shown = getBody<{ errors: { path: string; code: string }[] }>(answer).errors
      expect(shown.map(({ path: at, code }) => `${at}: ${code}`)).to.deep.equal(errors)
    })

  it('refuses a missing amount, another organization’s application and an unknown tier', async () => {
    const email = createEmail()
    const { application } = shop
    expect((await shop.api.post(path, { application, email })).status).to.equal(400)
    const foreign = await assign(
      { ...shop, application: await buildApplication((await buildShop()).organization) },
      { email },
    )
    expect(formatVerdict(foreign)).to.equal('404 NOT_FOUND')
    const tierless = await assign(shop, { email, rewardTier: randomUUID() })
    expect(formatVerdict(tierless)).to.equal('422 ACCOUNT_REWARD_TIER_NOT_FOUND')
    expect(await listAssignments(shop.api, `filters[application.id][eq]=${application}`)).not.to.deep.include({ email })
  })

  it('refuses a second pending one for a person, and adds to it with upsert', async () => {
    const email = createEmail()
    const first = await assignNew(shop, { email })
    const refused = await assign(shop, { email: email.toUpperCase() })
    expect(formatVerdict(refused)).to.equal('409 LOYALTY_FIRST_ASSIGNMENT_EXISTING')
    expect([refused.body['existing'], refused.body['existingIds']]).to.deep.equal([first.id, undefined])
    const phoneNumber = `+39${createPhone()}`
    const added = await assign(shop, { email, phoneNumber, optimisticBalance: '17', upsert: true })
    expect(added.status, added.text).to.equal(200)
    expect(added.body).to.include({ id: first.id, email, phoneNumber, optimisticBalance: '42', status: 'pending' })
    const tooMuch = await assign(shop, { email, optimisticBalance: '99999999999999999', upsert: true })
    expect(tooMuch.status, tooMuch.text).to.equal(422)
    const otherPhone = await assign(shop, { email, phoneNumber: `+39${createPhone()}`, upsert: true })
    expect(formatVerdict(otherPhone)).to.equal('409 LOYALTY_FIRST_ASSIGNMENT_EXISTING')
    expect((await shop.api.get(`${path}/${first.id}`)).body).to.deep.equal(added.body)
  })

  it('refuses an e-mail of one pending assignment with the phone of another, and names both', async () => {
    const email = createEmail()
    const phoneNumber = `+39${createPhone()}`
    const ids = [(await assignNew(shop, { email })).id, (await assignNew(shop, { phoneNumber })).id]
    for (const upsert of [false, true]) {
      const refused = await assign(shop, { email, phoneNumber, upsert })
      expect(formatVerdict(refused)).to.equal('409 LOYALTY_FIRST_ASSIGNMENT_EXISTING')
      expect(refused.body['existingIds']).to.deep.equal(ids.toSorted())
    }
  })

  it('gives points at once to somebody who has an account', async () => {
    const email = createEmail()
    const { account } = await buildBuyer(shop, email)
    const given = await assignNew(shop, { email })
    expect(given.status).to.equal('consumed')
    expect(await readGifts(shop, account)).to.deep.equal({ points: '25', gifts: ['assignment 25'] })
    expect((await assignNew(shop, { email })).status).to.equal('consumed')
    expect((await readGifts(shop, account)).points).to.equal('50')
  })

  it('gives nothing to an account in another application', async () => {
    const email = createEmail()
    const elsewhere = await buildShop()
    const { account } = await buildBuyer(elsewhere, email)
    expect((await assignNew(shop, { email })).status).to.equal('pending')
    expect((await readGifts(elsewhere, account)).points).to.equal('0')
  })

  it('refuses the contacts of two accounts', async () => {
    const email = createEmail()
    await buildBuyer(shop, email)
    const { number } = await signInByPhone(shop)
    const refused = await assign(shop, { email, phoneNumber: number })
    expect(formatVerdict(refused)).to.equal('422 VALIDATION_FAILED')
    expect(refused.body['errors']?.[0]).to.include({ path: 'phoneNumber', code: 'other_account' })
  })
})

describe('GET /v1/account-assignments', () => {
  it('lists pending ones, and consumed ones for those who ask', async () => {
    const shop = await buildShop()
    const email = createEmail()
    await buildBuyer(shop, email)
    const consumed = await assignNew(shop, { email })
    const pending = await assignNew(shop, { email: createEmail() })
    expect(await listAssignments(shop.api)).to.deep.equal([pending])
    expect(await listAssignments(shop.api, 'filters[status][eq]=consumed')).to.deep.equal([consumed])
    expect(await listAssignments(shop.api, `filters[id][eq]=${pending.id}&network=EthereumAnvil`)).to.have.length(1)
    expect(await listAssignments(shop.api, 'network=BaseSepolia')).to.deep.equal([])
    const sorted = await listAssignments(shop.api, 'sorters[0][field]=updatedAt&sorters[0][order]=asc')
    expect(sorted.map(({ id }) => id)).to.deep.equal([pending.id])
    expect(await listAssignments(shop.api, `filters[email][eq]=${pending.email?.toUpperCase()}`)).to.deep.equal([
      pending,
    ])
    expect((await shop.api.get(`${path}?filters[optimisticBalance][eq]=1`)).status).to.equal(400)
    expect((await shop.api.get(`${path}?network=Nowhere`)).status).to.equal(400)
  })
})

describe('PATCH /v1/account-assignments/:id', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })
  const change = (id: string, body: object) => shop.api.patch(`${path}/${id}`, body)

  it('changes the points of a pending one', async () => {
    const { id, updatedAt } = await assignNew(shop, { email: createEmail() })
    const changed = await change(id, { optimisticBalance: 7 })
    expect(changed.status, changed.text).to.equal(200)
    expect(changed.body).to.include({ id, optimisticBalance: '7' })
    expect(String(changed.body['updatedAt']) > updatedAt).to.equal(true)
  })

  it('refuses what would give nothing, an unknown tier, and every other member', async () => {
    const { id } = await assignNew(shop, { email: createEmail() })
    expect(formatVerdict(await change(id, { optimisticBalance: 0 }))).to.equal('422 VALIDATION_FAILED')
    expect(formatVerdict(await change(id, { rewardTier: randomUUID() }))).to.equal('422 ACCOUNT_REWARD_TIER_NOT_FOUND')
    for (const body of [{ email: 'a@b.example' }, { network: 'BaseSepolia' }, { status: 'consumed' }])
      expect(formatVerdict(await change(id, body))).to.equal('422 VALIDATION_FAILED')
    expect(formatVerdict(await change(randomUUID(), { optimisticBalance: 7 }))).to.equal('404 NOT_FOUND')
  })

  it('refuses to change one that an account got', async () => {
    const email = createEmail()
    const { account } = await buildBuyer(shop, email)
    const { id } = await assignNew(shop, { email })
    const refused = await change(id, { optimisticBalance: 7 })
    expect(formatVerdict(refused)).to.equal('422 VALIDATION_FAILED')
    expect(refused.body['errors']?.[0]).to.include({ path: 'status', code: 'consumed' })
    expect((await readGifts(shop, account)).points).to.equal('25')
  })

  it('refuses a version that has changed', async () => {
    const { id } = await assignNew(shop, { email: createEmail() })
    const read = await shop.api.get(`${path}/${id}`)
    await change(id, { optimisticBalance: 7 })
    const headers = { 'if-match': String(read.headers['etag']) }
    expect((await shop.api.patch(`${path}/${id}`, { optimisticBalance: 8 }, { headers })).status).to.equal(412)
    expect((await shop.api.delete(`${path}/${id}`, { headers })).status).to.equal(412)
  })
})

describe('DELETE /v1/account-assignments/:id', () => {
  it('deletes an assignment and answers it as it was', async () => {
    const shop = await buildShop()
    const email = createEmail()
    const assignment = await assignNew(shop, { email })
    const deleted = await shop.api.delete(`${path}/${assignment.id}`)
    expect(deleted.status, deleted.text).to.equal(200)
    expect(deleted.body).to.deep.equal(assignment)
    expect(formatVerdict(await shop.api.delete(`${path}/${assignment.id}`))).to.equal('404 NOT_FOUND')
    const { account } = await buildBuyer(shop, email)
    expect(await readGifts(shop, account)).to.deep.equal({ points: '0', gifts: [] })
  })

  it('leaves an account what it got', async () => {
    const shop = await buildShop()
    const email = createEmail()
    const { account } = await buildBuyer(shop, email)
    const { id } = await assignNew(shop, { email })
    expect((await shop.api.delete(`${path}/${id}`)).body).to.include({ status: 'consumed' })
    expect((await readGifts(shop, account)).points).to.equal('25')
  })
})
