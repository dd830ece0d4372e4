import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createUniqueName } from '../../core/identity/people.ts'
import { getRows, waitForJob } from '../../core/dpp/passports/fixtures.ts'
import type { CarefulAssistant, Json, Outcome } from './careful-assistant.ts'
import type { Goal } from './goal.ts'

const rows = 20

/** Goal c: a table with headings that nobody explained, and two bad rows. */
export const unknownTable: Goal = {
  letter: 'c',
  title: 'a CSV of 20 rows, unknown headings, two bad',
  limits: { calls: 3 },
  async reach({ shop, connect }) {
    const prefix = createUniqueName('R')
    const bad = [randomInt(2, rows / 2), randomInt(rows / 2, rows)]
    const text = [
      'Artikelnummer;Bezeichnung;Serien-Nr.;Herkunftsland;EAN',
      ...Array.from({ length: rows }, (_, at) => {
        // A name is required, and the check digit of the second bad row is wrong.
        const name = at === bad[0] ? '' : `Tasche ${at}`
        return `${prefix};${name};${prefix}-${at};PT;${at === bad[1] ? '4006381333932' : '4006381333931'}`
      }),
    ].join('\r\n')
    const assistant = await connect()
    const outcome = await importText(assistant, shop.application, text)
    expect(outcome.text).to.contain('completed')
    const stored = await shop.api.get(`/v1/dpp/passports?filters[application.id][eq]=${shop.application}&pageSize=100`)
    expect(stored.body.total, outcome.text).to.equal(rows - bad.length)
    // Lines of the file are counted from 1, with the headings.
    for (const at of bad) expect(outcome.text).to.contain(`"line":${at + 2}`)
  },
}

/** Imports a text: suggests and judges first, then imports with the mapping that came back. */
async function importText(assistant: CarefulAssistant, application: string, text: string): Promise<Outcome> {
  const args = { application, network: 'EthereumAnvil', text }
  const first = await assistant.achieve('import a CSV table', 'import_table', args)
  if (first.body['jobId'] !== undefined || first.body['status'] === 'completed') return first
  return assistant.achieve('import a CSV table', 'import_table', {
    ...args,
    mapping: withGranularity(first.body['mapping'] ?? ([] as unknown as Json)),
    dryRun: false,
  })
}

/** Says what a row is, if the suggestion leaves it open. */
function withGranularity(mapping: Json): unknown[] {
  const stated = mapping as unknown as { destination: string }[]
  return stated.some(({ destination }) => destination === 'product.idGranularity')
    ? stated
    : [...stated, { destination: 'product.idGranularity', kind: 'constant', value: 'item' }]
}

const changed = 200
/** The pause of an assistant between two looks, in milliseconds. */
const pauseMs = 500

/** Goal g: one field of 200 passports changes, and they are certified again. */
export const changedField: Goal = {
  letter: 'g',
  title: 'change a field of 200 passports and certify them again',
  async reach({ shop, connect }) {
    const prefix = createUniqueName('C')
    const base = [
      { destination: 'reference', kind: 'field', source: 'ref', required: true },
      { destination: 'product.idGranularity', kind: 'constant', value: 'item' },
      { destination: 'product.name', kind: 'constant', value: 'Scarf' },
      { destination: 'product.itemNumber', kind: 'field', source: 'ref', required: true },
      { destination: 'data.origin', kind: 'field', source: 'origin' },
      { destination: 'certifiedPaths[0]', kind: 'constant', value: 'origin' },
    ]
    const createText = (origin: string) =>
      ['ref,origin', ...Array.from({ length: changed }, (_, at) => `${prefix}-${at},${origin}`)].join('\n')
    const { application, api } = shop
    const table = { application, network: 'EthereumAnvil', mapping: base }
    const started = await api.post('/v1/imports/table', { ...table, text: createText('PT') })
    expect(started.status, started.text).to.equal(202)
    await waitForJob(api, `/v1/jobs/${started.body.jobId}`)
    const first = await api.post(`/v1/dpp/passports/publish?filters[application.id][eq]=${application}`)
    await waitForJob(api, `/v1/jobs/${first.body.jobId}`)

    const assistant = await connect()
    const mine = { 'application.id': { eq: application } }
    const imported = await assistant.achieve('change many passports by a table', 'import_table', {
      ...table,
      text: createText('IT'),
      onDuplicate: 'update',
    })
    expect(imported.text).to.contain('completed')
    await assistant.achieve('certify passports', 'certify_dpp_passports', { filters: mine })
    // What a change certifies again goes on after the import, so the assistant looks until nothing is left to do.
    const isLeft = async () => {
      const listed = await assistant.achieve('list passports', 'list_dpp_passports', {
        filters: { ...mine, 'certifyJob.status': { eq: 'pending' } },
        fields: 'id',
        pageSize: 1,
      })
      return Number(listed.body['total']) > 0
    }
    while (await isLeft()) await sleep(pauseMs)
    for (const page of [1, 2]) {
      const stored = getRows(
        await api.get(`/v1/dpp/passports?filters[application.id][eq]=${application}&pageSize=100&currentPage=${page}`),
      )
      const states = stored.map(({ data, certificationStatus }) => `${JSON.stringify(data)} ${certificationStatus}`)
      expect(new Set(states)).to.deep.equal(new Set(['{"origin":"IT"} certified']))
    }
  },
}

/** Goal h: why an import failed, in words that its owner can act on. */
export const failedImport: Goal = {
  letter: 'h',
  title: 'explain a failed import',
  async reach({ shop, connect }) {
    const bad = randomInt(1, 5)
    const items = Array.from({ length: 5 }, (_, at) => ({
      product: { idGranularity: at === bad ? 'box' : 'item', name: 'Belt', itemNumber: createUniqueName('I') },
    }))
    const started = await shop.api.post(
      `/v1/imports?entityName=DppPassport&application=${shop.application}&network=EthereumAnvil`,
      items,
    )
    expect(started.status, started.text).to.equal(202)
    await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)
    const assistant = await connect()
    const imports = await assistant.achieve('list imports', 'list_imports', { fields: 'id,status,failed', pageSize: 1 })
    const [last] = (imports.body['data'] ?? []) as unknown as Json[]
    expect(last?.['failed']).to.equal(1)
    const report = await assistant.achieve('report of an import', 'get_import_report', { id: String(last?.['id']) })
    const errors = report.body['errors'] as unknown as Json[]
    expect(errors).to.have.length(1)
    expect(errors[0]).to.include({ line: bad, path: 'product.idGranularity' })
    expect(String(errors[0]?.['message'])).to.have.length.greaterThan(10)
  },
}

/** Goal j: a person who speaks German has products with French names. */
export const foreignNames: Goal = {
  letter: 'j',
  title: 'German user, French product names',
  async reach({ shop, connect }) {
    const names = ['Écharpe côtelée', 'Bonnet « Noël »', `Œillet n° ${randomInt(1_000)}`]
    const prefix = createUniqueName('F')
    const text = ['Désignation;Numéro de série', ...names.map((name, at) => `${name};${prefix}-${at}`)].join('\n')
    const assistant = await connect()
    const outcome = await importText(assistant, shop.application, text)
    expect(outcome.text).to.contain('completed')
    const listed = await assistant.achieve('Produktpässe auflisten', 'list_dpp_passports', {
      filters: { 'product.name': { contains: names[0] } },
      fields: 'id,product.name,product.itemNumber',
    })
    expect(listed.body['data']?.[0]?.['product']).to.deep.equal({ name: names[0], itemNumber: `${prefix}-0` })
    await assistant.achieve('Produktpässe veröffentlichen', 'publish_dpp_passports', {
      filters: { 'application.id': { eq: shop.application } },
      skipCertification: true,
    })
    const stored = getRows(
      await shop.api.get(`/v1/dpp/passports?filters[application.id][eq]=${shop.application}&pageSize=10`),
    )
    expect(stored.map(({ product }) => (product as { name: string }).name)).to.have.members(names)
    expect(new Set(stored.map(({ status }) => status))).to.deep.equal(new Set(['published']))
  },
}
