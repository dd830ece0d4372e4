import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { newId } from '../../../../core/database/model.ts'
import { callMcpTool, connectClient, readResourceText, getResultText } from '../../../support/bridge/bridge-client.ts'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import {
  deleteStatusLists,
  fillStatusLists,
  takeStatusPositions,
} from '../../../support/rows/certification/status-lists.ts'
import {
  loseStoredForms,
  readSignedCertificate,
  readStoredCertificate,
} from '../../../support/rows/dpp/certificates.ts'
import {
  createAuthority,
  createCertificate,
  startSecureServer,
  type SecureServer,
} from '../../../support/network/tls.ts'
import { startSecondServer, type SecondServer } from '../../../support/network/second-server.ts'
import { getOperator } from '../../identity/people.ts'
import { listEventTypes, readPassport, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildCertifiedPassport, buildShop, type Shop } from '../../../support/world.ts'
import { createAcceptOptions, getCredentialPath, createBody } from '../credentials/certified.ts'
import { formatTree } from './tree.ts'

const forms = ['application/ld+json', 'application/vc', 'application/vc+jwt'] as const
const host = 'certificates.example'

describe('Stored credentials', () => {
  let shop: Shop
  let id: string

  before(async () => {
    shop = await buildShop()
    id = await buildCertifiedPassport(shop)
  })

  const stored = async () => {
    const { db } = await getOperator()
    return readSignedCertificate(db, id)
  }

  it('are served as they are stored, byte for byte, in the form asked for', async () => {
    const { ld, jwt, cid } = await stored()
    for (const accept of forms) {
      const answer = await createApiClient().get(getCredentialPath(id), createAcceptOptions(accept))
      expect(answer.headers).to.include({
        'content-type': accept,
        'access-control-allow-origin': '*',
        vary: 'Accept, Authorization, Cookie, X-Api-Key, Accept-Encoding',
      })
      expect(answer.bytes.equals(accept === 'application/vc+jwt' ? jwt : ld), accept).to.equal(true)
      const again = await createApiClient().get(getCredentialPath(id), {
        headers: { accept, 'if-none-match': String(answer.headers['etag']) },
      })
      expect(again.status).to.equal(304)
    }
    expect((await readPassport(shop.api, id)).ipfsCid).to.equal(cid)
    expect(
      formatVerdict(await createApiClient().get(getCredentialPath(id), createAcceptOptions('text/html'))),
    ).to.equal('406 NOT_ACCEPTABLE')
    expect(formatVerdict(await createApiClient().get(`${getCredentialPath(id)}?cryptosuite=eddsa-rdfc-2022`))).to.equal(
      '406 NOT_ACCEPTABLE',
    )
    expect(
      (await createApiClient().get(`${getCredentialPath(id)}?cryptosuite=eddsa-jcs-2022`)).bytes.equals(ld),
    ).to.equal(true)
    expect(await listEventTypes(shop, id)).to.include('scan')
  })

  it('may be larger than a block of IPFS', async () => {
    const large = { letters: 'é\u{1F600}"\\ '.repeat(15_000) }
    const one = await buildCertifiedPassport(shop, {
      product: { ...createBody(shop).product, description: large.letters },
      data: { ...large, color: 'red' },
      certifiedPaths: ['letters'],
    })
    const { bytes } = await createApiClient().get(getCredentialPath(one))
    expect(bytes.length).to.be.greaterThan(262_144)
    expect((await readPassport(shop.api, one)).ipfsCid).to.equal(formatTree(bytes))
    expect(
      (JSON.parse(bytes.toString('utf8')) as { credentialSubject: { characteristics: object } }).credentialSubject
        .characteristics,
    ).to.deep.equal(large)
  })

  it('reach assistants as the bytes they are, and are built for them', async () => {
    const assistant = await connectClient(platform.bridge, { authorization: `Bearer ${shop.key}` })
    const { ld } = await stored()
    const read = await readResourceText(assistant, `${platform.api}${getCredentialPath(id)}`)
    expect([read.mimeType, read.text]).to.deep.equal(['application/ld+json', ld.toString('utf8')])
    const built = await callMcpTool(assistant, 'build_dpp_passport_vc', createBody(shop))
    expect(built.isError, getResultText(built)).to.not.equal(true)
    expect(JSON.parse(getResultText(built))).to.have.property('proof')
    await assistant.close()
  })

  it('are not there once the passport is archived', async () => {
    const archived = await buildCertifiedPassport(shop)
    await shop.api.patch(`/v1/dpp/passports/${archived}`, { status: 'archived' })
    for (const reader of [createApiClient(), shop.api])
      expect(formatVerdict(await reader.get(getCredentialPath(archived)))).to.equal('404 NOT_FOUND')
  })

  it('name lists in which their place is unset', async () => {
    const { ld, statusIndex: index } = await stored()
    const { credentialStatus } = JSON.parse(ld.toString('utf8')) as {
      credentialStatus: { statusListCredential: string; statusPurpose: string; statusListIndex: string }[]
    }
    expect(credentialStatus.map(({ statusPurpose }) => statusPurpose)).to.deep.equal(['revocation', 'suspension'])
    for (const { statusListCredential: address, statusListIndex, statusPurpose } of credentialStatus) {
      expect(statusListIndex).to.equal(String(index))
      const path = address.slice(platform.api.length)
      const [list, again, token] = [
        await createApiClient().get(path),
        await createApiClient().get(path),
        await createApiClient().get(path, createAcceptOptions('application/vc+jwt')),
      ]
      expect(list.headers).to.include({ 'content-type': 'application/ld+json', 'access-control-allow-origin': '*' })
      expect(again.bytes.equals(list.bytes)).to.equal(true)
      const credential = JSON.parse(list.text) as {
        id: string
        type: string[]
        credentialSubject: { encodedList: string }
      }
      expect(credential.id).to.equal(address)
      expect(credential.type).to.deep.equal(['VerifiableCredential', 'BitstringStatusListCredential'])
      expect(credential.credentialSubject).to.include({
        type: 'BitstringStatusList',
        statusPurpose,
        id: `${address}#list`,
      })
      expect(credential.credentialSubject.encodedList[0]).to.equal('u')
      const bits = gunzipSync(Buffer.from(credential.credentialSubject.encodedList.slice(1), 'base64url'))
      expect([bits.length * 8, bits.every((byte) => byte === 0)]).to.deep.equal([131_072, true])
      expect(token.headers['content-type']).to.equal('application/vc+jwt')
      const known = { 'if-none-match': String(list.headers['etag']) }
      expect((await createApiClient().get(path, { headers: known })).status).to.equal(304)
      expect(formatVerdict(await createApiClient().get(path, createAcceptOptions('application/json')))).to.equal(
        '406 NOT_ACCEPTABLE',
      )
    }
    expect(formatVerdict(await createApiClient().get(`/v1/dpp/status-lists/${id}`))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await createApiClient().get('/v1/dpp/status-lists/1'))).to.equal('400 INVALID_REQUEST')
  })

  it('share no place in a status list when issued at the same time', async () => {
    const context = await getOperator()
    const organization = newId()
    const taken = await Promise.all(
      Array.from({ length: 6 }, () =>
        takeStatusPositions(context, { organization, did: 'did:web:one.example', key: newId() }, 40),
      ),
    )
    const places = taken.flat()
    expect(new Set(places.map(({ pair }) => pair)).size).to.equal(1)
    expect(new Set(places.map(({ index }) => index)).size).to.equal(240)
    await deleteStatusLists(context.db, organization)
  })

  it('have each a place of their own, in another pair of lists when one is full', async () => {
    const { db } = await getOperator()
    const { statusPair: pair } = await stored()
    await fillStatusLists(db, pair)
    const [one, other] = [await buildCertifiedPassport(shop), await buildCertifiedPassport(shop)]
    expect((await readSignedCertificate(db, one)).statusPair).to.equal(pair)
    expect((await readSignedCertificate(db, other)).statusPair).to.not.equal(pair)
  })
})

describe('Credentials stored outside the platform', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-copies-'))
  let shop: Shop
  let hosting: SecureServer
  let gateway: Server
  let second: SecondServer
  /** What the certificate's host, and the gateway, answer. */
  let page: { type: string; body: string | Buffer; status?: number; location?: string }
  let block: Buffer | null
  const requestedPaths: string[] = []

  before(async () => {
    shop = await buildShop()
    const ca = await createAuthority()
    writeFileSync(join(folder, 'ca.pem'), ca.cert)
    hosting = await startSecureServer(await createCertificate(ca, [host]), ({ url }, response) => {
      requestedPaths.push(String(url))
      response
        .writeHead(page.status ?? 200, { 'content-type': page.type, ...(page.location && { location: page.location }) })
        .end(page.body)
    })
    gateway = createServer(({ url }, response) => {
      requestedPaths.push(String(url))
      response.writeHead(block ? 200 : 404).end(block ?? '')
    }).listen(0, '127.0.0.1')
    await once(gateway, 'listening')
    second = await startSecondServer(platform, {
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      OUTBOUND_ALLOW: host,
      OUTBOUND_RESOLVE: `${host}=127.0.0.1:${hosting.port}`,
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
  beforeEach(() => {
    requestedPaths.length = 0
  })

  const read = (id: string, accept = '*/*') =>
    createApiClient({}, second.api).get(getCredentialPath(id), createAcceptOptions(accept))

  describe('by their organization', () => {
    let id: string
    let certificate: Buffer
    const token = () =>
      [Buffer.from('{"alg":"EdDSA"}'), certificate, Buffer.from('signature')]
        .map((part) => part.toString('base64url'))
        .join('.')

    before(async () => {
      const body = createBody(shop, { certificateUri: `https://${host}/one.jsonld` })
      certificate = (await shop.api.post('/v1/dpp/passports/build-vc', body)).bytes
      id = await buildCertifiedPassport(shop, body)
    })
    beforeEach(() => {
      page = { type: 'application/ld+json', body: certificate }
    })

    it('are fetched each time, in the one form they have, and nothing of them is kept', async () => {
      for (const accept of ['*/*', 'application/ld+json', 'application/vc']) {
        const answer = await read(id, accept)
        expect([answer.status, answer.headers['content-type']], answer.text).to.deep.equal([
          200,
          accept === '*/*' ? forms[0] : accept,
        ])
        expect(answer.bytes.equals(certificate)).to.equal(true)
      }
      expect(requestedPaths).to.deep.equal(Array(3).fill('/one.jsonld'))
      expect(formatVerdict(await read(id, 'application/vc+jwt'))).to.equal('406 NOT_ACCEPTABLE')
      const { db } = await getOperator()
      expect(await readStoredCertificate(db, id)).to.include({ ld: null, jwt: null, cid: null })
      page = { type: 'application/vc+jwt', body: token() }
      expect((await read(id)).headers['content-type']).to.equal('application/vc+jwt')
      expect(formatVerdict(await read(id, 'application/ld+json'))).to.equal('406 NOT_ACCEPTABLE')
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
      for (page of pages)
        expect(formatVerdict(await read(id)), JSON.stringify(page).slice(0, 200)).to.equal(
          '503 DPP_VC_SELF_HOSTED_UNAVAILABLE',
        )
      // Where nothing is allowed, the address is a private one, or none.
      expect(formatVerdict(await createApiClient().get(getCredentialPath(id)))).to.equal(
        '503 DPP_VC_SELF_HOSTED_UNAVAILABLE',
      )
      // The one of the readers before.
      expect((await listEventTypes(shop, id)).filter((type) => type === 'scan')).to.have.length(1)
    })
  })

  describe('on IPFS', () => {
    let id: string
    let ld: Buffer
    let cid: string

    before(async () => {
      id = await buildCertifiedPassport(shop)
      const { db } = await getOperator()
      ;({ ld, cid } = await readSignedCertificate(db, id))
      await loseStoredForms(db, id)
      // Nor is there another copy in this installation.
      rmSync(join(platform.dataDir, 'ipfs', cid.slice(-3, -1), cid))
    })

    it('are fetched by their content identifier when the stored bytes are gone', async () => {
      block = ld
      const answer = await read(id)
      expect([answer.status, answer.bytes.equals(ld)], answer.text).to.deep.equal([200, true])
      expect(requestedPaths).to.deep.equal([`/ipfs/${cid}`])
    })

    it('are out of reach when the gateway has not got them, lies, or is not there; the JOSE form was never on it', async () => {
      for (block of [null, Buffer.from(ld.toString('utf8').replace('"red"', '"tea"'))]) {
        expect(formatVerdict(await read(id))).to.equal('503 DPP_VC_IPFS_UNAVAILABLE')
      }
      block = ld
      expect(formatVerdict(await read(id, 'application/vc+jwt'))).to.equal('503 DPP_VC_IPFS_UNAVAILABLE')
      expect(formatVerdict(await createApiClient().get(getCredentialPath(id)))).to.equal('503 DPP_VC_IPFS_UNAVAILABLE')
    })
  })
})
