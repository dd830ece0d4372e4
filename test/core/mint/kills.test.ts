import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { client, type Client } from '../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../support/platform.ts'
import { eventually } from '../../support/processes.ts'
import { transfersOf } from '../passports/chain.ts'
import { bodyOf, ended, readPassport } from '../passports/fixtures.ts'
import type { MintJob } from '../../../core/features/dpp/mint.schema.ts'

const passportsFields = [{ name: 'serialNumber', type: 'string', required: true }]

/** Whether a process of the platform was struck at this point. */
const struck = ({ lines }: OwnPlatform, point: string) =>
  lines.some((line) => line.includes('"struck"') && line.includes(point))

describe('A process that dies', () => {
  let own: OwnPlatform | undefined

  afterEach(async () => {
    await own?.stop()
    own = undefined
  })

  async function newSheet(api: Client, { application }: OwnPlatform): Promise<string> {
    const { body } = await api.post('/v1/dpp/products', {
      application,
      network: 'EthereumAnvil',
      name: 'Bag',
      status: 'ACTIVE',
      passportsFields,
    })
    return String(body['id'])
  }

  it('right after it accepted a batch has accepted it, once', async () => {
    own = await startPlatform({ faults: { server: 'mint.row-stored' } })
    const platform = own
    const api = client(own.apiKey, own.api)
    const sheet = await newSheet(api, own)
    const rows = Array.from({ length: 40 }, (_, at) => ({ serialNumber: `K-${at}` }))
    const headers = { 'idempotency-key': randomUUID() }
    const mint = () => api.post(`/v1/dpp/products/${sheet}/mint`, rows, { headers })
    const lost = await mint().then(() => 'answered', () => 'lost')
    expect(lost).to.equal('lost')
    expect(struck(platform, 'mint.row-stored')).to.equal(true)
    await eventually(
      'the API answers again',
      () =>
        api.get('/health/live').then(
          ({ status }) => status === 200,
          () => false,
        ),
      60_000,
    )
    const again = await mint()
    expect(again.status, again.text).to.equal(202)
    expect(again.headers['idempotency-replayed']).to.equal('true')
    const done = await ended(api, `/v1/dpp/products/${sheet}/mint/${again.body['jobId']}/status`)
    expect(done).to.include({ status: 'completed', completed: 40, failed: 0 })
    expect((await api.get(`/v1/dpp/passports?filters[product][eq]=${sheet}`)).body).to.include({ total: 40 })
  })

  for (const point of ['tx.stored', 'tx.broadcast', 'tx.receipt']) {
    it(`at ${point} of a batch mint leaves every token minted once`, async () => {
      own = await startPlatform({ faults: { worker: point } })
      const api = client(own.apiKey, own.api)
      const sheet = await newSheet(api, own)
      const { body } = await api.post(
        `/v1/dpp/products/${sheet}/mint`,
        Array.from({ length: 60 }, (_, at) => ({ serialNumber: `K-${at}` })),
      )
      const path = `/v1/dpp/products/${sheet}/mint/${body['jobId']}/status`
      const done = await ended(api, path)
      expect(struck(own, point)).to.equal(true)
      expect(done).to.include({ status: 'completed', total: 60, completed: 60, failed: 0 })
      const { results } = bodyOf<MintJob>(await api.get(path))
      const { token } = await readPassport(api, results[0]?.passport)
      const onChain = await transfersOf(String(token?.contract), own.rpc)
      expect(results.map(({ tokenId }) => onChain.get(tokenId)?.length)).to.deep.equal(results.map(() => 1))
      expect(onChain.size).to.equal(60)
    })
  }

  it('between two chunks of a publish job leaves every passport published once', async () => {
    own = await startPlatform({ faults: { worker: 'unit.between:2' } })
    const api = client(own.apiKey, own.api)
    const sheet = await newSheet(api, own)
    for (let at = 0; at < 13; at++) {
      await Promise.all(
        Array.from({ length: 100 }, (_, row) =>
          api.post('/v1/dpp/passports', { product: sheet, fields: { serialNumber: `${at}-${row}` } }),
        ),
      )
    }
    const { body } = await api.post('/v1/dpp/passports/publish')
    expect(body).to.include({ matched: 1300 })
    const done = await ended(api, `/v1/jobs/${body['jobId']}`)
    expect(struck(own, 'unit.between')).to.equal(true)
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
