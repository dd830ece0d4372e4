import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import type { ContextHandle } from '../../../../core/app/context.ts'
import { findContent } from '../../../../core/features/certification/index.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { startKubo, type KuboStandIn } from '../../../support/network/kubo.ts'
import { removeFolder, createTemporaryFolder } from '../../../support/folders.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { platform } from '../../../support/platform.ts'
import {
  loseStoredForms,
  readSignedCertificate,
  readStoredCertificate,
} from '../../../support/rows/dpp/certificates.ts'
import { getOperator, buildOperator } from '../../identity/people.ts'
import { waitForJob, readPassport, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildCertifiedPassport, buildShop, type Shop } from '../../../support/world.ts'
import { getCredentialPath, createBody } from '../credentials/certified.ts'
import { waitUntilAnswer } from '../keys/keys.ts'
import { formatTree } from './tree.ts'

const placeOf = (cid: string, dataDir = platform.dataDir) => join(dataDir, 'ipfs', cid.slice(-3, -1), cid)

describe('Credentials fetched by content identifier', () => {
  let shop: Shop

  before(async () => {
    shop = await buildShop()
  })

  it('are kept in the store of the installation where there is no node, for its user only', async () => {
    const id = await buildCertifiedPassport(shop)
    const { db } = await getOperator()
    const { ld, cid, pinnedAt } = await readSignedCertificate(db, id)
    const place = placeOf(cid)
    expect(readFileSync(place).equals(ld)).to.equal(true)
    expect([statSync(place).mode & 0o777, pinnedAt instanceof Date]).to.deep.equal([0o600, true])
    expect(readdirSync(dirname(place)).filter((name) => name.startsWith('.'))).to.deep.equal([])
  })

  it('are read from there when the stored bytes are gone, unless they are others by now', async () => {
    const id = await buildCertifiedPassport(shop)
    const { db } = await getOperator()
    const { ld, cid } = await readSignedCertificate(db, id)
    await loseStoredForms(db, id)
    const answer = await createApiClient().get(getCredentialPath(id))
    expect([answer.status, answer.headers['content-type'], answer.bytes.equals(ld)]).to.deep.equal([
      200,
      'application/ld+json',
      true,
    ])
    writeFileSync(placeOf(cid), ld.toString('utf8').replace('"red"', '"tea"'))
    expect(formatVerdict(await createApiClient().get(getCredentialPath(id)))).to.equal('503 DPP_VC_IPFS_UNAVAILABLE')
    rmSync(placeOf(cid))
    expect(formatVerdict(await createApiClient().get(getCredentialPath(id)))).to.equal('503 DPP_VC_IPFS_UNAVAILABLE')
  })

  it('are never kept of a certificate that its organization hosts', async () => {
    const body = createBody(shop, { certificateUri: 'https://certificates.example/one.jsonld' })
    const id = await buildCertifiedPassport(shop, body)
    const { db } = await getOperator()
    expect(await readStoredCertificate(db, id)).to.include({ ld: null, cid: null, pinnedAt: null })
    expect((await readPassport(shop.api, id)).ipfsCid).to.equal(null)
  })
})

describe('IPFS node: pinned credentials', function () {
  this.timeout(60_000)
  let kubo: KuboStandIn
  let own: OwnPlatform
  let api: Client
  let built: ContextHandle
  const dataDir = createTemporaryFolder()
  /** Kept at a time without a node: a form, and a file that has come to be another. */
  const earlier = Buffer.from('%PDF-1.7 from before')
  let kept = { form: '', other: '' }

  before(async () => {
    kept = { form: formatTree(earlier), other: formatTree(Buffer.from('other')) }
    for (const cid of Object.values(kept)) {
      mkdirSync(dirname(placeOf(cid, dataDir)), { recursive: true })
      writeFileSync(placeOf(cid, dataDir), earlier)
    }
    kubo = await startKubo()
    kubo.authorization = `Basic ${Buffer.from('tessera:p w').toString('base64')}`
    own = await startPlatform({ dataDir, env: { IPFS_API_URL: kubo.api.replace('//', '//tessera:p%20w@') } })
    api = createApiClient(own.apiKey, own.api)
    built = await buildOperator(own.database)
  })
  after(async () => {
    await built.close()
    await own.stop()
    await kubo.stop()
    await removeFolder(dataDir)
  })
  beforeEach(() => {
    kubo.behaviour = 'well'
    kubo.calls.length = 0
  })

  async function begin(): Promise<{ id: string; job: string }> {
    const made = await api.post('/v1/dpp/passports', createBody(own))
    expect(made.status, made.text).to.equal(201)
    const started = await api.post(`/v1/dpp/passports/publish?filters[id][eq]=${made.body.id}`)
    expect(started.status, started.text).to.equal(202)
    return { id: String(made.body.id), job: String(started.body.jobId) }
  }
  const certified = (id: string) =>
    waitUntilAnswer(
      () => readPassport(api, id),
      ({ certificationStatus }) => certificationStatus === 'certified',
    )

  it('moves there from the store of a time without one, but for what is not what its name says', async () => {
    await waitUntilAnswer(
      async () => existsSync(placeOf(kept.form, dataDir)),
      (there) => !there,
    )
    expect(kubo.pinned.get(kept.form)?.equals(earlier)).to.equal(true)
    expect(kubo.pinned.has(kept.other)).to.equal(false)
    expect(existsSync(placeOf(kept.other, dataDir))).to.equal(true)
    await waitUntilAnswer(
      async () => own.lines,
      (lines) => lines.some((line) => line.includes('content has moved')),
    )
    expect(own.lines.filter((line) => line.includes('other content than its name says'))).to.have.length(1)
  })

  it('is pinned as it is served, once, under the identifier that the passport has', async () => {
    const { id, job } = await begin()
    expect(await waitForJob(api, `/v1/jobs/${job}`)).to.include({ status: 'completed', failed: 0 })
    const { ipfsCid } = await readPassport(api, id)
    const served = await createApiClient({}, own.api).get(getCredentialPath(id))
    expect(kubo.pinned.get(String(ipfsCid))?.equals(served.bytes)).to.equal(true)
    expect(kubo.calls).to.deep.equal(['200 add'])
    expect(existsSync(placeOf(String(ipfsCid), dataDir))).to.equal(false)
  })

  it('is read from there, and judged, when the stored bytes are gone; never what is not it', async () => {
    const { id, job } = await begin()
    await waitForJob(api, `/v1/jobs/${job}`)
    const anyone = createApiClient({}, own.api)
    const before = await anyone.get(getCredentialPath(id))
    await loseStoredForms(built.context.db, id)
    kubo.calls.length = 0
    const served = await anyone.get(getCredentialPath(id))
    expect([served.status, served.bytes.equals(before.bytes)]).to.deep.equal([200, true])
    const page = await anyone.get(`/p/${id}`)
    expect(page.text).to.contain('Certified and verified').and.to.contain('class="mark"')
    expect(kubo.calls).to.deep.equal(['200 cat', '200 cat'])
    for (const mood of ['lying', 'broken'] as const) {
      kubo.behaviour = mood
      expect(formatVerdict(await anyone.get(getCredentialPath(id))), mood).to.equal('503 DPP_VC_IPFS_UNAVAILABLE')
      expect((await anyone.get(`/p/${id}`)).text, mood).to.contain('Certified, but not checked')
    }
  })

  it('comes from whichever has it, a node or a gateway, and nobody waits for one that says nothing', async () => {
    const content = Buffer.from('{"of":"both"}')
    const cid = formatTree(content)
    const requestedPaths: string[] = []
    const gateway = createServer(({ url }, response) => {
      requestedPaths.push(String(url))
      response.writeHead(url === `/ipfs/${cid}` ? 200 : 404).end(content)
    }).listen(0, '127.0.0.1')
    await once(gateway, 'listening')
    const address = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`
    const settings = { ...built.context.settings, dataDir, ipfsApiUrl: kubo.api, ipfsGatewayUrl: address }
    const read = (name: string, timeoutMs?: number) =>
      findContent({ settings, log: built.context.log }, name, timeoutMs)
    kubo.behaviour = 'silent'
    const began = Date.now()
    expect((await read(cid))?.equals(content)).to.equal(true)
    expect(await read(formatTree(Buffer.from('nobody has this')), 2_000)).to.equal(null)
    expect(Date.now() - began, 'less than the node may take').to.be.lessThan(8_000)
    expect(requestedPaths).to.have.length(2)
    gateway.close()
  })

  it('waits for a node that refuses it, or names it otherwise, while the passport is certified; nothing is lost', async () => {
    kubo.behaviour = 'broken'
    const { id, job } = await begin()
    const cid = String((await certified(id)).ipfsCid)
    kubo.behaviour = 'lying'
    await waitUntilAnswer(
      async () => kubo.calls,
      (calls) => calls.includes('200 add'),
    )
    expect(kubo.calls[0]).to.equal('500 add')
    expect((await api.get(`/v1/jobs/${job}`)).body.status).to.equal('pending')
    expect((await createApiClient({}, own.api).get(getCredentialPath(id))).status).to.equal(200)
    kubo.behaviour = 'well'
    expect(await waitForJob(api, `/v1/jobs/${job}`)).to.deep.include({
      status: 'completed',
      total: 1,
      completed: 1,
      failed: 0,
    })
    expect(kubo.pinned.has(cid)).to.equal(true)
    expect(own.lines.filter((line) => line.includes('p%20w') || line.includes('p w'))).to.deep.equal([])
  })

  it('takes opt-in forms, and a node that is away is told as such', async () => {
    const content = Buffer.from('%PDF-1.7 one').toString('base64')
    const form = { application: own.application, fileName: 'one.pdf', contentType: 'application/pdf', content }
    const kept = await api.post('/v1/dpp/opt-in-forms', form)
    expect(kept.status, kept.text).to.equal(201)
    expect(kubo.pinned.has(String(kept.body.uri).slice('ipfs://'.length))).to.equal(true)
    kubo.behaviour = 'broken'
    const away = await api.post('/v1/dpp/opt-in-forms', form)
    expect([away.status, away.headers['retry-after']], away.text).to.deep.equal([503, '2'])
  })
})
