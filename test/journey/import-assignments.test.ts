import { expect } from 'chai'
import { buildShop, type Shop } from '../support/world.ts'
import { createAssistant } from './assistant.ts'

const table = ['Kunden-E-Mail;Punktestand', 'ada@c.example;120', 'bob@c.example;7', 'nobody;3'].join('\n')

interface Preview {
  mapping: { destination: string; source?: string }[]
  preview: { failed: number; records: object[] }
}
interface Ended {
  status: string
  report: { counts: object; errors: { line: number; path: string }[] }
}

describe('Journey over MCP: an assistant imports points for customers from a table', function () {
  this.timeout(60_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('in two calls, and learns which line failed', async () => {
    const { client, call } = await createAssistant(shop.key)
    const args = { application: shop.application, entityName: 'AccountAssignment', text: table }
    const first = await call('import_table', { ...args, dryRun: true })
    expect(first.result['isError'] ?? false, JSON.stringify(first.result)).to.equal(false)
    const { mapping, preview } = first.body as unknown as Preview
    expect(mapping.map(({ destination }) => destination)).to.deep.equal(['email', 'optimisticBalance'])
    expect([preview.failed, preview.records.length]).to.deep.equal([1, 2])
    const second = (await call('import_table', { ...args, mapping })).body as unknown as Ended
    expect(second.status).to.equal('completed')
    expect(second.report.counts).to.deep.equal({ created: 2, updated: 0, skipped: 0, failed: 1 })
    expect(second.report.errors.map(({ line, path }) => `${line} ${path}`)).to.deep.equal(['4 email'])
    await client.close()
  })

  it('with a mapper that it suggests, previews, keeps and uses', async () => {
    const { client, call } = await createAssistant(shop.key)
    const { application } = shop
    const entityName = 'AccountAssignment'
    const fields = [
      { id: 'Mail', example: 'ada@c.example' },
      { id: 'Punkte', example: '120' },
    ]
    const { body } = await call('suggest_import_mapping', { application, entityName, fields })
    const found = body['correspondences'] as { destination: string; source: string; confidence: string }[]
    expect(found.map((one) => `${one.destination} ${one.confidence}`)).to.deep.equal([
      'email high',
      'optimisticBalance high',
    ])
    const rows = found.map(({ destination, source }) => ({ destination, kind: 'field', source }))
    const mapper = { application, entityName, name: 'Guests', type: 'file', format: 'csv', rows }
    const shown = await call('preview_import_mapper', {
      mapper,
      application,
      sample: 'Mail;Punkte\ncleo@c.example;3\n',
    })
    expect(shown.body['rows']).to.have.nested.property('[0].record.email', 'cleo@c.example')
    const kept = await call('create_import_mapper', mapper)
    const text = 'Mail;Punkte\ncleo@c.example;3\n'
    const sent = { entityName, application, mapperId: kept.body.id, text, format: 'csv' }
    const tried = (await call('create_import', { ...sent, dryRun: true })).body as unknown as Ended
    expect(tried.report.counts).to.include({ created: 1 })
    const ended = (await call('create_import', sent)).body as unknown as Ended
    expect(ended.report.counts).to.include({ created: 1 })
    await client.close()
  })
})
