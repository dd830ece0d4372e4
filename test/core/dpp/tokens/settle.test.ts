import { expect } from 'chai'
import type { TokenOperationKind, TokenOutcome } from '../../../../core/chains/port.ts'
import { settlePassports } from '../../../../core/features/dpp/index.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { abandonClaim } from '../../../support/dpp/jobs.ts'
import { queueBatchMint, queueClaim, type TokenPassport, type TokenUnit } from '../../../support/dpp/token-jobs.ts'
import { readClaimStatus, removeClaimOperation } from '../../../support/rows/dpp/claims.ts'
import { beginLateRun, completeLateRun } from '../../../support/rows/queue/late-runs.ts'
import { createEmail, getOperator } from '../../identity/people.ts'
import { waitForJob, listEventTypes, listOwners, readPassport, formatVerdict } from '../passports/fixtures.ts'
import {
  buildBuyer,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Buyer,
  type Shop,
} from '../../../support/world.ts'

const address = (digit: number) => `0x${String(digit).repeat(40)}`
const hash = (digit: number) => `0x${String(digit).repeat(64)}`

describe('Mint job: outcomes of chain operations', () => {
  let context: Context
  let shop: Shop
  let sheet: string
  let buyer: Buyer
  let email: string

  before(async () => {
    context = await getOperator()
    shop = await buildShop()
    sheet = await buildSheet(shop)
    email = createEmail('claimer')
    buyer = await buildBuyer(shop, email)
  })

  const settle = (outcomes: readonly TokenOutcome[]) =>
    context.db.transaction((trx) => settlePassports(context)(trx, outcomes))
  const jobOf = (id: string) => waitForJob(shop.api, `/v1/jobs/${id}`)

  function outcome(
    kind: TokenOperationKind,
    { tokenId, job, operation, line }: TokenUnit,
    more: Partial<TokenOutcome> = {},
  ): TokenOutcome {
    return {
      id: operation,
      kind,
      organization: shop.organization,
      application: shop.application,
      network: 'EthereumAnvil',
      tokenId,
      job,
      line,
      status: 'final',
      reason: null,
      contract: address(1),
      transactionHash: hash(1),
      from: null,
      owner: address(2),
      at: new Date(1.7e12),
      ...more,
    }
  }
  const failure = {
    status: 'failed',
    reason: 'The chain said no.',
    contract: null,
    transactionHash: null,
    owner: null,
    at: null,
  } as const

  /** Published passports that a batch mint waits for, whose operations no sender knows. */
  async function batch(size: number): Promise<TokenUnit[]> {
    const passports = await Promise.all(
      Array.from({ length: size }, () => buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })),
    )
    return queueBatchMint(context, { ...shop, sheet, passports })
  }

  /** A pending claim of a published passport, whose operation no sender knows. */
  async function claim(kind: 'mintTo' | 'transferTo', passport: TokenPassport): Promise<TokenUnit & { token: string }> {
    const { body } = await shop.api.get(`/v1/dpp/passports/${passport.id}/magic-token`)
    const unit = await queueClaim(context, { ...shop, account: buyer.account, kind, passport })
    return { ...unit, token: String(body['token']) }
  }

  it('end the job of a batch with the last one', async () => {
    const [first, second, third] = (await batch(3)) as [TokenUnit, TokenUnit, TokenUnit]
    await settle([outcome('mintToIssuer', first), outcome('mintToIssuer', second)])
    expect((await shop.api.get(`/v1/jobs/${first.job}`)).body).to.include({ status: 'pending', completed: 2 })
    await settle([outcome('mintToIssuer', third, failure)])
    const job = await jobOf(first.job)
    expect(job).to.deep.include({
      status: 'completed',
      completed: 2,
      failed: 1,
      errors: [{ line: 2, code: 'MINT_FAILED', message: 'The chain said no.' }],
    })
    expect((await readPassport(shop.api, first.id)).token).to.deep.equal({
      contract: address(1),
      transactionHash: hash(1),
      owner: address(2),
    })
    expect((await readPassport(shop.api, third.id)).token).to.equal(null)
    expect(formatVerdict(await shop.api.delete(`/v1/dpp/passports/${first.id}`))).to.equal(
      '409 DPP_PASSPORT_ALREADY_MINTED',
    )
    expect((await shop.api.delete(`/v1/dpp/passports/${third.id}`)).status).to.equal(200)
  })

  it('fail the batch when all are failures', async () => {
    const units = await batch(2)
    await settle(units.map((unit) => outcome('mintToIssuer', unit, failure)))
    expect(await jobOf(units[0]?.job ?? '')).to.deep.include({ status: 'failed', completed: 0, failed: 2 })
  })

  it('change facts and nothing else when they come again after a reorganization', async () => {
    const [unit] = (await batch(1)) as [TokenUnit]
    await settle([outcome('mintToIssuer', unit)])
    const before = await jobOf(unit.job)
    await settle([outcome('mintToIssuer', unit, { transactionHash: hash(7), at: new Date(1.8e12) })])
    expect(await jobOf(unit.job)).to.deep.equal(before)
    expect((await readPassport(shop.api, unit.id)).token?.transactionHash).to.equal(hash(7))
    expect(await listOwners(unit.id)).to.deep.equal([
      { type: 'mint', from: null, to: address(2), transactionHash: hash(7), at: new Date(1.8e12).toISOString() },
    ])

    const claimed = await claim('transferTo', unit)
    const moved = { from: address(2), owner: buyer.address, transactionHash: hash(8) }
    await settle([outcome('transferTo', claimed, moved)])
    expect((await jobOf(claimed.job)).result).to.deep.equal({
      transactionHash: hash(8),
      tokenId: unit.tokenId,
      passport: unit.id,
    })
    const events = await listEventTypes(shop, unit.id)
    expect(events).to.deep.equal(['create', 'publish', 'claim', 'transfer'])
    await settle([outcome('mintToIssuer', unit, { transactionHash: hash(9) })])
    await settle([outcome('transferTo', claimed, { ...moved, transactionHash: hash(6) })])
    expect(await listEventTypes(shop, unit.id)).to.deep.equal(events)
    const passport = await readPassport(shop.api, unit.id)
    expect(passport).to.include({ status: 'claimed' })
    expect(passport.token).to.deep.equal({ contract: address(1), transactionHash: hash(9), owner: buyer.address })
    expect((await listOwners(unit.id)).map(({ transactionHash }) => transactionHash)).to.deep.equal([hash(9), hash(6)])
    expect(await jobOf(claimed.job)).to.deep.include({
      status: 'completed',
      completed: 1,
      result: { transactionHash: hash(6), tokenId: unit.tokenId, passport: unit.id },
    })
  })

  it('end a claim with the newest hash when they come again', async () => {
    const unit = await claim('mintTo', await buildPublishedPassport(shop, sheet))
    const run = await beginLateRun(context.db, unit.job)
    await settle([outcome('mintTo', unit, { owner: buyer.address })])
    expect((await shop.api.get(`/v1/jobs/${unit.job}`)).body).to.include({ status: 'pending', completed: 1 })
    await settle([outcome('mintTo', unit, { owner: buyer.address, transactionHash: hash(5) })])
    const late = await completeLateRun(context.db, unit.job, { run, result: { transactionHash: hash(1) } })
    expect(late, 'whether the late run writes').to.equal(false)
    expect((await jobOf(unit.job)).result).to.include({ transactionHash: hash(5) })
  })

  it('give back the token and the passport when a claim fails', async () => {
    const passport = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })
    const unit = await claim('mintTo', passport)
    expect(formatVerdict(await buyer.post('/v1/dpp/claim', { passport: unit.id }))).to.equal(
      '409 DPP_PASSPORT_NOT_CLAIMABLE',
    )
    expect(formatVerdict(await buyer.post('/v1/dpp/claim/magicToken', { magicToken: unit.token }))).to.equal(
      '400 DPP_MAGIC_TOKEN_INVALID',
    )
    await settle([outcome('mintTo', unit, failure)])
    expect(await jobOf(unit.job)).to.deep.include({
      status: 'failed',
      completed: 0,
      failed: 1,
      result: null,
      errors: [{ line: 0, code: 'CLAIM_FAILED', message: 'The chain said no.' }],
    })
    expect((await shop.api.get(`/v1/dpp/passports/${unit.id}/magic-token`)).body).to.include({ token: unit.token })
    const again = await buyer.post('/v1/dpp/claim/magicToken', { magicToken: unit.token })
    expect((await waitForJob(buyer, `/v1/dpp/claim/${again.body['jobId']}/status`)).status).to.equal('completed')
    expect(await listEventTypes(shop, unit.id)).to.deep.equal(['create', 'publish', 'claim'])
  })

  it('leave an archived passport archived, with its owner', async () => {
    const passport = await buildPublishedPassport(shop, sheet)
    const unit = await claim('mintTo', passport)
    await shop.api.patch(`/v1/dpp/passports/${unit.id}`, { status: 'archived' })
    await settle([outcome('mintTo', unit, { owner: buyer.address })])
    expect((await jobOf(unit.job)).status).to.equal('completed')
    const shown = await readPassport(shop.api, unit.id)
    expect(shown.status).to.equal('archived')
    expect(shown.mintedTo?.id).to.equal(buyer.account)
  })

  it('are waited for by a claim that is given up after it was queued, and by no other', async () => {
    const abandon = async ({ job }: TokenUnit) => {
      await abandonClaim(context, job)
      return readClaimStatus(context.db, job)
    }
    const queued = await claim('mintTo', await buildPublishedPassport(shop, sheet))
    expect(await abandon(queued)).to.equal('pending')
    const waiting = await claim('mintTo', await buildPublishedPassport(shop, sheet))
    await removeClaimOperation(context.db, waiting.job)
    expect(await abandon(waiting)).to.equal('failed')
    const { body } = await shop.api.get(`/v1/dpp/passports/${waiting.id}/magic-token`)
    expect(body).to.include({ token: waiting.token })
  })
})
