import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Preview } from '../../../../core/features/imports/index.ts'
import type { Answer } from '../../../support/client.ts'
import { countUploads } from '../../../support/rows/imports/kept-uploads.ts'
import { getOperator } from '../../identity/people.ts'
import { getBody, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildSheet, buildShop, type Shop } from '../../../support/world.ts'

const path = '/v1/import/mappers/preview'

const rows = [
  { destination: 'reference', kind: 'field', source: 'SKU', required: true },
  { destination: 'product.idGranularity', kind: 'constant', value: 'item' },
  { destination: 'product.name', kind: 'field', source: 'Name' },
  { destination: 'product.itemNumber', kind: 'field', source: 'SKU' },
  { destination: 'data.price', kind: 'field', source: 'Price', transforms: ['number'] },
]

describe('POST /v1/import/mappers/preview', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const ask = (body: object) => shop.api.post(path, body)
  const mapper = (format: 'csv' | 'json', more: object = {}) => ({
    format,
    rows,
    application: shop.application,
    ...more,
  })
  const shown = (answer: Answer): Preview => {
    expect(answer.status, answer.text).to.equal(200)
    return getBody<Preview>(answer)
  }
  const codes = ({ rows }: Preview) =>
    rows.map(({ line, errors }) => `${line}: ${errors.map(({ path: at, code }) => `${at} ${code}`).join(', ')}`)

  it('shows the passports that CSV text would make, with what is wrong with each', async () => {
    const made = shown(
      await ask({
        mapper: mapper('csv'),
        sample: 'SKU;Name;Price\nA-1;Bag;"1.234,50"\n;Hat;12\nA-3;Cap;cheap\nA-4;;5\n',
      }),
    )
    expect(made.columns).to.deep.equal(['SKU', 'Name', 'Price'])
    expect(made.rows[0]).to.deep.equal({
      line: 2,
      errors: [],
      passport: {
        reference: 'A-1',
        product: { idGranularity: 'item', name: 'Bag', itemNumber: 'A-1' },
        data: { price: 1234.5 },
      },
    })
    const [, , third] = made.rows
    expect(codes(made)[1]).to.contain('reference required')
    expect(third?.errors).to.deep.include({
      path: 'data.price',
      code: 'not_number',
      message: 'is not a number',
      value: 'cheap',
    })
    expect(codes(made)[3]).to.contain('product.name')
  })

  it('divides columns as the mapper says its source does, saved or not', async () => {
    const sample = 'SKU|Name|Price\nA-1|Bag; small, blue|5\n'
    const saved = await shop.api.post('/v1/import/mappers', {
      ...mapper('csv'),
      name: randomUUID(),
      type: 'url',
      url: 'https://files.example/a.csv',
      delimiter: '|',
    })
    for (const mapperReference of [{ mapper: mapper('csv', { delimiter: '|' }) }, { mapperId: saved.body.id }]) {
      const made = shown(await ask({ ...mapperReference, sample }))
      expect([made.columns, codes(made)]).to.deep.equal([['SKU', 'Name', 'Price'], ['2: ']])
      expect(made.rows[0]?.passport).to.deep.include({ reference: 'A-1', data: { price: 5 } })
    }
  })

  it('shows them for items of JSON, through a mapper that is saved', async () => {
    const saved = await shop.api.post('/v1/import/mappers', { ...mapper('json'), name: randomUUID(), type: 'file' })
    const made = shown(
      await ask({ mapperId: saved.body.id, sample: [{ SKU: 'A', Name: 'Bag', Price: 5 }, 'nonsense', { SKU: 'B' }] }),
    )
    expect(made).to.not.have.property('columns')
    expect(made.rows.map(({ line }) => line)).to.deep.equal([0, 1, 2])
    expect(made.rows[0]?.passport).to.deep.include({ reference: 'A', data: { price: 5 } })
    expect(codes(made)[1]).to.contain(' type')
  })

  it('judges values as the creation of a passport does, for a sheet too', async () => {
    const sheet = await buildSheet(shop)
    const sheetRows = [
      { destination: 'product', kind: 'constant', value: sheet },
      { destination: 'fields.serialNumber', kind: 'field', source: 'No' },
      { destination: 'fields.color', kind: 'field', source: 'Color' },
    ]
    const made = shown(
      await ask({
        mapper: { format: 'csv', rows: sheetRows },
        application: shop.application,
        sample: 'No,Color\n1,red\n,red\n3,green\n',
      }),
    )
    expect(codes(made)).to.deep.equal([
      '2: ',
      '3: fields.serialNumber required',
      `4: fields.color ${made.rows[2]?.errors[0]?.code}`,
    ])
  })

  it('stores nothing', async () => {
    const count = async () => Number((await shop.api.get('/v1/dpp/passports')).body['total'])
    const before = await count()
    shown(await ask({ mapper: mapper('csv'), sample: 'SKU,Name,Price\nA,B,1\n' }))
    expect(await count()).to.equal(before)
    const { db } = await getOperator()
    expect(await countUploads(db, shop.organization)).to.equal(0)
  })

  it('shows the first 20 rows and takes no larger sample', async () => {
    const text = `SKU,Name,Price\n${Array.from({ length: 50 }, (_, at) => `R${at},Bag,1`).join('\n')}`
    expect(shown(await ask({ mapper: mapper('csv'), sample: text })).rows).to.have.length(20)
    expect(
      formatVerdict(await ask({ mapper: mapper('json'), sample: Array.from({ length: 21 }, () => ({})) })),
    ).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await ask({ mapper: mapper('csv'), sample: 'x'.repeat(256 * 1024 + 1) }))).to.equal(
      '400 INVALID_REQUEST',
    )
    expect(shown(await ask({ mapper: mapper('csv'), sample: 'SKU,Name,Price\n' })).rows).to.deep.equal([])
  })

  it('tells with 400 what is wrong with what was asked', async () => {
    const at = async (body: object) => {
      const answer = await ask(body)
      const [first] = getBody<{ errors: { path: string; code: string }[] }>(answer).errors
      return `${formatVerdict(answer)} ${first?.path} ${first?.code}`
    }
    const sample = 'SKU,Name,Price\n1,2,3\n'
    const { application: _none, ...homeless } = mapper('csv')
    expect(await at({ sample })).to.equal('400 INVALID_REQUEST mapper required')
    expect(await at({ sample, mapper: mapper('csv'), mapperId: randomUUID() })).to.equal(
      '400 INVALID_REQUEST mapper required',
    )
    expect(await at({ sample, mapper: homeless })).to.equal('400 INVALID_REQUEST application required')
    expect(await at({ sample, mapper: mapper('json') })).to.equal('400 INVALID_REQUEST sample type')
    expect(await at({ sample: [{}], mapper: mapper('csv') })).to.equal('400 INVALID_REQUEST sample type')
    expect(
      await at({ sample, mapper: mapper('csv', { rows: [{ destination: 'x', kind: 'constant', value: 1 }] }) }),
    ).to.equal('400 INVALID_REQUEST mapper.rows[0].destination unknown_path')
    expect(await at({ sample: 'A,B\n1,2\n', mapper: mapper('csv') })).to.equal(
      '400 INVALID_REQUEST sample import_columns_missing',
    )
    expect(await at({ sample: 'SKU,Name,SKU\n1,2,3\n', mapper: mapper('csv') })).to.equal(
      '400 INVALID_REQUEST sample import_column_twice',
    )
    expect(formatVerdict(await ask({ sample, mapper: mapper('csv'), nonsense: 1 }))).to.equal('400 INVALID_REQUEST')
  })

  it('finds no mapper and no application of others', async () => {
    const other = await buildShop()
    const foreign = await other.api.post('/v1/import/mappers', {
      ...mapper('csv'),
      application: other.application,
      name: 'x',
      type: 'file',
    })
    const sample = 'SKU,Name,Price\n1,2,3\n'
    expect(formatVerdict(await ask({ mapperId: foreign.body.id, sample }))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await ask({ mapper: mapper('csv', { application: other.application }), sample }))).to.equal(
      '404 NOT_FOUND',
    )
  })
})
