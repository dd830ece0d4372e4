import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import {
  getBody,
  waitForJob,
  listFaultPaths,
  createSerial,
  readPassport,
  formatVerdict,
} from '../../dpp/passports/fixtures.ts'
import { buildSheet, buildShop, type Shop } from '../../../support/world.ts'

const inexact = [
  '12345678901234567890',
  '9007199254740993',
  '0.12345678901234567891',
  '1e-400',
  '123456789012345678e-3',
]
const exact: Record<string, number> = {
  '1.10': 1.1,
  '1e3': 1000,
  '100000000000000000000000': 1e23,
  '9007199254740994': 9007199254740994,
  '-0.0': 0,
  '0.30000000000000004': 0.30000000000000004,
  '1.00000000000000000000': 1,
  '5e-324': 5e-324,
}

describe('Numbers in JSON bodies', () => {
  let shop: Shop
  let sheet: string
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop, {
      passportsFields: [
        { name: 'serialNumber', type: 'string', required: true },
        { name: 'size', type: 'number' },
        { name: 'more', type: 'json' },
      ],
    })
  })

  const create = (fields: string) =>
    shop.api.post('/v1/dpp/passports', undefined, {
      raw: `{"product":"${sheet}","fields":{"serialNumber":"${createSerial()}",${fields}}}`,
    })

  it('are refused at their path where a double would change them', async () => {
    for (const number of inexact) {
      const answer = await create(`"size":${number},"more":{"parts":[{"weight":1},{"weight":${number}}]}`)
      expect(formatVerdict(answer), number).to.equal('422 VALIDATION_FAILED')
      expect(listFaultPaths(answer), number).to.deep.equal(['fields.size', 'fields.more.parts[1].weight'])
      expect(answer.text).to.contain('not_exact')
    }
  })

  it('are stored as they were sent where a double keeps them, and as texts', async () => {
    for (const [number, value] of Object.entries(exact)) {
      const answer = await create(`"size":${number},"more":["${number}","12345678901234567890"]`)
      expect(answer.status, answer.text).to.equal(201)
      const { fields } = await readPassport(shop.api, answer.body.id)
      expect(fields?.['size'], number).to.equal(value)
      expect(fields?.['more']).to.deep.equal([number, '12345678901234567890'])
    }
  })

  it('are judged in a change, in a batch and where every refusal is 400', async () => {
    const made = await create('"size":1')
    const path = `/v1/dpp/passports/${String(made.body.id)}`
    const changed = await shop.api.patch(path, undefined, { raw: '{"fields":{"size":12345678901234567890}}' })
    expect([formatVerdict(changed), listFaultPaths(changed)]).to.deep.equal(['422 VALIDATION_FAILED', ['fields.size']])
    const rows = `[{"serialNumber":"${createSerial()}","size":1},{"serialNumber":"${createSerial()}","size":12345678901234567890}]`
    const batch = await shop.api.post(`/v1/dpp/products/${sheet}/mint`, undefined, { raw: rows })
    expect([formatVerdict(batch), listFaultPaths(batch)]).to.deep.equal(['422 VALIDATION_FAILED', ['[1].size']])
    const mapper = await shop.api.post('/v1/import/mappers', undefined, {
      raw: `{"name":"m","application":"${shop.application}","type":"file","format":"csv","rows":[{"destination":"data.n","kind":"constant","value":12345678901234567890}]}`,
    })
    expect([formatVerdict(mapper), listFaultPaths(mapper)]).to.deep.equal(['400 INVALID_REQUEST', ['rows[0].value']])
  })

  it('fail their row alone in a JSON import', async () => {
    const row = (data: string) =>
      `{"product":{"idGranularity":"item","name":"Bag","itemNumber":"${randomUUID()}"},"data":${data}}`
    const raw = `[${row('{"n":12345678901234567890}')},${row('{"n":1.50}')}]`
    const started = await shop.api.post(
      `/v1/imports?entityName=DppPassport&application=${shop.application}&network=EthereumAnvil`,
      undefined,
      { raw },
    )
    expect(started.status, started.text).to.equal(202)
    const job = await waitForJob(shop.api, String(started.headers['location']))
    expect([job.completed, job.failed]).to.deep.equal([1, 1])
    expect(job.errors?.map(({ line, path, code }) => [line, path, code])).to.deep.equal([[0, 'data.n', 'not_exact']])
    const listed = await shop.api.get(
      `/v1/dpp/passports?filters[source][eq]=import&filters[application.id][eq]=${shop.application}`,
    )
    expect(getBody<{ data: { data: unknown }[] }>(listed).data.map(({ data }) => data)).to.deep.equal([{ n: 1.5 }])
  })
})
