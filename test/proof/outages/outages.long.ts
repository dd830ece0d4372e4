import { cpus } from 'node:os'
import { expect } from 'chai'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { keepFigures, roundToHundredths, computeSpread, sumBy } from '../../figures/keep-figures.ts'
import { keepPlatformLines } from '../kills/kills.ts'
import { endureOutage, lastOutages, longOutages, outages, type EnduredOutage, type Outage } from './outages.ts'
import { createRandom } from '../../support/values/random.ts'
import { drawBetween } from '../stage/kill-plans.ts'
import { openShop, type Shop } from '../stage/shop.ts'

const seed = Number(process.env['TEST_SEED'] ?? 20_261_120)
const each = Number(process.env['TEST_OUTAGES'] ?? 3)
/** All that comes back, in turn; at the end what does not. */
const planned = [{ ...outages, ...longOutages }, lastOutages].flatMap((kind: Record<string, Outage>) =>
  Array.from({ length: each }, (_, at) =>
    Object.entries(kind).map(([what, outage]) => ({ round: at + 1, what, outage })),
  ).flat(),
)

const say = (line: string) => process.stdout.write(`      ${line}\n`)

describe(`Mint and claim during outages, ${each} times, seed ${seed}`, function () {
  this.bail(true)
  const random = createRandom(seed)
  const found = new Map<string, EnduredOutage[]>()
  let platform: OwnPlatform
  let shop: Shop

  before(async () => {
    platform = await startPlatform({ keeperDelays: { maxMs: 200 } })
    shop = await openShop(platform)
  })
  after(() => platform?.stop())
  afterEach(function () {
    keepPlatformLines(this, platform)
  })

  for (const { round, what, outage } of planned) {
    it(`mints and claims each token once when ${what}, ${round}`, async () => {
      const [rows, claims] = [drawBetween(random, 600, 1200), drawBetween(random, 2, 5)]
      const [seconds, delay] = [drawBetween(random, 5, 12), drawBetween(random, 0, 200)]
      const one = await endureOutage(platform, shop, outage, { rows, claims, seconds, delay })
      found.set(what, [...(found.get(what) ?? []), one])
      const {
        awaySeconds,
        backSeconds,
        wholeSeconds,
        verdict: { found: tokens, expected },
      } = one
      say(
        `away ${roundToHundredths(awaySeconds)} s, jobs done ${roundToHundredths(backSeconds)} s later, after ${roundToHundredths(wholeSeconds)} s `
          + `${tokens} of ${expected} tokens on the chain`,
      )
      expect(tokens).to.equal(expected)
    })
  }

  it('writes every event once', async () => {
    const wrongEvents = await shop.wrongEvents()
    expect(wrongEvents).to.deep.equal([])
    keepFigures('proof/outages', {
      command: 'npm run test:long -- test/proof/outages/outages.long.ts',
      seed,
      processors: cpus().length,
      wrongEvents: wrongEvents.length,
      outages: [...found].map(([outage, all]) => ({
        outage,
        times: all.length,
        secondsAway: computeSpread(all.map(({ awaySeconds }) => awaySeconds)),
        secondsUntilJobsDone: computeSpread(all.map(({ backSeconds }) => backSeconds)),
        secondsUntilChainRead: computeSpread(all.map(({ wholeSeconds }) => wholeSeconds)),
        tokensAtTheEnd: all.at(-1)?.verdict.found,
        lost: sumBy(all, ({ verdict }) => verdict.lost.length),
        duplicates: sumBy(all, ({ verdict }) => verdict.duplicates.length),
      })),
    })
  })
}).timeout(600_000)
