import type { IncomingMessage, ServerResponse } from 'node:http'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { connectDatabase } from '../../../../core/database/connection.ts'
import type { CertificationKey, DidWebConfig } from '../../../../core/features/certification/index.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { listLongTransactions } from '../../../support/database/backends.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import {
  createAuthority,
  createCertificate,
  startSecureServer,
  type SecureServer,
} from '../../../support/network/tls.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { listKeys, revokeKey, readRotation } from '../keys/keys.ts'

type DidWebCheck = NonNullable<DidWebConfig['lastCheck']>

const path = '/v1/dpp/certification-key/did-web-config'
const hosts = {
  good: 'good.example',
  private: 'private.example',
  wrong: 'wrong.example',
  closed: 'closed.example',
  silent: 'silent.example',
  plain: 'plain.example',
}

describe('did:web: check of the published document', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-tls-'))
  let own: OwnPlatform
  let api: Client
  let server: SecureServer
  let silent: Server
  let keys: CertificationKey[]
  const recordedRequests: { url: string; headers: IncomingMessage['headers'] }[] = []
  let answer: (request: IncomingMessage, response: ServerResponse) => void

  before(async () => {
    const ca = await createAuthority()
    server = await startSecureServer(await createCertificate(ca, [hosts.good, hosts.private]), (request, response) => {
      recordedRequests.push({ url: String(request.url), headers: request.headers })
      answer(request, response)
    })
    silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    writeFileSync(join(folder, 'ca.pem'), ca.cert)
    const { port } = server
    const ports: Record<keyof typeof hosts, number> = {
      good: port,
      private: port,
      wrong: port,
      closed: 1,
      silent: (silent.address() as AddressInfo).port,
      plain: port,
    }
    own = await startPlatform({
      env: {
        NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
        OUTBOUND_ALLOW: [hosts.good, hosts.wrong, hosts.closed, hosts.silent].join(),
        OUTBOUND_RESOLVE: Object.entries(hosts)
          .map(([name, host]) => `${host}=127.0.0.1:${ports[name as keyof typeof hosts]}`)
          .join(),
      },
    })
    api = createApiClient(own.apiKey, own.api)
    await readRotation(api)
    keys = await listKeys(api)
  })

  after(async () => {
    await own.stop()
    await server.stop()
    silent.close()
    rmSync(folder, { recursive: true })
  })

  beforeEach(async () => {
    recordedRequests.length = 0
    await use(hosts.good)
  })

  const use = async (domain: string) => getBody<DidWebConfig>(await api.put(path, { domain }))
  const give = (body: string | Buffer, headers: Record<string, string> = {}, status = 200) => {
    answer = (_, response) =>
      void response.writeHead(status, { 'content-type': 'application/did+json', ...headers }).end(body)
  }
  const publish = (document: unknown, headers: Record<string, string> = {}) => give(JSON.stringify(document), headers)
  const document = async () => {
    const { didDocument } = getBody<DidWebConfig>(await api.get(path))
    if (!didDocument) throw new Error('no domain is set')
    return didDocument
  }

  /** The outcome, which the configuration remembers. */
  async function check(): Promise<string> {
    const { status, text, body } = await api.post(`${path}/verify`)
    expect(status, text).to.equal(200)
    const outcome = getBody<DidWebCheck>({ body } as never)
    expect(getBody<DidWebConfig>(await api.get(path)).lastCheck).to.deep.equal(outcome)
    expect(Date.now() - Date.parse(outcome.checkedAt)).to.be.within(-1_000, 60_000)
    expect(outcome).to.have.all.keys(
      outcome.status === 'ok' ? ['status', 'checkedAt'] : ['status', 'reason', 'checkedAt'],
    )
    seen.add(outcome.reason ?? 'ok')
    return outcome.reason ?? outcome.status
  }
  const seen = new Set<string>()

  it('is ok when the domain publishes the document as it was given', async () => {
    for (const type of [
      'application/did+json',
      'application/did+ld+json',
      'application/json; charset=utf-8',
      'application/ld+json',
    ]) {
      publish(await document(), { 'content-type': type })
      expect(await check(), type).to.equal('ok')
    }
    expect(new Set(recordedRequests.map(({ url }) => url))).to.deep.equal(new Set(['/.well-known/did.json']))
    expect(recordedRequests[0]?.headers)
      .to.include({ host: hosts.good })
      .and.not.have.any.keys('authorization', 'cookie', 'x-api-key')
  })

  it('is ok when it publishes more, or the same with relative names or described in place', async () => {
    const given = await document()
    const [first] = given.verificationMethod
    const other = { id: `${given.id}#other`, type: 'JsonWebKey', controller: given.id, publicKeyJwk: { kty: 'EC' } }
    publish({
      ...given,
      verificationMethod: [other, ...given.verificationMethod],
      assertionMethod: [other.id, ...given.assertionMethod],
      service: [],
    })
    expect(await check()).to.equal('ok')
    const relative = (id: string) => id.slice(given.id.length)
    publish({
      ...given,
      verificationMethod: given.verificationMethod.map((one) => ({ ...one, id: relative(one.id) })),
      assertionMethod: given.assertionMethod.map(relative),
    })
    expect(await check()).to.equal('ok')
    publish({
      ...given,
      verificationMethod: given.verificationMethod.slice(1),
      assertionMethod: [first, ...given.assertionMethod.slice(1)],
    })
    expect(await check()).to.equal('ok')
  })

  it('finds what the answer is wrong in', async () => {
    const given = await document()
    const cases: [string, () => void][] = [
      ['http_status', () => give('{}', {}, 404)],
      ['http_status', () => give('{}', {}, 500)],
      ['http_status', () => give('', { location: 'https://good.example/.well-known/did.json' }, 302)],
      ['blocked_address', () => give('', { location: 'https://169.254.169.254/latest' }, 302)],
      ['blocked_address', () => give('', { location: `https://${hosts.private}/` }, 302)],
      ['content_type', () => publish(given, { 'content-type': 'text/html' })],
      ['content_type', () => publish(given, { 'content-type': 'text/plain' })],
      ['too_large', () => publish({ ...given, more: 'x'.repeat(256 * 1024) })],
      ['too_large', () => give(gzipSync(Buffer.alloc(50e6, 32)), { 'content-encoding': 'gzip' })],
      ['invalid_json', () => give('{"id":')],
      ['invalid_json', () => give('')],
      ['invalid_json', () => give('[]')],
      ['invalid_json', () => give('"did:web:good.example"')],
      ['id_mismatch', () => publish({ ...given, id: 'did:web:other.example' })],
      ['id_mismatch', () => publish({ ...given, id: `${given.id}:path` })],
      ['id_mismatch', () => publish({ verificationMethod: [] })],
    ]
    for (const [reason, prepare] of cases) {
      prepare()
      expect(await check(), prepare.toString()).to.equal(reason)
    }
  })

  it('misses a key that a verifier needs: absent, another, of another controller or not for assertions', async () => {
    const given = await document()
    const [first, jwk, second] = given.verificationMethod
    /** The document with another description of this key. */
    const changed = (method: typeof first, change: object | null) => ({
      verificationMethod: given.verificationMethod.flatMap((one) =>
        one !== method ? [one] : change ? [{ ...one, ...change }] : [],
      ),
    })
    const wrong: [string, object][] = [
      ['no key', { verificationMethod: [] }],
      ['one absent', changed(second, null)],
      ['one absent as tokens name it', changed(jwk, null)],
      ['no assertions', { assertionMethod: [] }],
      ['one without assertions', { assertionMethod: given.assertionMethod.slice(1) }],
      ['no list', { verificationMethod: {}, assertionMethod: 'x' }],
      ['another key', changed(second, { publicKeyMultibase: first?.publicKeyMultibase })],
      ['another key for tokens', changed(jwk, { publicKeyJwk: { ...jwk?.publicKeyJwk, x: 'x' } })],
      ['no key for tokens', changed(jwk, { publicKeyJwk: null })],
      ['another controller', changed(second, { controller: 'did:web:other.example' })],
      ['another type', changed(second, { type: 'JsonWebKey' })],
      ['nothing there', { verificationMethod: [null, 1, 'x'] }],
    ]
    for (const [what, change] of wrong) {
      publish({ ...given, ...change })
      expect(await check(), what).to.equal('key_missing')
    }
    await revokeKey(api, keys[1]?.id ?? '')
    publish(await document())
    expect(await check(), 'a revoked key is not needed').to.equal('ok')
  })

  it('says when it did not get that far', async () => {
    publish(await document())
    for (const [host, reason] of [
      [hosts.private, 'blocked_address'],
      [hosts.wrong, 'tls_failed'],
      [hosts.closed, 'timeout'],
      ['nobody.invalid', 'dns_failed'],
      ['localhost', 'blocked_address'],
      [hosts.plain, 'blocked_address'],
    ] as const) {
      await use(host)
      expect(await check(), host).to.equal(reason)
    }
    expect(recordedRequests).to.deep.equal([])
  })

  it('gives up after five seconds, holding no transaction meanwhile', async () => {
    await use(hosts.silent)
    const began = Date.now()
    const checking = check()
    await sleep(1_000)
    const db = connectDatabase({ url: own.database, name: 'tessera-test', maxConnections: 1 })
    const held = await listLongTransactions(db)
    await db.destroy()
    expect(held).to.deep.equal([])
    expect(await checking).to.equal('timeout')
    expect(Date.now() - began).to.be.within(4_900, 40_000)
  })

  it('is forgotten with the domain it was made of', async () => {
    publish(await document())
    expect(await check()).to.equal('ok')
    expect((await use(hosts.good)).lastCheck).to.deep.include({ status: 'ok' })
    expect((await use(hosts.private)).lastCheck).to.equal(null)
    expect((await use(hosts.plain)).lastCheck).to.equal(null)
  })

  it('has met every reason there is', async () => {
    const { body } = await api.get('/openapi.json', { skipsDocumentCheck: true })
    const document = body as unknown as {
      components: { schemas: { DidWebCheck: { properties: { reason: { enum: string[] } } } } }
    }
    const { reason } = document.components.schemas.DidWebCheck.properties
    expect([...seen].sort()).to.deep.equal(['ok', ...reason.enum].sort())
  })

  it('shows nothing of what was fetched', async () => {
    give('a-secret-of-the-inside', { 'content-type': 'application/json' })
    const { text } = await api.post(`${path}/verify`)
    expect(text + own.lines.join()).to.not.contain('a-secret-of-the-inside')
  })
})
