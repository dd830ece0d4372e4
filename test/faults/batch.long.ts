import { cpus } from 'node:os'
import { expect } from 'chai'
import { transfersOf } from '../core/passports/chain.ts'
import { startPlatform, type OwnPlatform } from '../support/platform.ts'
import { ended } from './asking.ts'
import { keepFigures, rounded } from './figures.ts'
import { judge } from './judge.ts'
import { expectWhole, keepLines } from './kills.ts'
import { openShop } from './shop.ts'

const rows = 10_000

describe(`A batch of ${rows} passports`, () => {
  let platform: OwnPlatform

  before(async () => { platform = await startPlatform() })
  after(() => platform?.stop())
  afterEach(function () { keepLines(this, platform) })

  it('is minted by one job, every token on the chain once, by transactions that hold no other', async () => {
    const shop = await openShop(platform)
    const order = await shop.batch(rows)
    const begin = Date.now()
    const { job } = await order.send()
    await ended(() => order.status(job))
    const seconds = rounded((Date.now() - begin) / 1_000)
    const accepted = await order.check(job)
    expect(accepted).to.have.length(rows)
    const verdict = await judge(platform.rpc, accepted)
    expectWhole(verdict, 'the whole chain')
    expect(await shop.wrongEvents()).to.deep.equal([])
    const transfers = [...(await transfersOf(accepted[0]?.contract ?? '', platform.rpc)).values()].flat()
    keepFigures('batch', {
      command: 'npm run test:long -- test/faults/batch.long.ts', processors: cpus().length, rows, seconds,
      transactions: new Set(transfers.map(({ transactionHash }) => transactionHash)).size,
      tokensFound: verdict.found, duplicates: verdict.duplicates.length, lost: verdict.lost.length, events: 2 * rows,
    })
  })
}).timeout(600_000)
