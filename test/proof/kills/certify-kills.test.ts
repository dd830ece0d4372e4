import { expect } from 'chai'
import {
  batchSize,
  openCertifier,
  killPlaces,
  strikeCertifier,
  createWholeBatch,
  type Certifier,
} from '../stage/certificates.ts'
import { keepPlatformLines } from './kills.ts'

/** The others are struck by the long run, and this one there too, several times. */
const quick = killPlaces.filter(({ point }) => point === 'certify.rooted')

describe('Certify job: a process killed on the way', () => {
  let certifier: Certifier | undefined

  before(async () => {
    certifier = await openCertifier()
  })
  after(() => certifier?.stop())
  afterEach(function () {
    keepPlatformLines(this, certifier?.platform)
  })

  for (const place of quick) {
    it(`certifies each passport once with one anchor: ${place.name}`, async () => {
      if (!certifier) throw new Error('there is no platform')
      expect((await strikeCertifier(certifier, place)).found).to.deep.equal(createWholeBatch(batchSize))
    })
  }
}).timeout(120_000)
