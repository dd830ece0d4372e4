import { expect } from 'chai'
import type { PointsOutcome } from '../../../../core/chains/port.ts'
import { registry } from '../../../../core/app/registry.ts'
import { buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { getOperator } from '../../identity/people.ts'
import type { ShownAccount } from '../accounts/accounts.maker.ts'
import { burn, getAccepted, listEntries, listOrders, mint, waitForPoints, type Accepted } from './fixtures.ts'

const unsentNetwork = 'XdcApothem'

describe('Points on the chain', function () {
  this.timeout(120_000)
  let shop: Shop
  let account: string
  before(async () => {
    shop = await buildShop()
  })
  beforeEach(async () => {
    ;({ account } = await buildBuyer(shop))
  })

  /** What the account can spend, and what is final on the chain. */
  const readBalances = async () => {
    const { loyalty } = getBody<ShownAccount>(await shop.api.get(`/v1/accounts/${account}`))
    return [loyalty['optimisticBalance'], loyalty['settledBalance']]
  }

  it('follow the ledger: the balance at once, the settled balance with the job, each with its transaction', async () => {
    getAccepted(await mint(shop.api, account, { amount: 100 }))
    const accepted = getAccepted(await burn(shop.api, account, { amount: 30 }))
    expect((await readBalances())[0]).to.equal('70')
    expect(await waitForPoints(shop.api, accepted)).to.deep.include({ status: 'completed', failed: 0 })
    expect(await readBalances()).to.deep.equal(['70', '70'])
    for (const { chain, transactionHash } of await listEntries(shop.api, account)) {
      expect(chain).to.equal('final')
      expect(transactionHash).to.match(/^0x[0-9a-f]{64}$/)
    }
  })

  const settle = async (
    { operationId, jobId }: Accepted,
    status: PointsOutcome['status'],
    hash: string,
    network: PointsOutcome['network'] = 'EthereumAnvil',
  ) => {
    const context = await getOperator()
    const handlers = registry.createOutcomeHandlers(context)
    await context.db.transaction((trx) =>
      handlers.points(trx, [
        {
          id: operationId,
          kind: 'postPoints',
          organization: shop.organization,
          application: shop.application,
          network,
          job: jobId,
          status,
          reason: status === 'failed' ? 'The contract is full.' : null,
          contract: null,
          transactionHash: status === 'final' ? hash : null,
          at: new Date(),
        },
      ]),
    )
  }

  it('are no longer settled when the chain drops their block, and are again, once, with the next one', async () => {
    const accepted = getAccepted(await mint(shop.api, account, { amount: 50 }))
    await waitForPoints(shop.api, accepted)
    await settle(accepted, 'undone', '')
    expect(await readBalances()).to.deep.equal(['50', '0'])
    const hash = `0x${'ab'.repeat(32)}`
    for (let time = 0; time < 2; time++) await settle(accepted, 'final', hash)
    expect(await readBalances()).to.deep.equal(['50', '50'])
    const [entry] = await listEntries(shop.api, account)
    expect(entry).to.deep.include({ chain: 'final', transactionHash: hash })
  })

  it('fail with their job where the chain refuses them; the ledger keeps what it counted', async () => {
    // Nobody sends on this network here, so only the test says what becomes of the entries.
    await shop.api.patch(`/v1/applications/${shop.application}`, { defaultNetwork: unsentNetwork })
    ;({ account } = await buildBuyer(shop))
    const refused = getAccepted(await mint(shop.api, account, { amount: 50 }))
    await settle(refused, 'failed', '', unsentNetwork)
    const job = await waitForPoints(shop.api, refused)
    expect(job).to.deep.include({ status: 'failed', total: 1, completed: 0, failed: 1 })
    const message = `${refused.operationId}: The contract is full.`
    expect(job.errors).to.deep.include({ line: 0, code: 'POINTS_FAILED', message })
    const [order] = await listOrders(shop.api, `walletId=${account}`)
    expect(order).to.deep.include({ status: 'failed', points: '50', transactionHash: null })
    expect((await listEntries(shop.api, account))[0]?.chain).to.equal('failed')
    expect(await readBalances()).to.deep.equal(['50', '0'])
    const mixed = [
      getAccepted(await mint(shop.api, account, { amount: 1 })),
      getAccepted(await burn(shop.api, account, { amount: 2 })),
    ] as const
    await settle(mixed[0], 'failed', '', unsentNetwork)
    await settle(mixed[1], 'final', `0x${'cd'.repeat(32)}`, unsentNetwork)
    const ended = await Promise.all(mixed.map((accepted) => waitForPoints(shop.api, accepted)))
    expect(ended[1]).to.deep.include({ status: 'completed' })
    expect(ended[0]?.errors[0]).to.deep.include({ code: 'POINTS_FAILED' })
    expect(await readBalances()).to.deep.equal(['49', '-2'])
  })
})
