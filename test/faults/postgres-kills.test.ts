import { expect } from 'chai'
import { moments, openPostgresTarget, type Moment, type PostgresTarget } from './postgres-kills.ts'
import { keepLines } from './kills.ts'

describe('PostgreSQL killed alone', function () {
  let target: PostgresTarget | undefined
  before(async () => { target = await openPostgresTarget({ durable: true }) })
  after(() => target?.stop())
  afterEach(function () { keepLines(this, target?.platform) })

  for (const [moment, when] of Object.entries(moments)) {
    it(`${when}: the platform stores again`, async () => {
      expect(await target?.kill(moment as Moment, 100)).to.include({ moment })
    })
  }

  it('loses nothing that was acknowledged, and ends no other process', async () => {
    const judged = await target?.judge()
    expect(judged).to.include({ lost: 0, twice: 0, processesThatEnded: 0 })
    expect(judged?.acknowledged).to.be.above(4)
  })
}).timeout(240_000)
