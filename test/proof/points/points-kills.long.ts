import { cpus } from 'node:os'
import { expect } from 'chai'
import { computeSpread, keepFigures, roundToHundredths, sumBy } from '../../figures/keep-figures.ts'
import { keepPlatformLines } from '../kills/kills.ts'
import { createRandom } from '../../support/values/random.ts'
import { drawBetween } from '../stage/kill-plans.ts'
import {
  killedParts,
  killPoints,
  openPointsKills,
  type KilledPart,
  type PointsKill,
  type PointsKillPlan,
  type PointsKills,
} from './points-kills.ts'
import { pointsActs } from './acts.ts'

const seed = Number(process.env['TEST_SEED'] ?? 20_261_125)
const killCount = Number(process.env['TEST_KILLS'] ?? 300)
/** Tries that a planned kill has to come to its point. */
const maxTries = 3
const printLine = (line: string) => process.stdout.write(`      ${line}\n`)

/** The parts in turn; of processes with points two of three kills are at a point, the next in turn. */
function createPlans(random: () => number): PointsKillPlan[] {
  return Array.from({ length: killCount }, (_, at) => {
    const part = killedParts[at % killedParts.length] ?? 'server'
    const round = Math.floor(at / killedParts.length)
    const points = killPoints[part]
    // Two of three rounds are at a point, and these are counted by themselves, so that each point has its turn.
    const turn = 2 * Math.floor(round / 3) + (round % 3)
    const point = points && round % 3 !== 2 ? (points[turn % points.length] ?? null) : null
    return { part, point, delayMs: drawBetween(random, 0, 1_500), acts: drawBetween(random, 6, 24) }
  })
}

describe(`Points while parts of the platform are killed, ${killCount} times, seed ${seed}`, function () {
  this.bail(true)
  const plans = createPlans(createRandom(seed))
  const kills: PointsKill[] = []
  let missed = 0
  let target: PointsKills

  before(async () => {
    target = await openPointsKills(seed)
  })
  after(() => target?.stop())
  afterEach(function () {
    keepPlatformLines(this, target?.platform)
  })

  async function kill(plan: PointsKillPlan): Promise<PointsKill> {
    for (let attempt = 1; attempt <= maxTries; attempt++) {
      const found = await target.kill(plan)
      if (found) return found
      missed++
    }
    throw new Error(`${plan.part} never came to ${plan.point}`)
  }

  it('agree in the ledger and on the chain after each', async () => {
    for (const plan of plans) {
      const done = await kill(plan)
      kills.push(done)
      const { part, point, seconds, lost, twice } = done
      printLine(
        `${kills.length}/${plans.length} killed ${part} at ${point ?? `${plan.delayMs} ms`}, ${plan.acts} acts: `
          + `done after ${roundToHundredths(seconds)} s`,
      )
      expect({ lost, twice }).to.deep.equal({ lost: 0, twice: 0 })
    }
  })

  it('have every acknowledged order once', async () => {
    const verdict = await target.readVerdict()
    expect(verdict).to.include({ lost: 0, twice: 0 })
    keepFigures('proof/points-kills', {
      command: 'npm run test:long -- test/proof/points/points-kills.long.ts',
      seed,
      processors: cpus().length,
      kills: kills.length,
      notStruck: missed,
      acts: pointsActs.map(({ name }) => name),
      ...verdict,
      differences: sumBy(kills, ({ differences }) => differences),
      parts: killedParts.map(describePart),
    })
  })

  function describePart(part: KilledPart) {
    const own = kills.filter((one) => one.part === part)
    return {
      part,
      points: (killPoints[part] ?? []).map((point) => ({
        point,
        kills: own.filter((one) => one.point === point).length,
      })),
      atAnyMoment: own.filter(({ point }) => point === null).length,
      kills: own.length,
      recoverySeconds: computeSpread(own.map(({ seconds }) => seconds)),
    }
  }
}).timeout(5 * 3_600_000)
