import { cpus } from 'node:os'
import { expect } from 'chai'
import { keepFigures, roundToHundredths, computeSpread, sumBy } from '../../figures/keep-figures.ts'
import type { ChainVerdict } from '../stage/minted-tokens.ts'
import {
  expectWhole,
  killFlows,
  keepPlatformLines,
  openKillPlatform,
  getFaultPoint,
  killSteps,
  type KillPlatform,
  type KillFlow,
  type KillRecord,
  type KillPlan,
} from './kills.ts'
import { createPlans } from '../stage/kill-plans.ts'

const seed = Number(process.env['TEST_SEED'] ?? 20_261_120)
const each = Number(process.env['TEST_KILLS'] ?? 10)
/** Tries that a planned kill has to come to its point. */
const tries = 3

const say = (line: string) => process.stdout.write(`      ${line}\n`)

describe(`Mint and claim: a kill at every fault point, ${each} times each, seed ${seed}`, function () {
  this.bail(true)
  const plans = createPlans(seed, each)
  const kills: KillRecord[] = []
  let arena: KillPlatform
  let missed = 0
  let wrongEvents: string[] = []

  before(async () => {
    arena = await openKillPlatform()
  })
  after(() => arena?.stop())
  afterEach(function () {
    keepPlatformLines(this, arena.platform)
  })

  async function kill(plan: KillPlan): Promise<KillRecord> {
    for (let attempt = 1; attempt <= tries; attempt++) {
      const found = await arena.strike(attempt === 1 ? plan : { ...plan, nth: 1 })
      if (found) return found
      missed++
      say(`not struck: ${plan.flow} ${getFaultPoint(plan)}:${plan.nth} with ${plan.units} units`)
    }
    throw new Error(`${plan.flow} never came to ${getFaultPoint(plan)}`)
  }

  it('strike work under way, which is done once nevertheless', async () => {
    for (const plan of plans) {
      const done = await kill(plan)
      kills.push(done)
      const { process, pid, point, nth, job, step, seconds, verdict } = done
      const tokens = `${verdict.found} of ${verdict.expected} tokens`
      say(
        `${kills.length}/${plans.length} killed ${process} ${pid} at ${point}:${nth}, job ${job} (${plan.flow}, `
          + `${plan.units} units), step ${step}: done after ${roundToHundredths(seconds)} s, ${tokens}`,
      )
      expectWhole(verdict, `kill ${kills.length} at ${point}`)
    }
  })

  it('leave the whole chain and the whole list of events as if nothing had happened', async () => {
    const { verdict, events } = await arena.sum()
    wrongEvents = events
    expect(events).to.deep.equal([])
    expectWhole(verdict, 'the whole chain')
    keep(verdict)
  })

  it('leave the meters as the rows of what was made say', async () => {
    const { checked, differences } = await arena.verifyMeters()
    say(`quotas verify after ${kills.length} kills: ${checked} meters checked, ${differences.length} differences`)
    expect(checked).to.be.greaterThan(0)
    expect(differences).to.deep.equal([])
  })

  function keep(whole: ChainVerdict): void {
    const points = killFlows.flatMap((flow) => killSteps.map((step) => figuresOf(flow, getFaultPoint({ flow, step }))))
    keepFigures('proof/kills', {
      command: 'npm run test:long -- test/proof/kills/kills.long.ts',
      seed,
      processors: cpus().length,
      kills: kills.length,
      notStruck: missed,
      wrongEvents: wrongEvents.length,
      wholeChain: {
        tokensExpected: whole.expected,
        tokensFound: whole.found,
        duplicates: whole.duplicates.length,
        lost: whole.lost.length,
        notAccepted: whole.foreign.length,
        wrongOwner: whole.astray.length,
      },
      points,
    })
    const { found, expected, duplicates, lost } = whole
    say(`the whole chain: ${found} of ${expected} tokens, ${duplicates.length} twice, ${lost.length} lost`)
    for (const {
      flow,
      point,
      process,
      recoverySeconds: { p50, max },
      ...all
    } of points) {
      say(
        `${flow.padEnd(5)} ${point.padEnd(16)} ${all.kills} kills of ${process}; `
          + `back after ${p50} s (p50), ${max} s (max); `
          + `tokens ${all.tokensFound}/${all.tokensExpected}, twice ${all.duplicates}, lost ${all.lost}`,
      )
    }
  }

  function figuresOf(flow: KillFlow, point: string) {
    const own = kills.filter((one) => one.flow === flow && one.point === point)
    return {
      flow,
      point,
      process: own[0]?.process,
      kills: own.length,
      recoverySeconds: computeSpread(own.map(({ seconds }) => seconds)),
      tokensExpected: sumBy(own, ({ verdict }) => verdict.expected),
      tokensFound: sumBy(own, ({ verdict }) => verdict.found),
      duplicates: sumBy(own, ({ verdict }) => verdict.duplicates.length),
      lost: sumBy(own, ({ verdict }) => verdict.lost.length),
      struck: own.map(({ pid, job, step, nth, seconds }) => ({
        pid,
        job,
        step,
        nth,
        seconds: roundToHundredths(seconds),
      })),
    }
  }
}).timeout(3 * 3_600_000)
