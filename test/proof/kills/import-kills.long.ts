import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { keepFigures } from '../../figures/keep-figures.ts'
import { readImportCounts } from '../../support/rows/imports/import-sums.ts'
import {
  followImport,
  openImporter,
  importKillPlaces,
  isRising,
  sendCatalogue,
  strikeImport,
  createWholeImport,
  type Importer,
} from '../stage/imports.ts'
import { keepPlatformLines } from './kills.ts'

/** Of two transactions: eight slices are committed together. */
const rows = 12_500
const each = Number(process.env['TEST_KILLS'] ?? 3)
/** Kills of one long import at moments that nobody chose. */
const atRandom = 8
const longRows = 60_000

describe(`Import job: a worker killed ${each} times at every fault point and ${atRandom} times at random`, function () {
  this.bail(true)
  const struck: string[] = []
  let importer: Importer

  before(async () => {
    importer = await openImporter()
  })
  after(() => importer?.stop())
  afterEach(function () {
    keepPlatformLines(this, importer.platform)
  })

  for (const place of importKillPlaces) {
    it(`stores each row once: ${place.name} (${place.point}:${place.nth})`, async () => {
      for (let round = 0; round < each; round++) {
        const { struck: died, found, bad, progress } = await strikeImport(importer, place, rows)
        expect(died, 'the worker died there').to.equal(true)
        expect(found).to.deep.equal(createWholeImport(rows, bad))
        expect(isRising(progress), progress.join(' ')).to.equal(true)
        struck.push(place.name)
      }
    })
  }

  it(`stores each row once with ${atRandom} random kills of an import of ${longRows} rows`, async () => {
    const { children } = importer.platform
    const sent = await sendCatalogue(importer, longRows)
    const end = followImport(importer, sent.job)
    let over = false
    void end.finally(() => {
      over = true
    })
    for (let kill = 0; kill < atRandom && !over; kill++) {
      await sleep(300 + Math.random() * 700)
      const { pid } = children.worker
      if (pid === undefined || over) continue
      process.kill(pid, 'SIGKILL')
      struck.push('at random')
      await children.worker.ready()
    }
    const progress = await end
    expect(await readImportCounts(importer.db, sent)).to.deep.equal(createWholeImport(longRows, sent.bad))
    expect(isRising(progress)).to.equal(true)
  })

  it('are kept as figures', () => {
    expect(struck.length).to.be.at.least(importKillPlaces.length * each + atRandom / 2)
    keepFigures('proof/import-kills', {
      command: 'npm run test:long -- test/proof/kills/import-kills.long.ts',
      processors: cpus().length,
      kills: struck.length,
      rowsEach: rows,
      rowsOfTheLong: longRows,
      rowsLost: 0,
      rowsDoubled: 0,
      places: Object.entries(Object.groupBy(struck, (name) => name)).map(([name, of]) => ({
        name,
        kills: of?.length ?? 0,
      })),
    })
  })
}).timeout(600_000)
