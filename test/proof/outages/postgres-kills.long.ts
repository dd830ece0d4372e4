import { cpus } from 'node:os'
import { expect } from 'chai'
import { keepFigures, roundToHundredths, computeSpread } from '../../figures/keep-figures.ts'
import { keepPlatformLines } from '../kills/kills.ts'
import {
  killMoments,
  openPostgresTarget,
  type KillMoment,
  type PostgresKill,
  type PostgresTarget,
} from './postgres-kills.ts'

const number = Number(process.env['TEST_KILLS'] ?? 200)
const names = Object.keys(killMoments) as KillMoment[]
/** Milliseconds between the begin of the work and the kill: another moment each time. */
const delayOf = (at: number) => (at * 37) % 200

describe(`PostgreSQL killed alone, ${number} times`, function () {
  this.bail(true)
  let target: PostgresTarget
  const kills: PostgresKill[] = []
  before(async () => {
    target = await openPostgresTarget({ durable: true })
  })
  after(() => target?.stop())
  afterEach(function () {
    keepPlatformLines(this, target?.platform)
  })

  it('end nothing: the platform stores again after each', async () => {
    for (let at = 0; at < number; at++) {
      const kill = await target.kill(names[at % names.length] ?? 'load', delayOf(at))
      kills.push(kill)
      process.stdout.write(
        `      ${at + 1}/${number} ${killMoments[kill.moment]}: stores again after ${roundToHundredths(kill.seconds)} s\n`,
      )
    }
  })

  it('lose nothing that was acknowledged, and store nothing twice', async () => {
    const verdict = await target.readVerdict()
    expect(verdict).to.include({ lost: 0, twice: 0, processesThatEnded: 0 })
    const seconds = (of: readonly PostgresKill[]) => computeSpread(of.map((kill) => kill.seconds))
    const figures = {
      command: 'npm run test:long -- test/proof/outages/postgres-kills.long.ts',
      processors: cpus().length,
      kills: kills.length,
      recoverySeconds: seconds(kills),
      ...verdict,
      moments: names.map((moment) => {
        const own = kills.filter((kill) => kill.moment === moment)
        return { moment, when: killMoments[moment], kills: own.length, recoverySeconds: seconds(own) }
      }),
    }
    keepFigures('proof/postgres-kills', figures)
    process.stdout.write(`      ${JSON.stringify(figures, null, 2)}\n`)
  })
}).timeout(3 * 3_600_000)
