import { expect } from 'chai'
import { killMoments, openPostgresTarget, type KillMoment, type PostgresTarget } from './postgres-kills.ts'
import { keepPlatformLines } from '../kills/kills.ts'

describe('PostgreSQL killed alone', function () {
  let target: PostgresTarget | undefined
  before(async () => {
    target = await openPostgresTarget({ durable: true })
  })
  after(() => target?.stop())
  afterEach(function () {
    keepPlatformLines(this, target?.platform)
  })

  for (const [moment, when] of Object.entries(killMoments)) {
    it(`stores again after a kill ${when}`, async () => {
      expect(await target?.kill(moment as KillMoment, 100)).to.include({ moment })
    })
  }

  it('loses nothing that was acknowledged, and ends no other process', async () => {
    const verdict = await target?.readVerdict()
    expect(verdict).to.include({ lost: 0, twice: 0, processesThatEnded: 0 })
    expect(verdict?.acknowledged).to.be.above(4)
  })
}).timeout(240_000)
