import { cpus } from 'node:os'
import { expect } from 'chai'
import { keepFigures, rounded, spread } from './figures.ts'
import { keepLines } from './kills.ts'
import { moments, openPostgresTarget, type Moment, type PostgresKill, type PostgresTarget } from './postgres-kills.ts'

const number = Number(process.env['TEST_KILLS'] ?? 200)
const names = Object.keys(moments) as Moment[]
/** Milliseconds between the begin of the work and the kill: another moment each time. */
const delayOf = (at: number) => (at * 37) % 200

describe(`${number} kills of PostgreSQL alone`, function () {
  this.bail(true)
  let target: PostgresTarget
  const kills: PostgresKill[] = []
  before(async () => { target = await openPostgresTarget({ durable: true }) })
  after(() => target?.stop())
  afterEach(function () { keepLines(this, target?.platform) })

  it('end nothing: the platform stores again after each', async () => {
    for (let at = 0; at < number; at++) {
      const kill = await target.kill(names[at % names.length] ?? 'load', delayOf(at))
      kills.push(kill)
      process.stdout.write(`      ${at + 1}/${number} ${moments[kill.moment]}: stores again after ${rounded(kill.seconds)} s\n`)
    }
  })

  it('lose nothing that was acknowledged, and store nothing twice', async () => {
    const judged = await target.judge()
    expect(judged).to.include({ lost: 0, twice: 0, processesThatEnded: 0 })
    const seconds = (of: readonly PostgresKill[]) => spread(of.map((kill) => kill.seconds))
    const figures = {
      command: 'npm run test:long -- test/faults/postgres-kills.long.ts', processors: cpus().length, kills: kills.length,
      recoverySeconds: seconds(kills), ...judged,
      moments: names.map((moment) => {
        const own = kills.filter((kill) => kill.moment === moment)
        return { moment, when: moments[moment], kills: own.length, recoverySeconds: seconds(own) }
      }),
    }
    keepFigures('postgres-kills', figures)
    process.stdout.write(`      ${JSON.stringify(figures, null, 2)}\n`)
  })
}).timeout(3 * 3_600_000)
