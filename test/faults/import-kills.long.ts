import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { keepFigures } from './figures.ts'
import {
  follow, judgeImport, openImporter, places, rising, sendCatalogue, strikeImport, whole, type Importer,
} from './imports.ts'
import { keepLines } from './kills.ts'

/** Of two transactions: eight slices are committed together. */
const rows = 12_500
const each = Number(process.env['TEST_KILLS'] ?? 3)
/** Kills of one long import at moments that nobody chose. */
const atRandom = 8
const longRows = 60_000

describe(`Kills of the worker in the middle of imports: ${each} at every named place, ${atRandom} at random moments`, function () {
  this.bail(true)
  const struck: string[] = []
  let importer: Importer

  before(async () => { importer = await openImporter() })
  after(() => importer?.stop())
  afterEach(function () { keepLines(this, importer.platform) })

  for (const place of places) {
    it(`${place.name} (${place.point}:${place.nth}): each row stored once, progress never falls`, async () => {
      for (let round = 0; round < each; round++) {
        const { struck: died, found, bad, progress } = await strikeImport(importer, place, rows)
        expect(died, 'the worker died there').to.equal(true)
        expect(found).to.deep.equal(whole(rows, bad))
        expect(rising(progress), progress.join(' ')).to.equal(true)
        struck.push(place.name)
      }
    })
  }

  it(`at ${atRandom} random moments of one import of ${longRows} rows: each row stored once, progress never falls`, async () => {
    const { children } = importer.platform
    const sent = await sendCatalogue(importer, longRows)
    const end = follow(importer, sent.job)
    let over = false
    void end.finally(() => { over = true })
    for (let kill = 0; kill < atRandom && !over; kill++) {
      await sleep(300 + Math.random() * 700)
      const { pid } = children.worker
      if (pid === undefined || over) continue
      process.kill(pid, 'SIGKILL')
      struck.push('at random')
      await children.worker.ready()
    }
    const progress = await end
    expect(await judgeImport(importer, sent)).to.deep.equal(whole(longRows, sent.bad))
    expect(rising(progress)).to.equal(true)
  })

  it('are kept as figures', () => {
    expect(struck.length).to.be.at.least(places.length * each + atRandom / 2)
    keepFigures('import-kills', {
      command: 'npm run test:long -- test/faults/import-kills.long.ts', processors: cpus().length, kills: struck.length,
      rowsEach: rows, rowsOfTheLong: longRows, rowsLost: 0, rowsDoubled: 0,
      places: Object.entries(Object.groupBy(struck, (name) => name)).map(([name, of]) => ({ name, kills: of?.length ?? 0 })),
    })
  })
}).timeout(600_000)
