import { expect } from 'chai'
import { createImport, createMapper, sendFile } from '../../core/imports/intake/intake.maker.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { buildBuyer, buildPublishedPassport, buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { createApiClient, type Answer } from '../../support/client.ts'

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

describe('Tenant isolation: jobs and event streams of another organization', () => {
  let victim: Shop
  let attacker: Shop
  let sheet: string
  let mint: string
  let imported: string
  before(async () => {
    ;[victim, attacker] = [await buildShop(), await buildShop()]
    sheet = await buildSheet(victim)
    const started = await victim.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'VICTIM-1' }])
    mint = String(started.body['jobId'])
    await waitForJob(victim.api, `/v1/jobs/${mint}`)
    imported = await createImport(victim, [
      { product: { idGranularity: 'item', name: 'Canary', itemNumber: 'VICTIM-2' } },
    ])
  })

  it('answers 404 to a job of another organization, alone and below a sheet', async () => {
    await expectAbsent(attacker, `/v1/jobs/${mint}`, mint)
    await expectAbsent(attacker, `/v1/dpp/products/${sheet}/mint/${mint}/status`, sheet)
    const own = await buildSheet(attacker)
    expect((await attacker.api.get(`/v1/dpp/products/${own}/mint/${mint}/status`)).status).to.equal(404)
  })

  it('answers 404 to the event stream of a job of another organization', async () => {
    for (const path of [`/v1/jobs/${mint}/sse`, `/v1/imports/${imported}/progress`]) {
      await expectAbsent(attacker, path, path.includes(mint) ? mint : imported, stream)
      const resumed = await attacker.api.get(path, { headers: { ...stream.headers, 'last-event-id': '1' } })
      expect(resumed.status, path).to.equal(404)
    }
  })

  it('answers 404 to the report of an import of another organization', async () => {
    await expectAbsent(attacker, `/v1/imports/${imported}`, imported)
    await expectAbsent(attacker, `/v1/imports/${imported}/report`, imported)
    await expectAbsent(attacker, `/v1/imports/${imported}/report`, imported, { headers: { accept: 'text/csv' } })
    const listed = await attacker.api.get('/v1/imports')
    expect(listed.body, listed.text).to.include({ total: 0 })
  })

  it('refuses to start a job on a sheet, application or mapper of another organization', async () => {
    const before = await victim.api.get('/v1/dpp/passports')
    const mapper = await createMapper(victim)
    expect((await attacker.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'THEFT-1' }])).status).to.equal(
      404,
    )
    const row = JSON.stringify([{ product: { idGranularity: 'item', name: 'Theft', itemNumber: 'THEFT-2' } }])
    expect((await sendFile(attacker, row, { query: { application: victim.application } })).status).to.equal(404)
    expect(
      (await sendFile(attacker, 'ref,name\nTHEFT-3,Theft\n', { query: { mapperId: mapper }, type: 'text/csv' })).status,
    ).to.equal(404)
    const publish = await attacker.api.post(`/v1/dpp/passports/publish?filters[product][eq]=${sheet}`)
    expect(publish.body).to.include({ matched: 0 })
    expect((await victim.api.get('/v1/dpp/passports')).body['total']).to.equal(before.body['total'])
  })

  it('answers 404 to the claim job of another buyer', async () => {
    const buyer = await buildBuyer(victim)
    const { id } = await buildPublishedPassport(victim, sheet)
    const token = String((await victim.api.get(`/v1/dpp/passports/${id}/magic-token`)).body['token'])
    const claim = await buyer.post('/v1/dpp/claim/magicToken', { magicToken: token })
    const job = String(claim.body['jobId'])
    await waitForJob(buyer, `/v1/dpp/claim/${job}/status`)
    for (const api of [await buildBuyer(victim), await buildBuyer(attacker), attacker.api]) {
      for (const path of [`/v1/jobs/${job}`, `/v1/jobs/${job}/sse`]) {
        expect((await api.get(path, path.endsWith('sse') ? stream : {})).status, path).to.equal(404)
      }
    }
    const others = await buildBuyer(victim)
    expect((await others.get(`/v1/dpp/claim/${job}/status`)).status).to.equal(404)
    expect((await others.get(`/v1/dpp/claim/${job}/status/sse`, stream)).status).to.equal(404)
  })

  it('hides answers stored under an idempotency key of another organization', async () => {
    const headers = { 'idempotency-key': `takeover-${process.pid}` }
    const body = { name: "Victim's sheet", application: victim.application, network: 'EthereumAnvil' }
    const first = await victim.api.post('/v1/dpp/products', body, { headers })
    expect(first.status, first.text).to.equal(201)
    const tried = await attacker.api.post('/v1/dpp/products', body, { headers })
    expect(tried.status).to.equal(404)
    expect(tried.text).not.to.contain(String(first.body['id']))
    expect((await createApiClient().post('/v1/dpp/products', body, { headers })).status).to.equal(401)
  })
})
