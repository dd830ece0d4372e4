import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { client, type Client } from '../../support/client.ts'
import { startKubo, type Kubo } from '../../support/kubo.ts'
import { platform, startPlatform, type OwnPlatform } from '../../support/platform.ts'
import { operator } from '../identity/people.ts'
import { ended, newShop, readPassport, verdict, type Shop } from '../passports/fixtures.ts'
import { credentialAt, newBody, newCertified } from './certified.ts'
import { until } from './keys.ts'

const placeOf = (cid: string, dataDir = platform.dataDir) => join(dataDir, 'ipfs', cid.slice(-3, -1), cid)

describe('Credentials by content identifier', () => {
  let shop: Shop

  before(async () => { shop = await newShop() })

  const rowOf = async (passport: string) => {
    const { db } = await operator()
    return db('passport_credentials').where({ passport })
      .first<{ ld: Buffer; cid: string; pinned_at: Date | null }>('ld', 'cid', 'pinned_at')
  }

  it('are kept in the store of the installation where there is no node, for its user only', async () => {
    const id = await newCertified(shop)
    const { ld, cid, pinned_at: pinnedAt } = await rowOf(id)
    const place = placeOf(cid)
    expect(readFileSync(place).equals(ld)).to.equal(true)
    expect([statSync(place).mode & 0o777, pinnedAt instanceof Date]).to.deep.equal([0o600, true])
    expect(readdirSync(dirname(place)).filter((name) => name.startsWith('.'))).to.deep.equal([])
  })

  it('are read from there when the stored bytes are gone, unless they are others by now', async () => {
    const id = await newCertified(shop)
    const { ld, cid } = await rowOf(id)
    const { db } = await operator()
    await db('passport_credentials').where({ passport: id }).update({ ld: null, jwt: null })
    const answer = await client().get(credentialAt(id))
    expect([answer.status, answer.headers['content-type'], answer.bytes.equals(ld)]).to.deep.equal([200, 'application/ld+json', true])
    writeFileSync(placeOf(cid), ld.toString('utf8').replace('"red"', '"tea"'))
    expect(verdict(await client().get(credentialAt(id)))).to.equal('503 DPP_VC_IPFS_UNAVAILABLE')
    rmSync(placeOf(cid))
    expect(verdict(await client().get(credentialAt(id)))).to.equal('503 DPP_VC_IPFS_UNAVAILABLE')
  })

  it('are never kept of a certificate that its organization hosts', async () => {
    const body = newBody(shop, { certificateUri: 'https://certificates.example/one.jsonld' })
    const id = await newCertified(shop, body)
    expect(await rowOf(id)).to.deep.equal({ ld: null, cid: null, pinned_at: null })
    expect((await readPassport(shop.api, id)).ipfsCid).to.equal(null)
  })
})

describe('Content on an IPFS node', function () {
  this.timeout(60_000)
  let kubo: Kubo
  let own: OwnPlatform
  let api: Client

  before(async () => {
    kubo = await startKubo()
    kubo.authorization = `Basic ${Buffer.from('tessera:p w').toString('base64')}`
    own = await startPlatform({ env: { IPFS_API_URL: kubo.api.replace('//', '//tessera:p%20w@') } })
    api = client(own.apiKey, own.api)
  })
  after(async () => {
    await own.stop()
    await kubo.stop()
  })
  beforeEach(() => {
    kubo.mood = 'well'
    kubo.calls.length = 0
  })

  async function begin(): Promise<{ id: string; job: string }> {
    const made = await api.post('/v1/dpp/passports', newBody(own))
    expect(made.status, made.text).to.equal(201)
    const started = await api.post(`/v1/dpp/passports/publish?filters[id][eq]=${made.body.id}`)
    expect(started.status, started.text).to.equal(202)
    return { id: String(made.body.id), job: String(started.body.jobId) }
  }
  const certified = (id: string) => until(() => readPassport(api, id), ({ certificationStatus }) => certificationStatus === 'certified')

  it('is pinned as it is served, once, under the identifier that the passport has', async () => {
    const { id, job } = await begin()
    expect(await ended(api, `/v1/jobs/${job}`)).to.include({ status: 'completed', failed: 0 })
    const { ipfsCid } = await readPassport(api, id)
    const served = await client({}, own.api).get(credentialAt(id))
    expect(kubo.pinned.get(String(ipfsCid))?.equals(served.bytes)).to.equal(true)
    expect(kubo.calls).to.deep.equal(['200 add'])
    expect(existsSync(join(own.dataDir, 'ipfs'))).to.equal(false)
  })

  it('waits for a node that refuses it, or names it otherwise, while the passport is certified; nothing is lost', async () => {
    kubo.mood = 'broken'
    const { id, job } = await begin()
    const cid = String((await certified(id)).ipfsCid)
    kubo.mood = 'lying'
    await until(async () => kubo.calls, (calls) => calls.includes('200 add'))
    expect(kubo.calls[0]).to.equal('500 add')
    expect((await api.get(`/v1/jobs/${job}`)).body.status).to.equal('pending')
    expect((await client({}, own.api).get(credentialAt(id))).status).to.equal(200)
    kubo.mood = 'well'
    expect(await ended(api, `/v1/jobs/${job}`)).to.deep.include({ status: 'completed', total: 1, completed: 1, failed: 0 })
    expect(kubo.pinned.has(cid)).to.equal(true)
    expect(own.lines.filter((line) => line.includes('p%20w') || line.includes('p w'))).to.deep.equal([])
  })

  it('takes opt-in forms, and a node that is away is told as such', async () => {
    const content = Buffer.from('%PDF-1.7 one').toString('base64')
    const form = { application: own.application, fileName: 'one.pdf', contentType: 'application/pdf', content }
    const kept = await api.post('/v1/dpp/opt-in-forms', form)
    expect(kept.status, kept.text).to.equal(201)
    expect(kubo.pinned.has(String(kept.body.uri).slice('ipfs://'.length))).to.equal(true)
    kubo.mood = 'broken'
    const away = await api.post('/v1/dpp/opt-in-forms', form)
    expect([away.status, away.headers['retry-after']], away.text).to.deep.equal([503, '2'])
  })
})
