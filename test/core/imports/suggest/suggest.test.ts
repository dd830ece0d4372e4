import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import {
  type Correspondence,
  type Preview,
  type SourceField,
  toMapperRow,
} from '../../../../core/features/imports/index.ts'
import { passportSink } from '../../../../core/features/dpp/index.ts'
import type { Answer } from '../../../support/client.ts'
import { createApiClient } from '../../../support/client.ts'
import { buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { getBody, formatVerdict } from '../../dpp/passports/fixtures.ts'

const path = '/v1/import/mappers/suggest-mapping'
export const getCorrespondences = ({ body }: Answer) => body['correspondences'] as unknown as Correspondence[]

describe('POST /v1/import/mappers/suggest-mapping', () => {
  let shop: Shop
  let other: Shop
  before(async () => {
    ;[shop, other] = [await buildShop(), await buildShop()]
  })

  const suggest = async (...fields: SourceField[]) => {
    const answer = await shop.api.post(path, { application: shop.application, fields })
    expect(answer.status, answer.text).to.equal(200)
    return getCorrespondences(answer)
  }
  const one = async (field: SourceField) => (await suggest(field))[0]

  it('pairs columns with members by names and values, says why and how sure it is', async () => {
    const [gtin, name, number, granularity, ...others] = await suggest(
      { id: 'EAN-Code', example: '4028171042106' },
      { id: 'Artikelbezeichnung', example: 'Schraubendreher mit Griff' },
    )
    expect(gtin).to.deep.include({
      destination: 'product.gtin',
      source: 'EAN-Code',
      kind: 'field',
      transforms: ['trim', 'gtin'],
      confidence: 'high',
      origin: 'lexical',
    })
    expect(gtin?.evidence).to.match(/GTIN.*“EAN-Code”.*\.$/)
    expect(name).to.include({ destination: 'product.name', source: 'Artikelbezeichnung' })
    expect(number).to.deep.include({
      destination: 'product.modelNumber',
      source: null,
      kind: 'template',
      value: '{{EAN-Code}}',
      confidence: 'review',
    })
    expect(granularity).to.deep.include({
      destination: 'product.idGranularity',
      source: null,
      kind: 'constant',
      value: 'model',
      confidence: 'review',
      origin: 'lexical',
    })
    expect(others).to.deep.equal([])
  })

  it('is degraded without a model, and the same for the same columns', async () => {
    const fields = ['Marque', 'Coloris', 'Prix TTC', 'Poids (g)'].map((id) => ({
      id,
      example: id === 'Marque' ? 'Clairval' : '12,5',
    }))
    const [first, again] = [await shop.api.post(path, { fields }), await shop.api.post(path, { fields })]
    expect(first.body['degraded']).to.equal(true)
    expect(first.body).to.deep.equal(again.body)
  })

  it('reads headings in five languages, in camel case, with accents, units and abbreviations', async () => {
    const expected: Record<string, [example: string, destination: string]> = {
      'Serial No.': ['LBX26-004417', 'product.itemNumber'],
      Herstelldatum: ['12.01.2026', 'product.productionDate'],
      'n° de lot': ['L26034A', 'product.batchNumber'],
      'País de fabricación': ['España', 'product.countryOfProduction.countryCode'],
      prezzoListino: ['89,00', 'data.price'],
      Zolltarifnummer: ['82054000', 'data.customsTariffNumber'],
      PESO_NETO_KG: ['2,5', 'product.dimensions.weight.value'],
      'Garantía (meses)': ['36', 'data.warrantyMonths'],
      ursprungsLand: ['DE', 'product.countryOfProduction.countryCode'],
      Couleur: ['vert sapin', 'data.color'],
    }
    for (const [id, [example, destination]] of Object.entries(expected)) {
      const row = await one({ id, example })
      expect(row?.destination, id).to.equal(destination)
      expect(row?.confidence, id).to.be.oneOf(['high', 'review'])
    }
  })

  it('reads the path of a JSON source by its end', async () => {
    const [weight] = await suggest(
      { id: '$.dimensions.weight.value', example: 1.5 },
      { id: '$.dimensions.weight.unit', example: 'kg' },
    )
    expect(weight).to.include({ destination: 'product.dimensions.weight.value' })
    expect(await one({ id: `$['Marke']`, example: 'Lumera' })).to.include({ destination: 'data.brand' })
    expect(await one({ id: '$.variants[0].sku', example: 'AB-1' })).to.include({ destination: 'data.sku' })
  })

  it('gives each column and each member to one pair only, the best one', async () => {
    const rows = await suggest(
      { id: 'EAN Karton', example: '4028171042106' },
      { id: 'EAN', example: '4028171042151' },
      { id: 'Artikelnr.', example: '104210' },
      { id: 'Herst.-Teilenr.', example: 'BW-5502100' },
      { id: 'EAN', example: 'twice' },
    )
    expect(rows.find(({ destination }) => destination === 'product.gtin')?.source).to.equal('EAN')
    expect(rows.find(({ destination }) => destination === 'product.modelNumber')?.source).to.equal('Herst.-Teilenr.')
    expect(rows.find(({ destination }) => destination === 'data.sku')?.source).to.equal('Artikelnr.')
    const columns = rows.filter(({ kind }) => kind === 'field')
    expect(new Set(columns.map(({ source }) => source)).size).to.equal(columns.length)
    expect(new Set(rows.map(({ destination }) => destination)).size).to.equal(rows.length)
  })

  it('never fills in what only sounds alike: records of the system, purchase prices, packaging, search engine texts', async () => {
    const wrong: SourceField[] = [
      { id: 'uuid', example: '0c1f7b7e-51d4-4a52-9f0e-3b9b0a5f1c11' },
      { id: 'Created at', example: '2026-02-03 09:14:55' },
      { id: 'EK netto', example: '3,12' },
      { id: 'Meta description', example: 'Buy bags. Free delivery.' },
      { id: 'Bruttogewicht', example: '2,5' },
      { id: 'Lagerplatz', example: '02-14-C' },
      { id: 'Status', example: 'active' },
      { id: 'Taux TVA', example: '20,00' },
      { id: 'Lieferdatum', example: '12.01.2026' },
      { id: 'Supplier e-mail', example: 'x' },
      { id: 'Product ID', example: '7714209' },
      { id: 'Colli', example: '2' },
      { id: 'Battery S/N', example: 'C5H-88120341' },
    ]
    for (const field of wrong) expect((await one(field))?.confidence ?? 'low', field.id).to.equal('low')
  })

  it('holds values against names: what cannot stand there is not sure', async () => {
    expect((await one({ id: 'GTIN', example: '4028171042107' }))?.confidence).to.not.equal('high')
    expect((await one({ id: 'GTIN', example: '4028171042106', max: 'n/a' }))?.confidence ?? 'low').to.equal('low')
    expect((await one({ id: 'GTIN' }))?.confidence).to.equal('review')
    expect((await one({ id: 'Gewicht', example: 'schwer' }))?.destination).to.not.equal(
      'product.dimensions.weight.value',
    )
  })

  it('sees what all known values of a column have in common: whole numbers beside decimals are numbers', async () => {
    const row = await one({ id: 'largeur_cm', example: '22', min: '18', max: '29,5', distinct: 40, nulls: 0 })
    expect(row).to.include({ destination: 'product.dimensions.width.value', confidence: 'review' })
    expect((await one({ id: 'País de origen', example: 'ES', min: 'CN', max: 'PT' }))?.confidence).to.equal('high')
    expect(
      (await one({ id: 'País de origen', example: 'ES', min: 'China', max: 'PT' }))?.confidence ?? 'low',
    ).to.not.equal('high')
  })

  it('knows what the whole file is about: a battery is no part where every column has the word', async () => {
    const rows = await suggest(
      { id: 'Battery model', example: 'PC48-100' },
      { id: 'Battery weight', example: '41.2' },
      { id: 'Battery colour', example: 'black' },
    )
    expect(rows.map(({ destination }) => destination)).to.have.members([
      'product.modelNumber',
      'data.weight',
      'data.color',
      'product.name',
      'product.idGranularity',
    ])
  })

  it('proposes transforms by what the file shows: the sign before decimals, the order of dates, shares in percent, words to codes', async () => {
    const rows = await suggest(
      { id: 'Preis', example: '1.899,00' },
      { id: 'Gewicht (kg)', example: '0,168' },
      { id: 'Produktionsdatum', example: '02/03/2026' },
      { id: 'Verfallsdatum', example: '02/14/2028' },
      { id: 'Recyclinganteil %', example: '35' },
      { id: 'Währung', example: 'eur' },
    )
    const transformsOf = (destination: string) => rows.find((row) => row.destination === destination)?.transforms
    expect(transformsOf('data.price')).to.deep.equal(['trim', 'number(,)'])
    expect(transformsOf('product.dimensions.weight.value')).to.deep.equal(['trim', 'number(,)'])
    expect(transformsOf('product.productionDate')).to.deep.equal(['trim', 'date(MM/dd/yyyy)'])
    expect(transformsOf('product.expiryDate')).to.deep.equal(['trim', 'date(MM/dd/yyyy)'])
    expect(transformsOf('data.recycledShare')).to.deep.equal(['trim', 'percent(,)'])
    expect((await one({ id: 'Nivel de trazabilidad', example: 'Unidad' }))?.transforms).to.include('granularity')
    expect((await one({ id: 'Country of origin', example: 'DEU' }))?.transforms).to.include('country')
    expect(await one({ id: 'Nettogewicht', example: '850 g' })).to.deep.include({
      destination: 'product.dimensions.weight.value',
      transforms: ['trim', 'measure(GRM)'],
    })
  })

  it('proposes only rows that a mapper takes as they are', async () => {
    const rows = await suggest(
      { id: 'Name', example: 'Lamp' },
      { id: 'EAN', example: '4028171042106' },
      { id: 'Mfg date', example: '2026-01-14' },
      { id: 'Labels', example: 'GOTS; GRS' },
      { id: 'Weight', example: '1.5' },
      { id: 'Country of origin', example: 'it' },
    )
    const columns = rows.flatMap(({ source }) => source ?? [])
    const cells = columns.map((id) => ({ Name: ' Lamp ', EAN: '4028171042106', 'Mfg date': '2026-01-14' })[id] ?? '')
    const tried = await shop.api.post('/v1/import/mappers/preview', {
      mapper: { format: 'csv', rows: rows.map(toMapperRow) },
      application: shop.application,
      sample: `${columns.join()}\n${cells.join()}\n`,
    })
    expect(tried.status, tried.text).to.equal(200)
    const [mapped] = getBody<Preview>(tried).rows
    expect(mapped?.errors).to.deep.equal([])
    expect(mapped?.passport?.['product']).to.deep.include({ gtin: '04028171042106' })
    expect(
      rows.every(({ destination }) => passportSink.destinations.some((known) => known.path === destination)),
    ).to.equal(true)
  })

  it('brings along what every row needs beside the columns, and tells what it cannot know', async () => {
    const rows = await suggest(
      { id: 'Serial number', example: 'C5H-1' },
      { id: 'Product name', example: 'Bag' },
      { id: 'Image URL', example: 'https://a.example/1.jpg' },
      { id: 'Gewicht (kg)', example: '1.5' },
      { id: 'Breite', example: '12' },
      { id: 'Category code', example: '4202' },
    )
    const constants = rows
      .filter(({ kind }) => kind === 'constant')
      .map(({ destination, value }) => [destination, value])
    expect(constants).to.deep.equal([
      ['product.idGranularity', 'item'],
      ['product.productImage.linkName', 'Product image'],
      ['product.dimensions.weight.unit', 'KGM'],
    ])
    expect(
      rows.every(({ evidence }) => evidence.endsWith('.')),
      JSON.stringify(rows),
    ).to.equal(true)
    const width = rows.find(({ source }) => source === 'Breite')
    expect([width?.confidence, width?.destination]).to.deep.equal(['review', 'data.width'])
    expect(width?.evidence).to.contain('add a constant for product.dimensions.width.unit')
    const category = rows.find(({ source }) => source === 'Category code')
    expect(category?.destination).to.equal('data.categoryCode')
    expect(category?.evidence).to.match(/needs product\.productCategory\[0\]\.\w+ too/)
    const sample =
      'Serial number,Product name,Image URL,Gewicht (kg),Breite,Category code\n'
      + 'C5H-1,Bag,https://a.example/1.jpg,1.5,12,4202\nC5H-2,Bag,,,,\n'
    const tried = await shop.api.post('/v1/import/mappers/preview', {
      mapper: { format: 'csv', rows: rows.map(toMapperRow) },
      application: shop.application,
      sample,
    })
    expect(
      getBody<Preview>(tried).rows.map(({ errors }) => errors),
      tried.text,
    ).to.deep.equal([[], []])
  })

  it('knows the fields of SAP, units by their name alone, and the identifier of a battery', async () => {
    for (const [id, example, destination] of [
      ['MAKTX', 'Schraubendreher mit Griff', 'product.name'],
      ['HERKL', 'DE', 'product.countryOfProduction.countryCode'],
      ['GEWEI', 'KG', 'product.dimensions.weight.unit'],
      ['HSDAT', '20260114', 'product.productionDate'],
      ['Unité', 'kg', 'product.dimensions.weight.unit'],
      ['MARA_MATNR', '104210', 'product.modelNumber'],
      ['EAN11', '4028171042106', 'product.gtin'],
      ['Battery unique identifier', 'BAT-2026-0001', 'product.itemNumber'],
    ] as const) {
      const row = await one({ id, example })
      expect([row?.destination, row?.confidence !== 'low'], id).to.deep.equal([destination, true])
    }
  })

  it('is not sure of values that would be refused', async () => {
    const row = await one({ id: 'GTIN', example: '4028171042106', max: '4028171042107' })
    expect(row?.confidence ?? 'low').to.not.equal('high')
  })

  describe('with a sample', () => {
    const suggestBy = async (sample: string | object[], more: object = {}) => {
      const answer = await shop.api.post(path, { application: shop.application, sample, ...more })
      expect(answer.status, answer.text).to.equal(200)
      return getCorrespondences(answer)
    }
    const numbered = (count: number, make: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => make(at + 1)).join('')

    it('is sure of nothing with which one of the first 1,000 rows fails, and counts those rows', async () => {
      const table = (last: string) =>
        `SKU,Name,Production date\n${numbered(999, (at) => `S-${at},Lamp,2026-01-14\n`)}S-1000,Lamp,${last}\n`
      const dateOf = async (last: string) =>
        (await suggestBy(table(last))).find(({ source }) => source === 'Production date')
      expect(await dateOf('2026-01-15')).to.include({ confidence: 'high', destination: 'product.productionDate' })
      const doubted = await dateOf('2026-13-15')
      expect(doubted).to.include({ confidence: 'review', destination: 'product.productionDate' })
      expect(doubted?.evidence).to.contain('1 of the first 1000 rows would fail')
    })

    it('puts values aside that most rows would fail with, and says why', async () => {
      const rows = await suggestBy(`SKU;Name;EAN\n${numbered(20, (at) => `S-${at};Lamp;${2_000_000_000_000 + at}\n`)}`)
      const barcode = rows.find(({ source }) => source === 'EAN')
      expect(
        barcode?.destination === 'data.barcode' || barcode?.confidence === 'low',
        JSON.stringify(barcode),
      ).to.equal(true)
    })

    it('finds what a row is by numbers that tell rows apart, unless somebody says it', async () => {
      const table = (serial: (at: number) => string) =>
        `Serial number,SKU,Name,Lot\n${numbered(20, (at) => `${serial(at)},S-${at},Lamp,L${at % 3}\n`)}`
      const kindOf = (rows: Correspondence[]) =>
        rows.find(({ destination }) => destination === 'product.idGranularity')?.value
      expect(kindOf(await suggestBy(table((at) => `N-${at}`)))).to.equal('item')
      const seldom = await suggestBy(table((at) => (at === 1 ? 'N-1' : '')))
      expect(kindOf(seldom)).to.equal('batch')
      expect(seldom.find(({ source }) => source === 'Serial number')?.destination).to.equal('data.serialNumber')
      const named = await suggestBy(
        table((at) => `N-${at}`),
        { granularity: 'model' },
      )
      expect(kindOf(named)).to.equal('model')
      expect(named.find(({ destination }) => destination === 'product.modelNumber')?.value).to.equal('{{SKU}}')
    })

    it('takes the number by which models differ, so that none is left out as there already', async () => {
      const rows = await suggestBy(
        `Model number,Article SKU,Name\n${numbered(20, (at) => `M-${at % 4},M-${at % 4}-${at},Lamp\n`)}`,
      )
      expect(rows.find(({ destination }) => destination === 'product.modelNumber')?.value).to.equal('{{Article SKU}}')
      expect(rows.find(({ source }) => source === 'Model number')?.destination).to.equal('data.modelNumber')
    })

    it('takes items of JSON too, and refuses what no file could begin with', async () => {
      const rows = await suggestBy([{ name: 'Lamp', sku: 'S-1', origin: { country: 'Italia' } }])
      expect(rows.find(({ source }) => source === '$.name')?.destination).to.equal('product.name')
      const broken = await shop.api.post(path, { sample: 'name\n"Lamp' })
      expect(formatVerdict(broken)).to.equal('400 INVALID_REQUEST')
    })
  })

  it('refuses with 400 what is no profile of columns', async () => {
    const refused = async (body: unknown) => formatVerdict(await shop.api.post(path, body))
    expect(await refused({ fields: [] })).to.equal('400 INVALID_REQUEST')
    expect(await refused({ fields: [{ id: '' }] })).to.equal('400 INVALID_REQUEST')
    expect(await refused({ fields: [{ id: 'x'.repeat(501) }] })).to.equal('400 INVALID_REQUEST')
    expect(await refused({ fields: [{ id: 'x', example: { a: 1 } }] })).to.equal('400 INVALID_REQUEST')
    expect(await refused({ fields: [{ id: 'x', colour: 1 }] })).to.equal('400 INVALID_REQUEST')
    expect(await refused({ fields: Array.from({ length: 1_001 }, (_, at) => ({ id: `c${at}` })) })).to.equal(
      '400 INVALID_REQUEST',
    )
    expect(await refused({})).to.equal('400 INVALID_REQUEST')
  })

  it('answers 404 for an application that is not there or not yours, and takes the permission to read', async () => {
    const fields = [{ id: 'Name' }]
    expect(formatVerdict(await shop.api.post(path, { application: other.application, fields }))).to.equal(
      '404 NOT_FOUND',
    )
    expect(formatVerdict(await shop.api.post(path, { application: randomUUID(), fields }))).to.equal('404 NOT_FOUND')
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read'] })).key)
    const writer = createApiClient((await buildKey(shop.organization, { dpp: ['create'] })).key)
    expect((await reader.post(path, { fields })).status).to.equal(200)
    expect(formatVerdict(await writer.post(path, { fields }))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
  })

  it('answers the maximum of columns with the maximum of words', async () => {
    for (const id of ['art nr name text ', 'a.r.t.abc.', 'artikelnummerlager', '$.a[0].b']) {
      const fields = Array.from({ length: 1_000 }, (_, at) => ({
        id: `${id.repeat(50).slice(0, 490)}${at}`,
        example: '1 '.repeat(500),
      }))
      expect((await shop.api.post(path, { fields })).status).to.equal(200)
    }
  })
})
