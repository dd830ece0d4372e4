import { expect } from 'chai'
import { platform } from '../support/platform.ts'
import { buildShop, type Shop } from '../support/world.ts'
import { createAssistant, type Body } from './assistant.ts'

/** What an assistant found in a shop's export, and is asked to bring in: a good list with one bad row. */
const items = Array.from({ length: 1_500 }, (_, at) => ({
  'Style number': 'FJ-7',
  'Product name': ' Field jacket ',
  'Serial number': `FJ-7-${at}`,
  Brand: 'Aster',
  'Made on': at === 700 ? '2026-02-31' : '2026-02-01',
  'Stock location': 'B12',
}))
const pathOf = (column: string) => `$['${column}']`

interface Report {
  counts: object
  errors: { line: number; path: string; value: string }[]
}
interface Suggestion {
  destination: string
  source: string | null
  kind: string
  value?: string
  transforms: string[]
  confidence: string
}

describe('Journey over MCP: an assistant imports a catalogue', function () {
  this.timeout(60_000)
  let shop: Shop
  let made: Awaited<ReturnType<typeof work>>
  before(async () => {
    shop = await buildShop()
    made = await work()
  })

  /** Suggest, make a mapper of it, try it, import, follow, read the report. */
  async function work() {
    const { client, call, read } = await createAssistant(shop.key)
    const columns = Object.entries(items[0] ?? {})
    const suggested = await call('suggest_import_mapping', {
      application: shop.application,
      fields: columns.map(([name, example]) => ({ id: pathOf(name), example })),
    })
    const good = (suggested.body['correspondences'] as Suggestion[]).filter(({ confidence }) => confidence !== 'low')
    const rows = good.map(({ destination, source, kind, value, transforms }) =>
      kind === 'constant' ? { destination, kind, value } : { destination, kind, source, transforms },
    )
    const mapper = { application: shop.application, type: 'file', name: 'Shop export', format: 'json', rows }
    const preview = await call('preview_import_mapper', { mapper, sample: items.slice(698, 702) })
    const saved = await call('create_import_mapper', mapper)
    const seen: number[] = []
    const query = { entityName: 'DppPassport', application: shop.application, mapperId: saved.body.id }
    const started = await call('create_import', { ...query, items }, ({ progress }) => seen.push(progress))
    const again = await call('create_import', { ...query, items: items.slice(0, 3) }, () => undefined)
    const report = await read(`${platform.api}/v1/imports/${started.body.id}/report`)
    const list = await read(`${platform.api}/v1/imports?filters[name][eq]=batch`)
    const running = await read(`${platform.api}/v1/import/mappers/running`)
    await client.close()
    return { suggested, good, preview, saved, seen, started, again, report, list, running }
  }

  it('is told where columns go, and which of them nobody should fill in unasked', () => {
    const goes = Object.fromEntries(made.good.map(({ source, value, destination }) => [source ?? value, destination]))
    expect(goes).to.include({
      [pathOf('Product name')]: 'product.name',
      [pathOf('Serial number')]: 'product.itemNumber',
      [pathOf('Brand')]: 'data.brand',
    })
    expect(goes).not.to.have.property(pathOf('Stock location'))
  })

  it('sees in a preview which row would fail, and why', () => {
    const rows = made.preview.body['rows'] as { passport: { product: { name: string } }; errors: { path: string }[] }[]
    expect(rows.map(({ errors }) => errors.map(({ path }) => path))).to.deep.equal([
      [],
      [],
      ['product.productionDate'],
      [],
    ])
    expect(rows[0]?.passport.product.name).to.equal('Field jacket')
  })

  it('imports, hears of the progress, which never goes back, and waits for the end', () => {
    expect(made.started.result['isError'] ?? false, JSON.stringify(made.started.result['content'])).to.equal(false)
    expect([...made.seen].sort((a, b) => a - b)).to.deep.equal(made.seen)
    const { job } = made.report as unknown as { job: Body }
    expect(job).to.include({ id: made.started.body.id, status: 'completed', completed: 1_499, failed: 1 })
  })

  it('reads in the report what was made, and the row that was not', () => {
    const { counts, errors } = made.report as unknown as Report
    expect(counts).to.deep.equal({ created: 1_499, updated: 0, skipped: 0, failed: 1 })
    expect(errors.map(({ line, path, value }) => ({ line, path, value }))).to.deep.equal([
      { line: 700, path: 'product.productionDate', value: '2026-02-31' },
    ])
  })

  it('finds both imports in the list, the newer one with every row skipped, and none that goes on', async () => {
    const [again, first] = made.list.data
    expect([again?.id, first?.id]).to.deep.equal([made.again.body.id, made.started.body.id])
    expect((await shop.api.get(`/v1/imports/${again?.id}/report`)).body['counts']).to.deep.equal({
      created: 0,
      updated: 0,
      skipped: 3,
      failed: 0,
    })
    expect(made.running).to.deep.equal([])
  })
})
