import { expect } from 'chai'
import { createApiClient } from '../../support/client.ts'
import { waitUntil } from '../../support/processes.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'

const passportsFields = [{ name: 'serialNumber', type: 'string', required: true }]

describe('Mint job: a worker killed on the way', () => {
  let own: OwnPlatform | undefined

  after(() => own?.stop())

  it('publishes every passport once after a kill between two chunks of a publish job', async () => {
    own = await startPlatform({ faults: { worker: 'unit.between:2' } })
    const { application, lines } = own
    const api = createApiClient(own.apiKey, own.api)
    const {
      body: { id: product },
    } = await api.post('/v1/dpp/products', {
      application,
      network: 'EthereumAnvil',
      name: 'Bag',
      status: 'ACTIVE',
      passportsFields,
    })
    // A busy machine refuses some of a hundred requests at once: the same key makes them again, and none twice.
    const create = (serialNumber: string) =>
      waitUntil('it is created', async () => {
        const headers = { 'idempotency-key': serialNumber }
        return (await api.post('/v1/dpp/passports', { product, fields: { serialNumber } }, { headers })).status === 201
      })
    for (let at = 0; at < 13; at++) await Promise.all(Array.from({ length: 100 }, (_, row) => create(`${at}-${row}`)))
    const { body } = await api.post('/v1/dpp/passports/publish?skipCertification=true')
    expect(body).to.include({ matched: 1300 })
    const done = await waitForJob(api, `/v1/jobs/${body['jobId']}`)
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
