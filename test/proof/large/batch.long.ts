import { cpus } from 'node:os'
import { expect } from 'chai'
import { listTransfers } from '../../core/dpp/passports/chain.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { waitForJobEnd } from '../stage/retried-requests.ts'
import { keepFigures, roundToHundredths } from '../../figures/keep-figures.ts'
import { checkMintedTokens } from '../stage/minted-tokens.ts'
import { expectWhole, keepPlatformLines } from '../kills/kills.ts'
import { openShop } from '../stage/shop.ts'

const rows = 10_000

describe(`Mint job of ${rows} passports`, () => {
  let platform: OwnPlatform

  before(async () => {
    platform = await startPlatform()
  })
  after(() => platform?.stop())
  afterEach(function () {
    keepPlatformLines(this, platform)
  })

  it('is minted by one job, every token on the chain once, by transactions that hold no other', async () => {
    const shop = await openShop(platform)
    const order = await shop.batch(rows)
    const begin = Date.now()
    const { job } = await order.send()
    await waitForJobEnd(() => order.status(job))
    const seconds = roundToHundredths((Date.now() - begin) / 1_000)
    const accepted = await order.check(job)
    expect(accepted).to.have.length(rows)
    const verdict = await checkMintedTokens(platform.rpc, accepted)
    expectWhole(verdict, 'the whole chain')
    expect(await shop.wrongEvents()).to.deep.equal([])
    const transfers = [...(await listTransfers(accepted[0]?.contract ?? '', platform.rpc)).values()].flat()
    keepFigures('proof/batch', {
      command: 'npm run test:long -- test/proof/large/batch.long.ts',
      processors: cpus().length,
      rows,
      seconds,
      transactions: new Set(transfers.map(({ transactionHash }) => transactionHash)).size,
      tokensFound: verdict.found,
      duplicates: verdict.duplicates.length,
      lost: verdict.lost.length,
      events: 2 * rows,
    })
  })
}).timeout(600_000)
