import { cpus } from 'node:os'
import { expect } from 'chai'
import { startPlatform, type OwnPlatform } from '../support/platform.ts'
import { keepFigures, rounded, spread, sumOf } from './figures.ts'
import { keepLines } from './kills.ts'
import { endure, lastOutages, longOutages, outages, type Endured, type Outage } from './outages.ts'
import { between, randomOf } from './plans.ts'
import { openShop, type Shop } from './shop.ts'

const seed = Number(process.env['TEST_SEED'] ?? 20_261_120)
const each = Number(process.env['TEST_OUTAGES'] ?? 3)
/** All that comes back, in turn; at the end what does not. */
const planned = [{ ...outages, ...longOutages }, lastOutages].flatMap((kind: Record<string, Outage>) =>
  Array.from({ length: each }, (_, at) =>
    Object.entries(kind).map(([what, outage]) => ({ round: at + 1, what, outage }))).flat())

const say = (line: string) => process.stdout.write(`      ${line}\n`)

describe(`Tokens are minted and claimed once, ${each} times, seed ${seed}`, function () {
  this.bail(true)
  const random = randomOf(seed)
  const found = new Map<string, Endured[]>()
  let platform: OwnPlatform
  let shop: Shop

  before(async () => {
    platform = await startPlatform({ patience: { pause: 200 } })
    shop = await openShop(platform)
  })
  after(() => platform?.stop())
  afterEach(function () { keepLines(this, platform) })

  for (const { round, what, outage } of planned) {
    it(`when ${what}, ${round}`, async () => {
      const [rows, claims] = [between(random, 600, 1200), between(random, 2, 5)]
      const [seconds, delay] = [between(random, 5, 12), between(random, 0, 200)]
      const one = await endure(platform, shop, outage, { rows, claims, seconds, delay })
      found.set(what, [...found.get(what) ?? [], one])
      const { away, back, whole, verdict: { found: tokens, expected } } = one
      say(`away ${rounded(away)} s, jobs done ${rounded(back)} s later, after ${rounded(whole)} s `
        + `${tokens} of ${expected} tokens on the chain`)
      expect(tokens).to.equal(expected)
    })
  }

  it('and every event is there once', async () => {
    const wrongEvents = await shop.wrongEvents()
    expect(wrongEvents).to.deep.equal([])
    keepFigures('outages', {
      command: 'npm run test:long -- test/faults/outages.long.ts',
      seed, processors: cpus().length, wrongEvents: wrongEvents.length,
      outages: [...found].map(([outage, all]) => ({
        outage, times: all.length,
        secondsAway: spread(all.map(({ away }) => away)),
        secondsUntilJobsDone: spread(all.map(({ back }) => back)),
        secondsUntilChainRead: spread(all.map(({ whole }) => whole)),
        tokensAtTheEnd: all.at(-1)?.verdict.found,
        lost: sumOf(all, ({ verdict }) => verdict.lost.length),
        duplicates: sumOf(all, ({ verdict }) => verdict.duplicates.length),
      })),
    })
  })
}).timeout(600_000)
