import { cpus } from 'node:os'
import { expect } from 'chai'
import { keepFigures, spread } from './figures.ts'
import { expectWhole, flows, openArena, pointOf, steps, type Arena, type Kill, type Plan } from './kills.ts'
import { plansOf } from './plans.ts'

const seed = Number(process.env['TEST_SEED'] ?? 20_261_120)
const each = Number(process.env['TEST_KILLS'] ?? 10)
/** Tries that a planned kill has to come to its point. */
const tries = 3

const say = (line: string) => process.stdout.write(`      ${line}\n`)

describe(`Kills at every named point of mint and claim, ${each} each, seed ${seed}`, () => {
  const plans = plansOf(seed, each)
  const kills: Kill[] = []
  let arena: Arena
  let missed = 0
  let wrongEvents: string[] = []

  before(async () => { arena = await openArena() })
  after(() => arena?.stop())

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
      say(`${kills.length}/${plans.length} killed ${process} ${pid} at ${point}:${nth}, job ${job} (${plan.flow}, ${plan.units} units), step ${step}: `
        + `done after ${seconds.toFixed(2)} s, ${verdict.found} of ${verdict.expected} tokens`)
      expectWhole(verdict, `kill ${kills.length} at ${point}`)
    }
  })

  it('leave the whole chain and the whole list of events as if nothing had happened', async () => {
    const { verdict, events } = await arena.sum()
    wrongEvents = events
    say(`the whole chain: ${verdict.found} of ${verdict.expected} tokens, ${verdict.duplicates.length} twice, ${verdict.lost.length} lost`)
    expect(events).to.deep.equal([])
    expectWhole(verdict, 'the whole chain')
    keep(verdict)
  })

  function keep(whole: Kill['verdict']): void {
    const points = flows.flatMap((flow) => steps.map((step) => {
      const own = kills.filter((one) => one.flow === flow && one.point === pointOf({ flow, step }))
      const sum = (read: (one: Kill['verdict']) => number) => own.reduce((total, one) => total + read(one.verdict), 0)
      return {
        flow, point: pointOf({ flow, step }), process: own[0]?.process, kills: own.length, recoverySeconds: spread(own.map(({ seconds }) => seconds)),
        tokensExpected: sum(({ expected }) => expected), tokensFound: sum(({ found }) => found),
        duplicates: sum(({ duplicates }) => duplicates.length), lost: sum(({ lost }) => lost.length),
        struck: own.map(({ pid, job, step: at, nth, seconds }) => ({ pid, job, step: at, nth, seconds: Math.round(seconds * 100) / 100 })),
      }
    }))
    keepFigures('kills', {
      command: 'npm run test:long -- test/faults/kills.long.ts', seed, processors: cpus().length, kills: kills.length, notStruck: missed,
      wholeChain: { tokensExpected: whole.expected, tokensFound: whole.found, duplicates: whole.duplicates.length, lost: whole.lost.length,
        notAccepted: whole.foreign.length, wrongOwner: whole.astray.length },
      wrongEvents: wrongEvents.length, points,
    })
    for (const { flow, point, kills: number, process, recoverySeconds: { p50, max }, tokensExpected, tokensFound, duplicates, lost } of points) {
      say(`${flow.padEnd(5)} ${point.padEnd(16)} ${number} kills of ${process}; back after ${p50} s (p50), ${max} s (max); `
        + `tokens ${tokensFound}/${tokensExpected}, twice ${duplicates}, lost ${lost}`)
    }
  }
}).timeout(3 * 3_600_000)
