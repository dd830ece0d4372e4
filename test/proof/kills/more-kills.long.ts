import { cpus } from 'node:os'
import { expect } from 'chai'
import { keepFigures, roundToHundredths, computeSpread, sumBy } from '../../figures/keep-figures.ts'
import type { ChainVerdict } from '../stage/minted-tokens.ts'
import { expectWhole, keepPlatformLines } from './kills.ts'
import {
  createAims,
  openFleetUnderKills,
  roles,
  type KillAim,
  type KillBlow,
  type FleetUnderKills,
  type KilledRole,
} from './more-kills.ts'
import { createRandom } from '../../support/values/random.ts'

const seed = Number(process.env['TEST_SEED'] ?? 20_261_121)
/** Tries that a planned kill has to come to its point. */
const tries = 4

const say = (line: string) => process.stdout.write(`      ${line}\n`)

describe(`Kill of one process in a fleet of two APIs and two workers, seed ${seed}`, function () {
  this.bail(true)
  const aims = createAims(createRandom(seed))
  const blows: KillBlow[] = []
  let front: FleetUnderKills
  let missed = 0

  before(async () => {
    front = await openFleetUnderKills()
  })
  after(() => front?.stop())
  afterEach(function () {
    keepPlatformLines(this, front?.platform)
  })

  async function strike(aim: KillAim): Promise<KillBlow> {
    for (let attempt = 1; attempt <= tries; attempt++) {
      const found = await front.strike(attempt === 1 ? aim : { ...aim, nth: 1 })
      if (found) return found
      missed++
      say(`not struck: ${aim.role}, ${aim.flow}, ${aim.point}:${aim.nth} with ${aim.units} units`)
    }
    throw new Error(`the ${aim.role} never came to ${aim.point}`)
  }

  it('strike work under way, which is done once nevertheless', async () => {
    for (const aim of aims) {
      const blow = await strike(aim)
      blows.push(blow)
      const { process, pid, point, job, step, seconds, verdict } = blow
      say(
        `${blows.length}/${aims.length} killed ${aim.role} (${process} ${pid}) at ${point}:${aim.nth}, `
          + `job ${job ?? 'of any'}, step ${step}: done after ${roundToHundredths(seconds)} s, `
          + `${verdict.found} of ${verdict.expected} tokens`,
      )
      expectWhole(verdict, `kill ${blows.length} at ${point}`)
    }
  })

  it('leave the whole chain and the whole list of events as if nothing had happened', async () => {
    const { verdict, events } = await front.sum()
    expect(events).to.deep.equal([])
    expectWhole(verdict, 'the whole chain')
    keep(verdict)
  })

  function keep(whole: ChainVerdict): void {
    keepFigures('proof/more-kills', {
      command: 'npm run test:long -- test/proof/kills/more-kills.long.ts',
      seed,
      processors: cpus().length,
      kills: blows.length,
      notStruck: missed,
      wrongEvents: 0,
      wholeChain: {
        tokensExpected: whole.expected,
        tokensFound: whole.found,
        duplicates: whole.duplicates.length,
        lost: whole.lost.length,
        notAccepted: whole.foreign.length,
        wrongOwner: whole.astray.length,
      },
      processes: roles.map(figuresOf),
    })
  }

  function figuresOf(role: KilledRole) {
    const own = blows.filter(({ aim }) => aim.role === role)
    return {
      process: role,
      kills: own.length,
      points: [...new Set(own.map(({ aim, step }) => `${aim.point} (${aim.flow}, ${step})`))].sort(),
      goesOnIn: role === 'signer' ? 'the next signer' : 'the other process',
      recoverySeconds: computeSpread(own.map(({ seconds }) => seconds)),
      tokensExpected: sumBy(own, ({ verdict }) => verdict.expected),
      tokensFound: sumBy(own, ({ verdict }) => verdict.found),
      duplicates: sumBy(own, ({ verdict }) => verdict.duplicates.length),
      lost: sumBy(own, ({ verdict }) => verdict.lost.length),
      struck: own.map(({ process, pid, job, step, aim: { flow, point, nth }, seconds }) => ({
        process,
        pid,
        flow,
        point,
        nth,
        step,
        job: job ?? null,
        seconds: roundToHundredths(seconds),
      })),
    }
  }
}).timeout(3 * 3_600_000)
