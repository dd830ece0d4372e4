import { expect } from 'chai'
import { createEmail, signInBuyer, signInMember } from '../../core/identity/people.ts'
import { buildMember, buildShop, type Shop } from '../../support/world.ts'
import { createVisitor, readText, type Visitor } from '../certification/forms.ts'
import { countThings, readCalls, startDemo, waitForEnd } from './scenes.ts'

const readFailures = (text: string) => readCalls(text).filter(({ result }) => result === 'not as expected')

describe('Console: demo environment, scenario loyalty', function () {
  this.timeout(240_000)
  let shop: Shop
  let owner: Visitor
  before(async () => {
    shop = await buildShop()
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
  })

  it('makes a programme in an application of its own, and leaves nothing of it behind', async () => {
    const earlier = await countThings(shop.api)
    const run = await startDemo(owner, { scenario: 'loyalty' })
    expect(readFailures(await waitForEnd(owner, run))).to.deep.equal([])
    expect(await countThings(shop.api)).to.deep.equal({
      ...earlier,
      applications: earlier.applications + 1,
      tiers: earlier.tiers + 3,
      assignments: earlier.assignments + 20,
    })
    await owner.submit(`${run}/prepare`)
    const again = readCalls(await waitForEnd(owner, run))
    expect(again.filter(({ result }) => result === 'done')).to.deep.equal([])
    await owner.submit(`${run}/remove`)
    const text = await waitForEnd(owner, run)
    expect(readFailures(text)).to.deep.equal([])
    expect(readText({ text } as never)).to.contain('Nothing of it stays')
    expect(await countThings(shop.api)).to.deep.equal(earlier)
  })

  it('fills an application that is chosen, leaves what was there, and says what stays', async () => {
    const { application, api } = shop
    await signInBuyer(application, createEmail('first'))
    const own = { application, name: 'Ours', requiredVisits: 5, currencyToPointRatio: 1 }
    expect((await api.post('/v1/loyalty/reward-tiers', own)).status).to.equal(201)
    const earlier = await countThings(api)
    const run = await startDemo(owner, { scenario: 'loyalty', application })
    const made = await waitForEnd(owner, run)
    expect(readFailures(made)).to.deep.equal([])
    expect(readCalls(made).find(({ step }) => step.startsWith('tier Silver'))).to.include({ result: 'stays' })
    expect(await countThings(api)).to.include({ tiers: earlier.tiers + 2, orders: earlier.orders + 1 })
    await owner.submit(`${run}/remove`)
    const removed = await waitForEnd(owner, run)
    expect(readFailures(removed)).to.deep.equal([])
    expect(removed).to.contain('a ledger keeps every entry')
    expect(await countThings(api)).to.deep.equal({ ...earlier, orders: earlier.orders + 2 })
  })

  it('refuses a size, a network and an application that cannot be, and keeps what was chosen', async () => {
    const other = await buildShop()
    const fields = { scenario: 'passport', application: '', size: '1', network: 'EthereumAnvil' }
    for (const wrong of [
      { size: '0' },
      { size: '26' },
      { size: '2.5' },
      { network: 'BaseMainnet' },
      { application: other.application },
      { scenario: 'invest' },
    ]) {
      const answer = await owner.submit('/console/demo', { ...fields, ...wrong })
      expect(answer.status, JSON.stringify(wrong)).to.equal(422)
      expect(answer.text, JSON.stringify(wrong)).to.contain('role="alert"')
    }
    expect((await owner.submit('/console/demo', { ...fields, scenario: 'party' })).status).to.equal(422)
    expect((await owner.submit('/console/demo', fields, 'https://elsewhere.example')).status).to.equal(403)
  })
})

describe('Console: demo environment, scenario full', function () {
  this.timeout(300_000)

  it('is run once at a time, as far as the member may, and goes on when another member has it go on', async () => {
    const shop = await buildShop()
    const earlier = await countThings(shop.api)
    const owner = createVisitor(await signInMember(shop.owner, shop.organization))
    const email = await buildMember(shop.organization, 'admin')
    const admin = createVisitor(await signInMember(email, shop.organization))
    const [run = '', second] = await Promise.all([1, 2].map(() => startDemo(admin, { scenario: 'full', size: '3' })))
    expect(second).to.equal(run)
    expect(await startDemo(owner, { scenario: 'loyalty' })).to.equal(run)
    const members = await shop.api.get(`/v1/organizations/${shop.organization}/members?pageSize=100`)
    const rows = members.body['data'] as unknown as { id: string; user: { email: string } }[]
    const member = rows.find(({ user }) => user.email === email)
    const change = await shop.api.patch(`/v1/organizations/${shop.organization}/members/${member?.id}`, {
      role: 'viewer',
    })
    expect(change.status, change.text).to.equal(200)
    const stopped = await waitForEnd(owner, run)
    expect(readText({ text: stopped } as never)).to.contain('stopped')
    expect(readCalls(stopped).at(-1)?.answer).to.contain('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect((await admin.open(run)).status).to.equal(403)
    await owner.submit(`${run}/prepare`)
    expect(readFailures(await waitForEnd(owner, run))).to.deep.equal([])
    expect(await countThings(shop.api)).to.deep.equal({
      ...earlier,
      applications: earlier.applications + 1,
      sheets: earlier.sheets + 2,
      passports: earlier.passports + 6,
      tiers: earlier.tiers + 3,
      assignments: earlier.assignments + 20,
    })
    await owner.submit(`${run}/remove`)
    expect(readFailures(await waitForEnd(owner, run))).to.deep.equal([])
    expect(await countThings(shop.api)).to.include({ tiers: earlier.tiers, assignments: earlier.assignments })
  })
})
