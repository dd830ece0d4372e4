import { expect } from 'chai'
import { createSerial } from '../../dpp/passports/fixtures.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { createMapper, sendFile } from '../intake/intake.maker.ts'
import { findByReference, waitForImport } from '../engine/job.maker.ts'
import type { NastyFile } from './hostile-encodings.ts'
import { createNastyFiles } from './hostile-files.ts'

const rows = [
  { destination: 'reference', kind: 'field', source: 'ref', required: true },
  { destination: 'product.name', kind: 'constant', value: 'Bag' },
  { destination: 'product.idGranularity', kind: 'constant', value: 'item' },
  { destination: 'product.itemNumber', kind: 'field', source: 'ref' },
  { destination: 'data.text', kind: 'field', source: 'text' },
]

/**
 * Each file has a right or a clear outcome: every row that it says is stored to the letter, or told at its line, or the
 * file is refused by a code; what was stored is what the file says by another reading, and nothing beside it is stored.
 */
describe('POST /v1/imports: malformed and hostile files', function () {
  this.timeout(120_000)
  let shop: Shop
  let mapper: string
  const outcomes = { right: 0, withErrors: 0, refused: 0 }
  before(async () => {
    shop = await buildShop()
    mapper = await createMapper(shop, { rows })
  })
  after(() => {
    const { right, withErrors, refused } = outcomes
    console.log(
      `      ${right + withErrors + refused} files: ${right} right, ${withErrors} with rows that were told, ${refused} refused; 0 silent changes`,
    )
  })

  const serial = createSerial()
  const files = createNastyFiles((file) => (name) => `${serial}/${file}/${name}`)

  it('are a hundred and more', () => {
    expect(files.length).to.be.at.least(100)
  })

  for (const file of files) it(file.what, () => assertFile(file))

  async function assertFile({
    bytes,
    type,
    query = {},
    rows: said,
    errorLines: expectedErrorLines = [],
    refused,
    warned = [],
  }: NastyFile): Promise<void> {
    const mapped: Record<string, string> = /json/.test(type) ? {} : { mapperId: mapper }
    const sent = await sendFile(shop, bytes, { type, query: { ...mapped, ...query } })
    if (sent.status !== 202) {
      expect(said, sent.text).to.deep.equal([])
      expect(sent.body['code'], sent.text).to.match(new RegExp(`^${refused}`))
      outcomes.refused++
      return
    }
    const { job, counts, errors } = await waitForImport(shop, String(sent.body['id']))
    const report = JSON.stringify({ job, errors })
    expect([...new Set(errors.map(({ line }) => line))], report).to.deep.equal(expectedErrorLines)
    expect(job.initError?.code ?? 'none', report).to.match(new RegExp(`^${refused ?? 'none'}`))
    expect(
      job.warnings.map(({ code }) => code),
      report,
    ).to.deep.equal(warned)
    expect(counts.created, report).to.equal(said.length)
    for (const [line, reference, text] of said) {
      expect((await findByReference(shop, reference)).data, `line ${line}`).to.deep.equal({ text })
    }
    outcomes[refused ? 'refused' : expectedErrorLines.length > 0 ? 'withErrors' : 'right']++
  }
})
