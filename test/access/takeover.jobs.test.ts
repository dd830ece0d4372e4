import { expect } from 'chai'
import { newImport, newMapper, sendFile } from '../core/imports/intake.maker.ts'
import { ended, newBuyer, newPublished, newSheet, newShop, type Shop } from '../core/passports/fixtures.ts'
import { client, type Answer } from '../support/client.ts'

const absent = '01a1f94a-0000-7000-8000-000000000000'
const stream = { headers: { accept: 'text/event-stream' } }

/** What an answer says but for the parts that name the request itself. */
function tellsOf({ status, headers, body }: Answer) {
  const { instance: _, requestId: __, ...rest } = body ?? {}
  return { status, type: headers['content-type'], body: rest }
}

/** Reads an address of the victim's and the same address with an id that nobody has: nothing may tell them apart. */
async function expectAbsent({ api }: Pick<Shop, 'api'>, path: string, id: string, options = {}): Promise<void> {
  const [theirs, nobodys] = [await api.get(path, options), await api.get(path.replace(id, absent), options)]
  expect(theirs.status, path).to.equal(404)
  expect(tellsOf(theirs), path).to.deep.equal(tellsOf(nobodys))
}

describe('Takeover of jobs and streams: what one organization tries against another', () => {
  let victim: Shop
  let attacker: Shop
  let sheet: string
  let mint: string
  let imported: string
  before(async () => {
    [victim, attacker] = [await newShop(), await newShop()]
    sheet = await newSheet(victim)
    const started = await victim.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'VICTIM-1' }])
    mint = String(started.body['jobId'])
    await ended(victim.api, `/v1/jobs/${mint}`)
    imported = await newImport(victim, [{ product: { idGranularity: 'item', name: 'Canary', itemNumber: 'VICTIM-2' } }])
  })

  it('reading the job by its id, alone and below a sheet of its own', async () => {
    await expectAbsent(attacker, `/v1/jobs/${mint}`, mint)
    await expectAbsent(attacker, `/v1/dpp/products/${sheet}/mint/${mint}/status`, sheet)
    const own = await newSheet(attacker)
    expect((await attacker.api.get(`/v1/dpp/products/${own}/mint/${mint}/status`)).status).to.equal(404)
  })

  it('following the job\'s stream, also from where it ended', async () => {
    for (const path of [`/v1/jobs/${mint}/sse`, `/v1/imports/${imported}/progress`]) {
      await expectAbsent(attacker, path, path.includes(mint) ? mint : imported, stream)
      const resumed = await attacker.api.get(path, { headers: { ...stream.headers, 'last-event-id': '1' } })
      expect(resumed.status, path).to.equal(404)
    }
  })

  it('reading what an import found wrong, as JSON and as a file', async () => {
    await expectAbsent(attacker, `/v1/imports/${imported}`, imported)
    await expectAbsent(attacker, `/v1/imports/${imported}/report`, imported)
    await expectAbsent(attacker, `/v1/imports/${imported}/report`, imported, { headers: { accept: 'text/csv' } })
    const listed = await attacker.api.get('/v1/imports')
    expect(listed.body, listed.text).to.include({ total: 0 })
  })

  it('starting a job on the victim\'s sheet, application or mapper', async () => {
    const before = await victim.api.get('/v1/dpp/passports')
    const mapper = await newMapper(victim)
    expect((await attacker.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'THEFT-1' }])).status).to.equal(404)
    const row = JSON.stringify([{ product: { idGranularity: 'item', name: 'Theft', itemNumber: 'THEFT-2' } }])
    expect((await sendFile(attacker, row, { query: { application: victim.application } })).status).to.equal(404)
    expect((await sendFile(attacker, 'ref,name\nTHEFT-3,Theft\n', { query: { mapperId: mapper }, type: 'text/csv' })).status).to.equal(404)
    const publish = await attacker.api.post(`/v1/dpp/passports/publish?filters[product][eq]=${sheet}`)
    expect(publish.body).to.include({ matched: 0 })
    expect((await victim.api.get('/v1/dpp/passports')).body['total']).to.equal(before.body['total'])
  })

  it('reading the job of another buyer\'s claim', async () => {
    const buyer = await newBuyer(victim)
    const { id } = await newPublished(victim, sheet)
    const token = String((await victim.api.get(`/v1/dpp/passports/${id}/magic-token`)).body['token'])
    const claim = await buyer.post('/v1/dpp/claim/magicToken', { magicToken: token })
    const job = String(claim.body['jobId'])
    await ended(buyer, `/v1/dpp/claim/${job}/status`)
    for (const api of [await newBuyer(victim), await newBuyer(attacker), attacker.api]) {
      for (const path of [`/v1/jobs/${job}`, `/v1/jobs/${job}/sse`]) {
        expect((await api.get(path, path.endsWith('sse') ? stream : {})).status, path).to.equal(404)
      }
    }
    const others = await newBuyer(victim)
    expect((await others.get(`/v1/dpp/claim/${job}/status`)).status).to.equal(404)
    expect((await others.get(`/v1/dpp/claim/${job}/status/sse`, stream)).status).to.equal(404)
  })

  it('taking an answer that was stored under the victim\'s idempotency key', async () => {
    const headers = { 'idempotency-key': `takeover-${process.pid}` }
    const body = { name: 'Victim\'s sheet', application: victim.application, network: 'EthereumAnvil' }
    const first = await victim.api.post('/v1/dpp/products', body, { headers })
    expect(first.status, first.text).to.equal(201)
    const tried = await attacker.api.post('/v1/dpp/products', body, { headers })
    expect(tried.status).to.equal(404)
    expect(tried.text).not.to.contain(String(first.body['id']))
    expect((await client().post('/v1/dpp/products', body, { headers })).status).to.equal(401)
  })
})
