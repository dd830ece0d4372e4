import { expect } from 'chai'
import type { TokenOutcome } from '../../../../core/chains/port.ts'
import { settlePassports } from '../../../../core/features/dpp/index.ts'
import { queueClaim, type TokenUnit } from '../../../support/dpp/token-jobs.ts'
import {
  buildBuyer,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Buyer,
  type Shop,
} from '../../../support/world.ts'
import { waitForJob } from '../../dpp/passports/fixtures.ts'
import { createEmail, getOperator } from '../../identity/people.ts'
import { countPassports } from './accounts.maker.ts'

const hash = (digit: number) => `0x${String(digit).repeat(64)}`

describe('GET /v1/accounts/{id}: dpp', () => {
  let shop: Shop
  let sheet: string
  let buyer: Buyer
  let email: string
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
  })
  beforeEach(async () => {
    email = createEmail('claimer')
    buyer = await buildBuyer(shop, email)
  })

  const readDpp = async () => (await shop.api.get(`/v1/accounts/${buyer.account}`)).body['dpp']

  it('counts the passports that were claimed on the chain, with the time of the newest', async () => {
    const times: string[] = []
    for (let round = 0; round < 2; round++) {
      const passport = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })
      const { body } = await buyer.post('/v1/dpp/claim', { passport: passport.id })
      expect((await waitForJob(buyer, `/v1/dpp/claim/${body['jobId']}/status`)).status).to.equal('completed')
      const owners = await shop.api.get(`/v1/dpp/passports/${passport.id}/ownership`)
      times.push((owners.body as unknown as { at: string }[])[0]?.at ?? '')
    }
    expect(await readDpp()).to.deep.equal({ isActive: true, passportCount: 2, lastActivityAt: times[1] })
    const found = await shop.api.get(`/v1/dpp/passports?filters[mintedTo.id][eq]=${buyer.account}`)
    expect(found.body['total']).to.equal(2)
  })

  it('counts several claims that are settled together, and none of them twice after a reorganization', async () => {
    const context = await getOperator()
    const claim = async () => {
      const passport = await buildPublishedPassport(shop, sheet)
      return queueClaim(context, { ...shop, account: buyer.account, kind: 'mintTo', passport })
    }
    const createOutcome = ({ tokenId, job, operation, line }: TokenUnit, at: string): TokenOutcome => ({
      id: operation,
      kind: 'mintTo',
      organization: shop.organization,
      application: shop.application,
      network: 'EthereumAnvil',
      tokenId,
      job,
      line,
      status: 'final',
      reason: null,
      contract: `0x${'1'.repeat(40)}`,
      transactionHash: hash(1),
      from: null,
      owner: buyer.address,
      at: new Date(at),
    })
    const settle = (outcomes: readonly TokenOutcome[]) =>
      context.db.transaction((trx) => settlePassports(context)(trx, outcomes))
    const [first, second, third] = [await claim(), await claim(), await claim()]
    const made = [
      createOutcome(first, '2026-03-02T10:00:00.000Z'),
      createOutcome(second, '2026-03-01T10:00:00.000Z'),
      { ...createOutcome(third, '2026-03-03T10:00:00.000Z'), status: 'failed' as const, at: null, owner: null },
    ]
    await settle(made)
    const expected = { isActive: true, passportCount: 2, lastActivityAt: '2026-03-02T10:00:00.000Z' }
    expect(await readDpp()).to.deep.equal(expected)
    await settle(made.slice(0, 2).map((one) => ({ ...one, transactionHash: hash(2), at: new Date('2026-03-09') })))
    expect(await readDpp()).to.deep.equal(expected)
  })

  it('counts down to none and never moves the time back', async () => {
    await countPassports(buyer.account, 2, '2026-03-02T10:00:00.000Z')
    await countPassports(buyer.account, -2, '2026-03-01T10:00:00.000Z')
    expect(await readDpp()).to.deep.equal({
      isActive: false,
      passportCount: 0,
      lastActivityAt: '2026-03-02T10:00:00.000Z',
    })
  })

  it('loses no change when many are made at the same moment', async () => {
    const at = '2026-03-02T10:00:00.000Z'
    await Promise.all(Array.from({ length: 40 }, () => countPassports(buyer.account, 1, at)))
    expect(await readDpp()).to.deep.include({ passportCount: 40 })
  })
})
