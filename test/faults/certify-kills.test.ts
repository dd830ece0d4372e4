import { expect } from 'chai'
import { batchSize, openCertifier, places, strike, whole, type Certifier } from './certificates.ts'
import { keepLines } from './kills.ts'

/** The others are struck by the long run, and this one there too, several times. */
const quick = places.filter(({ point }) => point === 'certify.rooted')

describe('A kill while passports are certified', () => {
  let certifier: Certifier | undefined

  before(async () => { certifier = await openCertifier() })
  after(() => certifier?.stop())
  afterEach(function () { keepLines(this, certifier?.platform) })

  for (const place of quick) {
    it(`with ${place.name} leaves one anchor, and each passport certified once`, async () => {
      if (!certifier) throw new Error('there is no platform')
      expect((await strike(certifier, place)).found).to.deep.equal(whole(batchSize))
    })
  }
}).timeout(120_000)
