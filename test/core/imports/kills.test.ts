import { expect } from 'chai'
import { openImporter, places, rising, strikeImport, whole, type Importer } from '../../faults/imports.ts'

/** The others are struck by the long run, and this one there too. */
const quick = places.filter(({ point, nth }) => point === 'import.storing' && nth > 1)

describe('A kill of the worker in the middle of an import', () => {
  let importer: Importer | undefined

  before(async () => { importer = await openImporter() })
  after(() => importer?.stop())

  for (const place of quick) {
    it(`${place.name} leaves each row stored once, and progress never falls`, async () => {
      if (!importer) throw new Error('there is no platform')
      const { struck, found, bad, progress } = await strikeImport(importer, place, 4_500)
      expect(struck, 'the worker died there').to.equal(true)
      expect(found).to.deep.equal(whole(4_500, bad))
      expect(progress.at(-1)).to.equal(1)
      expect(rising(progress), progress.join(' ')).to.equal(true)
    })
  }
}).timeout(60_000)
