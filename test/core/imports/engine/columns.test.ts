import { expect } from 'chai'
import type { Preview } from '../../../../core/features/imports/index.ts'
import { getBody, createSerial, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { countStagedFiles } from '../../../support/rows/imports/uploads.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { createMapper, productRows, sendFile } from '../intake/intake.maker.ts'
import { findByReference, waitForImport } from './job.maker.ts'

const rows = [
  ...productRows,
  { destination: 'data.color', kind: 'field', source: 'color' },
  { destination: 'data.label', kind: 'concat', source: ['name', 'size'], value: ' ' },
]

describe('Import job: missing columns', () => {
  let shop: Shop
  let mapper: string
  before(async () => {
    shop = await buildShop()
    mapper = await createMapper(shop, { rows })
  })

  const send = (raw: string, mapperId = mapper) => sendFile(shop, raw, { type: 'text/csv', query: { mapperId } })

  it('are told before the first row is stored, and columns that nobody reads are listed', async () => {
    const ref = createSerial()
    const sent = await send(`ref,name,price, extra \n${ref},Bag,3,4\n`)
    expect(sent.status, sent.text).to.equal(202)
    const { warnings, unusedColumns } = sent.body
    expect(warnings).to.deep.equal([
      {
        code: 'column_missing',
        path: 'data.color',
        message: 'The mapper reads "color", which the file does not have: no row has a value here.',
        count: 1,
      },
      {
        code: 'column_missing',
        path: 'data.label',
        count: 1,
        message: 'The mapper reads "size", which the file does not have: the value is made of the others.',
      },
    ])
    expect(unusedColumns).to.deep.equal(['price', 'extra'])
    const { job, counts } = await waitForImport(shop, String(sent.body['id']))
    expect([job.warnings, job.unusedColumns, counts.created]).to.deep.equal([warnings, unusedColumns, 1])
    const report = await shop.api.get(`/v1/imports/${sent.body['id']}/report`)
    expect(report.body['warnings']).to.deep.equal(warnings)
    expect((await findByReference(shop, ref)).data).to.deep.equal({ label: 'Bag' })
  })

  it('are told in a preview', async () => {
    const previewRequest = {
      mapper: { format: 'csv', rows },
      application: shop.application,
      sample: 'ref,name,price\nA,Bag,3\n',
    }
    const made = getBody<Preview>(await shop.api.post('/v1/import/mappers/preview', previewRequest))
    expect(made.warnings.map(({ path }) => path)).to.deep.equal(['data.color', 'data.label'])
    expect(made.unusedColumns).to.deep.equal(['price'])
  })

  it('are refused where no passport can be made without them, and nothing is kept', async () => {
    const demanding = await createMapper(shop, { rows: [...rows.slice(0, -2), { ...rows.at(-2), required: true }] })
    for (const [raw, mapperId, missing] of [
      ['ref,color\nA,red\n', mapper, '"name"'],
      ['ref,name\nA,Bag\n', demanding, '"color"'],
      ['a,b\n1,2\n', mapper, '"ref", "name"'],
    ] as const) {
      const sent = await send(raw, mapperId)
      expect(formatVerdict(sent), sent.text).to.equal('400 IMPORT_COLUMNS_MISSING')
      expect(sent.text).to.contain(JSON.stringify(missing).slice(1, -1))
    }
    const { db } = await getOperator()
    expect(await countStagedFiles(db, shop.organization)).to.deep.equal({ uploads: 0, pieces: 0 })
  })

  it('are no fault where the mapper has another value for them', async () => {
    const filled = await createMapper(shop, {
      rows: [
        ...rows.filter(({ destination }) => destination !== 'product.name'),
        { destination: 'product.name', kind: 'field', source: 'title', transforms: ['default(Bag)'], required: true },
      ],
    })
    const ref = createSerial()
    const sent = await send(`ref,name\n${ref},Hat\n`, filled)
    expect((await waitForImport(shop, String(sent.body['id']))).counts.created, sent.text).to.equal(1)
  })
})
