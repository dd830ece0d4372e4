import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { newId } from '../../../core/database/model.ts'
import { takePlaces } from '../../../core/features/certification/status-lists.ts'
import { call, connect, readText, textOf } from '../../support/bridge-client.ts'
import { client } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { authority, certificateFor, serveSecurely, type SecureServer } from '../../support/tls.ts'
import { startSecond, type SecondServer } from '../http/second.ts'
import { operator } from '../identity/people.ts'
import { eventsOf, newShop, readPassport, verdict, type Shop } from '../passports/fixtures.ts'
import { accepting, credentialAt, newBody, newCertified } from './certified.ts'
import { treeOf } from './tree.ts'

const forms = ['application/ld+json', 'application/vc', 'application/vc+jwt'] as const
const host = 'certificates.example'

describe('Stored credentials', () => {
  let shop: Shop
  let id: string

  before(async () => {
    shop = await newShop()
    id = await newCertified(shop)
  })

  const stored = async () => {
    const { db } = await operator()
    const row = await db('passports').join('passport_credentials', 'passport_credentials.id', 'passports.credential')
      .where('passports.id', id).first<{ ld: Buffer; jwt: Buffer; cid: string; status_pair: string; status_index: number }>('ld', 'jwt', 'cid', 'status_pair', 'status_index')
    return row
  }

  it('are served as they are stored, byte for byte, in the form asked for', async () => {
    const { ld, jwt, cid } = await stored()
    for (const accept of forms) {
      const answer = await client().get(credentialAt(id), accepting(accept))
      expect(answer.headers).to.include({
        'content-type': accept, 'access-control-allow-origin': '*', vary: 'Accept, Authorization, Cookie, X-Api-Key, Accept-Encoding',
      })
      expect(answer.bytes.equals(accept === 'application/vc+jwt' ? jwt : ld), accept).to.equal(true)
      const again = await client().get(credentialAt(id), { headers: { accept, 'if-none-match': String(answer.headers['etag']) } })
      expect(again.status).to.equal(304)
    }
    expect((await readPassport(shop.api, id)).ipfsCid).to.equal(cid)
    expect(verdict(await client().get(credentialAt(id), accepting('text/html')))).to.equal('406 NOT_ACCEPTABLE')
    expect(verdict(await client().get(`${credentialAt(id)}?cryptosuite=eddsa-rdfc-2022`))).to.equal('406 NOT_ACCEPTABLE')
    expect((await client().get(`${credentialAt(id)}?cryptosuite=eddsa-jcs-2022`)).bytes.equals(ld)).to.equal(true)
    expect(await eventsOf(shop, id)).to.include('scan')
  })

  it('may be larger than a block of IPFS', async () => {
    const large = { letters: 'é\u{1F600}"\\ '.repeat(15_000) }
    const one = await newCertified(shop, { product: { ...newBody(shop).product, description: large.letters }, data: { ...large, color: 'red' }, certifiedPaths: ['letters'] })
    const { bytes } = await client().get(credentialAt(one))
    expect(bytes.length).to.be.greaterThan(262_144)
    expect((await readPassport(shop.api, one)).ipfsCid).to.equal(treeOf(bytes))
    expect((JSON.parse(bytes.toString('utf8')) as { credentialSubject: { characteristics: object } }).credentialSubject.characteristics).to.deep.equal(large)
  })

  it('reach assistants as the bytes they are, and are built for them', async () => {
    const assistant = await connect(platform.bridge, { authorization: `Bearer ${shop.key}` })
    const { ld } = await stored()
    const read = await readText(assistant, `${platform.api}${credentialAt(id)}`)
    expect([read.mimeType, read.text]).to.deep.equal(['application/ld+json', ld.toString('utf8')])
    const built = await call(assistant, 'build_dpp_passport_vc', newBody(shop))
    expect(built.isError, textOf(built)).to.not.equal(true)
    expect(JSON.parse(textOf(built))).to.have.property('proof')
    await assistant.close()
  })

  it('are not there once the passport is archived', async () => {
    const archived = await newCertified(shop)
    await shop.api.patch(`/v1/dpp/passports/${archived}`, { status: 'archived' })
    for (const reader of [client(), shop.api]) expect(verdict(await reader.get(credentialAt(archived)))).to.equal('404 NOT_FOUND')
  })

  it('name lists in which their place is unset', async () => {
    const { ld, status_index: index } = await stored()
    const { credentialStatus } = JSON.parse(ld.toString('utf8')) as { credentialStatus: { statusListCredential: string; statusPurpose: string; statusListIndex: string }[] }
    expect(credentialStatus.map(({ statusPurpose }) => statusPurpose)).to.deep.equal(['revocation', 'suspension'])
    for (const { statusListCredential: address, statusListIndex, statusPurpose } of credentialStatus) {
      expect(statusListIndex).to.equal(String(index))
      const path = address.slice(platform.api.length)
      const [list, again, token] = [await client().get(path), await client().get(path), await client().get(path, accepting('application/vc+jwt'))]
      expect(list.headers).to.include({ 'content-type': 'application/ld+json', 'access-control-allow-origin': '*' })
      expect(again.bytes.equals(list.bytes)).to.equal(true)
      const credential = JSON.parse(list.text) as { id: string; type: string[]; credentialSubject: { encodedList: string } }
      expect(credential.id).to.equal(address)
      expect(credential.type).to.deep.equal(['VerifiableCredential', 'BitstringStatusListCredential'])
      expect(credential.credentialSubject).to.include({ type: 'BitstringStatusList', statusPurpose, id: `${address}#list` })
      expect(credential.credentialSubject.encodedList[0]).to.equal('u')
      const bits = gunzipSync(Buffer.from(credential.credentialSubject.encodedList.slice(1), 'base64url'))
      expect([bits.length * 8, bits.every((byte) => byte === 0)]).to.deep.equal([131_072, true])
      expect(token.headers['content-type']).to.equal('application/vc+jwt')
      const known = { 'if-none-match': String(list.headers['etag']) }
      expect((await client().get(path, { headers: known })).status).to.equal(304)
      expect(verdict(await client().get(path, accepting('application/json')))).to.equal('406 NOT_ACCEPTABLE')
    }
    expect(verdict(await client().get(`/v1/dpp/status-lists/${id}`))).to.equal('404 NOT_FOUND')
    expect(verdict(await client().get('/v1/dpp/status-lists/1'))).to.equal('400 INVALID_REQUEST')
  })

  it('that are issued at the same time share no place', async () => {
    const context = await operator()
    const organization = newId()
    const taken = await Promise.all(Array.from({ length: 6 }, () =>
      context.db.transaction((trx) => takePlaces(trx, context, { organization, did: 'did:web:one.example', key: newId() }, 40))))
    const places = taken.flat()
    expect(new Set(places.map(({ pair }) => pair)).size).to.equal(1)
    expect(new Set(places.map(({ index }) => index)).size).to.equal(240)
    await context.db('status_lists').where({ organization }).delete()
  })

  it('have each a place of their own, in another pair of lists when one is full', async () => {
    const { db } = await operator()
    const { status_pair: pair } = await stored()
    await db('status_lists').where({ pair }).update({ taken: 131_071 })
    const [one, other] = [await newCertified(shop), await newCertified(shop)]
    const rows = await db('passport_credentials').whereIn('passport', [one, other]).select<{ passport: string; status_pair: string }[]>('passport', 'status_pair')
    const pairs = new Map(rows.map((row) => [row.passport, row.status_pair]))
    expect(pairs.get(one)).to.equal(pair)
    expect(pairs.get(other)).to.not.equal(pair)
  })
})

describe('Credentials that are kept elsewhere', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-copies-'))
  let shop: Shop
  let hosting: SecureServer
  let gateway: Server
  let second: SecondServer
  /** What the certificate's host, and the gateway, answer. */
  let page: { type: string; body: string | Buffer; status?: number; location?: string }
  let block: Buffer | null
  const asked: string[] = []

  before(async () => {
    shop = await newShop()
    const ca = await authority()
    writeFileSync(join(folder, 'ca.pem'), ca.cert)
    hosting = await serveSecurely(await certificateFor(ca, [host]), ({ url }, response) => {
      asked.push(String(url))
      response.writeHead(page.status ?? 200, { 'content-type': page.type, ...(page.location && { location: page.location }) }).end(page.body)
    })
    gateway = createServer(({ url }, response) => {
      asked.push(String(url))
      response.writeHead(block ? 200 : 404).end(block ?? '')
    }).listen(0, '127.0.0.1')
    await once(gateway, 'listening')
    second = await startSecond(platform, {
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'), OUTBOUND_ALLOW: host, OUTBOUND_RESOLVE: `${host}=127.0.0.1:${hosting.port}`,
      IPFS_GATEWAY_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`,
    })
  })
  after(async () => {
    second.kill()
    await second.ended
    await hosting.stop()
    gateway.close()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => { asked.length = 0 })

  const read = (id: string, accept = '*/*') => client({}, second.api).get(credentialAt(id), accepting(accept))

  describe('by their organization', () => {
    let id: string
    let certificate: Buffer
    const token = () => [Buffer.from('{"alg":"EdDSA"}'), certificate, Buffer.from('signature')].map((part) => part.toString('base64url')).join('.')

    before(async () => {
      const body = newBody(shop, { certificateUri: `https://${host}/one.jsonld` })
      certificate = (await shop.api.post('/v1/dpp/passports/build-vc', body)).bytes
      id = await newCertified(shop, body)
    })
    beforeEach(() => { page = { type: 'application/ld+json', body: certificate } })

    it('are fetched each time, in the one form they have, and nothing of them is kept', async () => {
      for (const accept of ['*/*', 'application/ld+json', 'application/vc']) {
        const answer = await read(id, accept)
        expect([answer.status, answer.headers['content-type']], answer.text).to.deep.equal([200, accept === '*/*' ? forms[0] : accept])
        expect(answer.bytes.equals(certificate)).to.equal(true)
      }
      expect(asked).to.deep.equal(Array(3).fill('/one.jsonld'))
      expect(verdict(await read(id, 'application/vc+jwt'))).to.equal('406 NOT_ACCEPTABLE')
      const { db } = await operator()
      expect(await db('passport_credentials').where({ passport: id }).first('ld', 'jwt', 'cid')).to.deep.equal({ ld: null, jwt: null, cid: null })
      page = { type: 'application/vc+jwt', body: token() }
      expect((await read(id)).headers['content-type']).to.equal('application/vc+jwt')
      expect(verdict(await read(id, 'application/ld+json'))).to.equal('406 NOT_ACCEPTABLE')
    })

    it('are out of reach when they are gone, changed, no credential, too large or elsewhere inside', async () => {
      const text = certificate.toString('utf8')
      const pages: (typeof page)[] = [
        { type: 'application/ld+json', body: '', status: 404 },
        { type: 'application/ld+json', body: text.replace('"red"', '"blue"') },
        { type: 'application/ld+json', body: text.replace('"color":"red"', '"color":"blue","color":"red"') },
        { type: 'application/ld+json', body: 'null' },
        { type: 'application/vc+jwt', body: `${token()}=` },
        { type: 'text/html', body: certificate },
        { type: 'application/ld+json', body: Buffer.alloc(5 * 1024 * 1024, 0x20) },
        { type: 'application/ld+json', body: '', status: 302, location: 'https://169.254.169.254/latest/meta-data' },
        { type: 'application/ld+json', body: '', status: 302, location: `http://127.0.0.1:${hosting.port}/one.jsonld` },
      ]
      for (page of pages) expect(verdict(await read(id)), JSON.stringify(page).slice(0, 200)).to.equal('503 DPP_VC_SELF_HOSTED_UNAVAILABLE')
      // Where nothing is allowed, the address is a private one, or none.
      expect(verdict(await client().get(credentialAt(id)))).to.equal('503 DPP_VC_SELF_HOSTED_UNAVAILABLE')
      // The one of the readers before.
      expect((await eventsOf(shop, id)).filter((type) => type === 'scan')).to.have.length(1)
    })
  })

  describe('on IPFS', () => {
    let id: string
    let ld: Buffer
    let cid: string

    before(async () => {
      id = await newCertified(shop)
      const { db } = await operator()
      const row = await db('passport_credentials').where({ passport: id }).first<{ ld: Buffer; cid: string }>('ld', 'cid')
      ;({ ld, cid } = row)
      await db('passport_credentials').where({ passport: id }).update({ ld: null, jwt: null })
      // Nor is there another copy in this installation.
      rmSync(join(platform.dataDir, 'ipfs', cid.slice(-3, -1), cid))
    })

    it('are fetched by their content identifier when the stored bytes are gone', async () => {
      block = ld
      const answer = await read(id)
      expect([answer.status, answer.bytes.equals(ld)], answer.text).to.deep.equal([200, true])
      expect(asked).to.deep.equal([`/ipfs/${cid}`])
    })

    it('are out of reach when the gateway has not got them, lies, or is not there; the JOSE form was never on it', async () => {
      for (block of [null, Buffer.from(ld.toString('utf8').replace('"red"', '"tea"'))]) {
        expect(verdict(await read(id))).to.equal('503 DPP_VC_IPFS_UNAVAILABLE')
      }
      block = ld
      expect(verdict(await read(id, 'application/vc+jwt'))).to.equal('503 DPP_VC_IPFS_UNAVAILABLE')
      expect(verdict(await client().get(credentialAt(id)))).to.equal('503 DPP_VC_IPFS_UNAVAILABLE')
    })
  })
})
