import { cpus } from 'node:os'
import { expect } from 'chai'
import {
  batchSize,
  openCertifier,
  killPlaces,
  strikeCertifier,
  createWholeBatch,
  type Certifier,
  type KillPlace,
} from '../stage/certificates.ts'
import { keepFigures, computeSpread } from '../../figures/keep-figures.ts'
import { keepPlatformLines } from './kills.ts'

const each = Number(process.env['TEST_KILLS'] ?? 3)

describe(`Certify job: a kill at every fault point, ${batchSize} passports, ${each} times each`, function () {
  this.bail(true)
  const kills: { place: KillPlace; seconds: number }[] = []
  let certifier: Certifier

  before(async () => {
    certifier = await openCertifier()
  })
  after(() => certifier?.stop())
  afterEach(function () {
    keepPlatformLines(this, certifier.platform)
  })

  for (const place of killPlaces) {
    it(`certifies each passport once with one anchor: ${place.name} (${place.process} at ${place.point}:${place.nth})`, async () => {
      for (let round = 0; round < each; round++) {
        const { found, seconds } = await strikeCertifier(certifier, place)
        kills.push({ place, seconds })
        expect(found).to.deep.equal(createWholeBatch(batchSize))
      }
    })
  }

  it('are kept as figures', () => {
    expect(kills).to.have.length(killPlaces.length * each)
    keepFigures('proof/certify-kills', {
      command: 'npm run test:long -- test/proof/kills/certify-kills.long.ts',
      processors: cpus().length,
      kills: kills.length,
      passportsEach: batchSize,
      places: killPlaces.map(({ name, point, process }) => {
        const seconds = kills.filter(({ place }) => place.name === name).map((one) => one.seconds)
        return { name, point, process, kills: seconds.length, recoverySeconds: computeSpread(seconds) }
      }),
    })
  })
}).timeout(3_600_000)
