import { cpus } from 'node:os'
import { expect } from 'chai'
import { keepFigures, rounded, spread, sumOf } from './figures.ts'
import type { Verdict } from './judge.ts'
import {
  expectWhole, flows, keepLines, openArena, pointOf, steps, type Arena, type Flow, type Kill, type Plan,
} from './kills.ts'
import { plansOf } from './plans.ts'

const seed = Number(process.env['TEST_SEED'] ?? 20_261_120)
const each = Number(process.env['TEST_KILLS'] ?? 10)
/** Tries that a planned kill has to come to its point. */
const tries = 3

const say = (line: string) => process.stdout.write(`      ${line}\n`)

describe(`Kills at every named point of mint and claim, ${each} each, seed ${seed}`, function () {
  this.bail(true)
  const plans = plansOf(seed, each)
  const kills: Kill[] = []
  let arena: Arena
  let missed = 0
  let wrongEvents: string[] = []

  before(async () => { arena = await openArena() })
  after(() => arena?.stop())
  afterEach(function () { keepLines(this, arena.platform) })

  async function kill(plan: Plan): Promise<Kill> {
    for (let attempt = 1; attempt <= tries; attempt++) {
      const found = await arena.strike(attempt === 1 ? plan : { ...plan, nth: 1 })
      if (found) return found
      missed++
      say(`not struck: ${plan.flow} ${pointOf(plan)}:${plan.nth} with ${plan.units} units`)
    }
    throw new Error(`${plan.flow} never came to ${pointOf(plan)}`)
  }

  it('strike work under way, which is done once nevertheless', async () => {
    for (const plan of plans) {
      const done = await kill(plan)
      kills.push(done)
      const { process, pid, point, nth, job, step, seconds, verdict } = done
      const tokens = `${verdict.found} of ${verdict.expected} tokens`
      say(`${kills.length}/${plans.length} killed ${process} ${pid} at ${point}:${nth}, job ${job} (${plan.flow}, `
        + `${plan.units} units), step ${step}: done after ${rounded(seconds)} s, ${tokens}`)
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

  function keep(whole: Verdict): void {
    const points = flows.flatMap((flow) => steps.map((step) => figuresOf(flow, pointOf({ flow, step }))))
    keepFigures('kills', {
      command: 'npm run test:long -- test/faults/kills.long.ts',
      seed, processors: cpus().length, kills: kills.length, notStruck: missed, wrongEvents: wrongEvents.length,
      wholeChain: {
        tokensExpected: whole.expected, tokensFound: whole.found, duplicates: whole.duplicates.length,
        lost: whole.lost.length, notAccepted: whole.foreign.length, wrongOwner: whole.astray.length,
      },
      points,
    })
    const { found, expected, duplicates, lost } = whole
    say(`the whole chain: ${found} of ${expected} tokens, ${duplicates.length} twice, ${lost.length} lost`)
    for (const { flow, point, process, recoverySeconds: { p50, max }, ...all } of points) {
      say(`${flow.padEnd(5)} ${point.padEnd(16)} ${all.kills} kills of ${process}; `
        + `back after ${p50} s (p50), ${max} s (max); `
        + `tokens ${all.tokensFound}/${all.tokensExpected}, twice ${all.duplicates}, lost ${all.lost}`)
    }
  }

  function figuresOf(flow: Flow, point: string) {
    const own = kills.filter((one) => one.flow === flow && one.point === point)
    return {
      flow, point, process: own[0]?.process, kills: own.length,
      recoverySeconds: spread(own.map(({ seconds }) => seconds)),
      tokensExpected: sumOf(own, ({ verdict }) => verdict.expected),
      tokensFound: sumOf(own, ({ verdict }) => verdict.found),
      duplicates: sumOf(own, ({ verdict }) => verdict.duplicates.length),
      lost: sumOf(own, ({ verdict }) => verdict.lost.length),
      struck: own.map(({ pid, job, step, nth, seconds }) => ({ pid, job, step, nth, seconds: rounded(seconds) })),
    }
  }
}).timeout(3 * 3_600_000)
