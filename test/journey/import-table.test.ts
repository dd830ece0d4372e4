import { expect } from 'chai'
import { buildShop, type Shop } from '../support/world.ts'
import { createAssistant } from './assistant.ts'

/** An export of an ERP in German: 20 rows, of which the one on line 8 has no such day, and that on line 15 no number. */
const lines = Array.from({ length: 20 }, (_, at) => {
  const serial = at === 13 ? '' : `SN-${100 + at}`
  const day = at === 6 ? '31.02.2026' : `0${(at % 9) + 1}.03.2026`
  return `${serial};Wanderjacke ${at};Aster;${day};B${at}`
})
const erp = ['Seriennummer;Artikelbezeichnung;Marke;Produktionsdatum;Lagerplatz', ...lines].join('\n')

interface Answer {
  mapping: { destination: string; source?: string; value?: unknown }[]
  preview: { rows: number; failed: number; errors: ReportedError[]; passports: object[] }
  unclear: { column?: string; destination?: string; question: string }[]
  unusedColumns: string[]
}
interface ReportedError {
  line: number
  path: string
  code: string
  message: string
  value: string | null
}
interface Ended {
  id: string
  status: string
  report: { counts: object; errors: ReportedError[] }
}

describe('Journey over MCP: an assistant imports a table with headings that nobody knows', function () {
  this.timeout(60_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const why = ({ line, path, code, value }: ReportedError) => `${line} ${path} ${code} ${value}`

  it('in two calls: sees a suggested mapping, then imports with it and learns which rows failed and why', async () => {
    const { client, call } = await createAssistant(shop.key)
    const first = await call('import_table', { application: shop.application, text: erp })
    const { mapping, preview, unclear, unusedColumns } = first.body as unknown as Answer
    expect(first.result['isError'] ?? false, JSON.stringify(first.result)).to.equal(false)
    const goes = Object.fromEntries(mapping.map(({ source, value, destination }) => [source ?? value, destination]))
    expect(goes).to.deep.equal({
      Seriennummer: 'product.itemNumber',
      Artikelbezeichnung: 'product.name',
      Marke: 'data.brand',
      Produktionsdatum: 'product.productionDate',
      item: 'product.idGranularity',
    })
    expect([preview.rows, preview.failed, preview.passports.length, unusedColumns]).to.deep.equal([
      20,
      2,
      3,
      ['Lagerplatz'],
    ])
    expect(unclear.map(({ destination }) => destination)).to.include('product.idGranularity')
    const second = await call('import_table', { application: shop.application, text: erp, mapping })
    const ended = second.body as unknown as Ended
    expect(ended.status, JSON.stringify(second.result)).to.equal('completed')
    expect(ended.report.counts).to.deep.equal({ created: 18, updated: 0, skipped: 0, failed: 2 })
    const failures = ['8 product.productionDate not_date 31.02.2026', '15 product.itemNumber required null']
    expect(ended.report.errors.map(why)).to.deep.equal(failures)
    expect(preview.errors.map(why)).to.deep.equal(failures)
    const text = (second.result['content'] as { text?: string }[]).map((block) => block.text ?? '').join('\n')
    expect(text).to.contain('is completed: 18 of 20 done, 2 failed').and.to.contain('31.02.2026')
    expect((await shop.api.get('/v1/dpp/passports')).body['total']).to.equal(18)
    await client.close()
  })

  it('in one more call than that: puts right what failed, and what is there already is skipped', async () => {
    const { client, call } = await createAssistant(shop.key)
    const text = erp.replace('31.02.2026', '28.02.2026').replace('\n;', '\nSN-113;')
    const { mapping } = (await call('import_table', { application: shop.application, text, dryRun: true }))
      .body as unknown as Answer
    const { report } = (
      await call('create_import', {
        entityName: 'DppPassport',
        application: shop.application,
        text,
        format: 'csv',
        mapping,
      })
    ).body as unknown as Ended
    expect(report.counts).to.deep.equal({ created: 2, updated: 0, skipped: 18, failed: 0 })
    await client.close()
  })

  it('is told what is wrong with its arguments before anything is stored', async () => {
    const { client, call } = await createAssistant(shop.key)
    const wrong = await call('create_import', { entityName: 'DppPassport', application: shop.application, text: erp })
    expect(wrong.result['isError']).to.equal(true)
    expect(JSON.stringify(wrong.result['content'])).to.contain('400 IMPORT_MAPPER_REQUIRED')
    await client.close()
  })
})
