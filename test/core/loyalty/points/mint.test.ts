import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { waitUntil } from '../../../support/processes.ts'
import { countSharedTransaction } from '../../../support/rows/ledger/entries.ts'
import { buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { getOperator } from '../../identity/people.ts'
import { getAccepted, listEntries, mint, waitForPoints } from './fixtures.ts'

describe('POST /v1/loyalty/account/:id/mint', () => {
  let shop: Shop
  let account: string
  before(async () => {
    shop = await buildShop()
  })
  beforeEach(async () => {
    ;({ account } = await buildBuyer(shop))
  })

  it('credits the account at once, and its job ends with all entries', async () => {
    const first = await mint(shop.api, account, { amount: 120, reason: 'Welcome' })
    const accepted = getAccepted(first)
    expect(accepted).to.deep.include({ amount: '120', optimisticBalance: '120' })
    expect(first.headers['location']).to.equal(`/v1/jobs/${accepted.jobId}`)
    const second = getAccepted(await mint(shop.api, account, { amount: '30' }))
    expect(second.optimisticBalance).to.equal('150')
    expect(second.operationId).not.to.equal(accepted.operationId)
    const job = await waitForPoints(shop.api, second)
    expect(job).to.deep.include({ type: 'points', status: 'completed', failed: 0 })
    expect(job.completed).to.equal(job.total).and.to.be.above(0)
  })

  it('credits amounts beyond the numbers of JavaScript as text', async () => {
    const accepted = getAccepted(await mint(shop.api, account, { amount: '9007199254740993' }))
    expect(accepted).to.deep.include({ amount: '9007199254740993', optimisticBalance: '9007199254740993' })
    const [entry] = await listEntries(shop.api, account)
    expect(entry?.postings[0]?.amount).to.equal('9007199254740993')
  })

  it('gathers the entries of an application that come together in one job', async () => {
    const quiet = await buildShop()
    const accounts = [(await buildBuyer(quiet)).account, (await buildBuyer(quiet)).account]
    const [first, second, foreign] = (
      await Promise.all([
        ...accounts.map((one) => mint(quiet.api, one, { amount: 1 })),
        mint(shop.api, account, { amount: 1 }),
      ])
    ).map(getAccepted)
    expect(second?.jobId).to.equal(first?.jobId)
    expect(foreign?.jobId).not.to.equal(first?.jobId)
    expect(first && (await waitForPoints(quiet.api, first))).to.deep.include({ total: 2, completed: 2 })
  })

  it('lets credits of one organization that come together share a transaction, more than it has turns', async () => {
    const { db } = await getOperator()
    await waitUntil('more than eight share one', async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => mint(shop.api, account, { amount: 1 })))
      return (
        (await countSharedTransaction(
          db,
          answers.map((answer) => getAccepted(answer).operationId),
        )) > 8
      )
    })
  })

  for (const [amount, code] of [
    [0, 'min_value'],
    [-1, 'min_value'],
    ['0', 'min_value'],
    [1.5, 'type'],
    [2 ** 53, 'max_value'],
    ['-5', 'format'],
    [' 5', 'format'],
    ['5 ', 'format'],
    ['1e3', 'format'],
    ['05', 'format'],
    ['1000000000000000000', 'format'],
    [true, 'type'],
    [null, 'type'],
  ] as const) {
    it(`refuses the amount ${JSON.stringify(amount)}`, async () => {
      const answer = await mint(shop.api, account, { amount })
      expect(answer.status, answer.text).to.equal(422)
      const [first] = getBody<{ errors: { path: string; code: string }[] }>(answer).errors
      expect(first).to.deep.include({ path: 'amount', code })
      expect(await listEntries(shop.api, account)).to.deep.equal([])
    })
  }

  it('refuses what would leave more than an account can have, and keeps what there is', async () => {
    await mint(shop.api, account, { amount: '999999999999999999' })
    const answer = await mint(shop.api, account, { amount: 1 })
    expect(formatVerdict(answer)).to.equal('422 VALIDATION_FAILED')
    expect(getBody<{ errors: { path: string; code: string }[] }>(answer).errors[0]).to.deep.include({
      path: 'amount',
      code: 'max_value',
    })
    expect(await listEntries(shop.api, account)).to.have.length(1)
  })

  it('does not find an account of another organization, or none', async () => {
    const foreign = await buildShop()
    for (const id of [account, randomUUID()])
      expect(formatVerdict(await mint(foreign.api, id, { amount: 1 }))).to.equal('404 LOYALTY_ACCOUNT_NOT_FOUND')
    expect(await listEntries(shop.api, account)).to.deep.equal([])
  })

  it('leaves an event of the wallet', async () => {
    await mint(shop.api, account, { amount: 1 })
    const events = await shop.api.get(`/v1/events?filters[subject][eq]=wallet&filters[type][eq]=update&pageSize=1`)
    expect(getBody<{ data: { application: { id: string } }[] }>(events).data[0]?.application.id).to.equal(
      shop.application,
    )
  })

  it('is done once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const first = getAccepted(await mint(shop.api, account, { amount: 5 }, headers))
    const second = getAccepted(await mint(shop.api, account, { amount: 5 }, headers))
    expect(second).to.deep.equal(first)
    expect(await listEntries(shop.api, account)).to.have.length(1)
  })
})
