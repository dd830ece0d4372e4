import { expect } from 'chai'
import {
  openImporter,
  importKillPlaces,
  isRising,
  strikeImport,
  createWholeImport,
  type Importer,
} from '../stage/imports.ts'

/** The others are struck by the long run, and this one there too. */
const quick = importKillPlaces.filter(({ point, nth }) => point === 'import.storing' && nth > 1)

describe('Import job: a worker killed on the way', () => {
  let importer: Importer | undefined

  before(async () => {
    importer = await openImporter()
  })
  after(() => importer?.stop())

  for (const place of quick) {
    it(`stores each row once and never lowers progress after a kill ${place.name}`, async () => {
      if (!importer) throw new Error('there is no platform')
      const { struck, found, bad, progress } = await strikeImport(importer, place, 4_500)
      expect(struck, 'the worker died there').to.equal(true)
      expect(found).to.deep.equal(createWholeImport(4_500, bad))
      expect(progress.at(-1)).to.equal(1)
      expect(isRising(progress), progress.join(' ')).to.equal(true)
    })
  }
}).timeout(60_000)
