import { expect } from 'chai'
import { client } from '../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../support/platform.ts'
import { ended } from '../passports/fixtures.ts'

const passportsFields = [{ name: 'serialNumber', type: 'string', required: true }]

describe('A worker that dies', () => {
  let own: OwnPlatform | undefined

  after(() => own?.stop())

  it('between two chunks of a publish job leaves every passport published once', async () => {
    own = await startPlatform({ faults: { worker: 'unit.between:2' } })
    const { application, lines } = own
    const api = client(own.apiKey, own.api)
    const { body: { id: product } } = await api.post('/v1/dpp/products', {
      application, network: 'EthereumAnvil', name: 'Bag', status: 'ACTIVE', passportsFields,
    })
    for (let at = 0; at < 13; at++) {
      await Promise.all(Array.from({ length: 100 }, (_, row) =>
        api.post('/v1/dpp/passports', { product, fields: { serialNumber: `${at}-${row}` } })))
    }
    const { body } = await api.post('/v1/dpp/passports/publish?skipCertification=true')
    expect(body).to.include({ matched: 1300 })
    const done = await ended(api, `/v1/jobs/${body['jobId']}`)
    expect(lines.some((line) => line.includes('"struck"') && line.includes('unit.between'))).to.equal(true)
    expect(done).to.deep.include({
      status: 'completed',
      total: 1300,
      completed: 1300,
      failed: 0,
      result: { published: 1300, skipped: 0 },
    })
    expect((await api.get('/v1/events?filters[type][eq]=publish')).body).to.include({ total: 1300 })
  })
}).timeout(180_000)
