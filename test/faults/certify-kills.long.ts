import { cpus } from 'node:os'
import { expect } from 'chai'
import { batchSize, openCertifier, places, strike, whole, type Certifier, type Place } from './certificates.ts'
import { keepFigures, spread } from './figures.ts'
import { keepLines } from './kills.ts'

const each = Number(process.env['TEST_KILLS'] ?? 3)

describe(`Kills at every named place of certifying ${batchSize} passports, ${each} each`, function () {
  this.bail(true)
  const kills: { place: Place; seconds: number }[] = []
  let certifier: Certifier

  before(async () => { certifier = await openCertifier() })
  after(() => certifier?.stop())
  afterEach(function () { keepLines(this, certifier.platform) })

  for (const place of places) {
    it(`${place.name} (${place.process} at ${place.point}:${place.nth}): one anchor, each passport certified once`, async () => {
      for (let round = 0; round < each; round++) {
        const { found, seconds } = await strike(certifier, place)
        kills.push({ place, seconds })
        expect(found).to.deep.equal(whole(batchSize))
      }
    })
  }

  it('are kept as figures', () => {
    expect(kills).to.have.length(places.length * each)
    keepFigures('certify-kills', {
      command: 'npm run test:long -- test/faults/certify-kills.long.ts', processors: cpus().length, kills: kills.length,
      passportsEach: batchSize, places: places.map(({ name, point, process }) => {
        const seconds = kills.filter(({ place }) => place.name === name).map((one) => one.seconds)
        return { name, point, process, kills: seconds.length, recoverySeconds: spread(seconds) }
      }),
    })
  })
}).timeout(3_600_000)
