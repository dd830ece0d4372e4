import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contexts } from '@digitalbazaar/credentials-context'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { cryptosuite } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import { expect } from 'chai'
import { createApiClient, type Client } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import {
  createAuthority,
  createCertificate,
  startSecureServer,
  type SecureServer,
} from '../../../support/network/tls.ts'
import { forgetFetchedContext } from '../../../support/rows/certification/contexts.ts'
import { loseStoredForms } from '../../../support/rows/dpp/certificates.ts'
import { untpContext, untpContextAddress } from '../../../support/values/untp.ts'
import { startSecondServer, type SecondServer } from '../../../support/network/second-server.ts'
import { getOperator } from '../../identity/people.ts'
import { waitForJob, listFaultPaths, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildCertifiedPassport, buildShop, type Shop } from '../../../support/world.ts'
import { createAcceptOptions, getCredentialPath, createBody } from '../credentials/certified.ts'
import type { Vc } from './signers.ts'
import { describeFailedChecks, listFailedChecks } from '../verify/verify.ts'

const settings = '/v1/dpp/certification-settings'
const both = ['eddsa-jcs-2022', 'eddsa-rdfc-2022']
const host = new URL(untpContextAddress).hostname
const third = (id: string) => `${getCredentialPath(id)}?cryptosuite=eddsa-rdfc-2022`

describe('Cryptosuites over RDF: the third form of a credential', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-suites-'))
  let hosting: SecureServer
  let second: SecondServer
  let shop: Shop
  /** As the shop, of the process that reaches the host of the context. */
  let api: Client
  let page: object | null = null
  let requestCount = 0

  const forget = async () => {
    const { db } = await getOperator()
    await forgetFetchedContext(db, untpContextAddress)
  }

  before(async () => {
    const ca = await createAuthority()
    writeFileSync(join(folder, 'ca.pem'), ca.cert)
    hosting = await startSecureServer(await createCertificate(ca, [host]), (_, response) => {
      requestCount++
      response.writeHead(page ? 200 : 404, { 'content-type': 'application/ld+json' }).end(JSON.stringify(page))
    })
    second = await startSecondServer(platform, {
      BASE_URL: platform.api,
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      OUTBOUND_ALLOW: host,
      OUTBOUND_RESOLVE: `${host}=127.0.0.1:${hosting.port}`,
    })
    shop = await buildShop()
    api = createApiClient(shop.key, second.api)
    await forget()
  })
  after(async () => {
    await forget()
    second.kill()
    await second.ended
    await hosting.stop()
    rmSync(folder, { recursive: true })
  })

  const chosen = async () => (await shop.api.get(settings)).body['cryptosuites']

  it('is not made unless the organization chooses it, and the usual one always is', async () => {
    expect(await chosen()).to.deep.equal(['eddsa-jcs-2022'])
    for (const cryptosuites of [
      [],
      ['eddsa-rdfc-2022'],
      ['eddsa-jcs-2022', 'eddsa-jcs-2022'],
      ['ecdsa-rdfc-2019', 'eddsa-jcs-2022'],
      'eddsa-jcs-2022',
    ]) {
      const answer = await shop.api.put(settings, { cryptosuites })
      expect(formatVerdict(answer), JSON.stringify(cryptosuites)).to.equal('422 VALIDATION_FAILED')
      expect(listFaultPaths(answer).join()).to.match(/^cryptosuites/)
    }
    expect((await shop.api.put(settings, { cryptosuites: ['eddsa-jcs-2022'] })).status).to.equal(200)
    expect(formatVerdict(await createApiClient().get(third(await buildCertifiedPassport(shop))))).to.equal(
      '406 NOT_ACCEPTABLE',
    )
  })

  it('is not enabled while the contexts that it needs are out of reach, or cannot tell a passport', async () => {
    for (const [found, said] of [
      [null, /cannot be fetched: its host answers with an error\. Nothing was enabled/],
      [[], /is no JSON object/],
      [
        { '@context': { CredentialIssuer: 'https://example.org/CredentialIssuer' } },
        /cannot tell a passport: \w+\. Nothing/,
      ],
      [{ '@context': 'https://elsewhere.example/' }, /refers to another one/],
    ] as const) {
      page = found
      const answer = await api.put(settings, { cryptosuites: both })
      expect(formatVerdict(answer)).to.equal('422 VALIDATION_FAILED')
      expect(answer.text).to.match(said)
      expect(await chosen()).to.deep.equal(['eddsa-jcs-2022'])
    }
  })

  describe('once an organization has chosen it', () => {
    let id: string
    let vc: Vc & { proof: Vc; credentialSubject: Vc }
    let jcs: Vc & { proof: Vc }

    before(async () => {
      page = untpContext
      const answer = await api.put(settings, { cryptosuites: both })
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.body).to.deep.equal({ cryptosuites: both })
      id = await buildCertifiedPassport(shop)
      const [one, other] = [await createApiClient().get(third(id)), await createApiClient().get(getCredentialPath(id))]
      expect(one.status, one.text).to.equal(200)
      vc = JSON.parse(one.text) as typeof vc
      jcs = JSON.parse(other.text) as typeof jcs
    })

    it('says the same as the usual form, with a proof of its own', async () => {
      const [{ proof, ...said }, { proof: usual, ...usually }] = [vc, jcs]
      const undefinedTerms = 'https://www.w3.org/ns/credentials/undefined-terms/v2'
      expect(said).to.deep.equal({ ...usually, '@context': [...(usually['@context'] as string[]), undefinedTerms] })
      expect(proof).to.include({
        type: 'DataIntegrityProof',
        cryptosuite: 'eddsa-rdfc-2022',
        proofPurpose: 'assertionMethod',
        created: usual['created'],
        verificationMethod: usual['verificationMethod'],
      })
      expect(await chosen()).to.deep.equal(both)
    })

    it('is judged good with its anchor and its status, by a process that reaches no host', async () => {
      const before = requestCount
      expect(await describeFailedChecks(vc)).to.equal('')
      expect(await describeFailedChecks(vc, api)).to.equal('')
      expect(
        await listFailedChecks({ ...vc, credentialSubject: { ...vc.credentialSubject, name: 'Other' } }),
      ).to.have.all.keys('proof', 'anchor')
      const suspend = (value: boolean) =>
        shop.api.post(`/v1/dpp/passports/${id}/status`, { purpose: 'suspension', value, reason: 'Looked into' })
      expect((await suspend(true)).status).to.equal(200)
      expect(await describeFailedChecks(vc)).to.equal('status: It is suspended by its issuer')
      expect((await suspend(false)).status).to.equal(200)
      expect(requestCount).to.equal(before)
    })

    it('verifies with the library alone', async () => {
      const { proof, ...document } = vc
      const own = (vc['@context'] as string[]).find((url) => url.startsWith(platform.api)) ?? ''
      const known = new Map<string, object>([
        ...contexts,
        [untpContextAddress, untpContext],
        [own, (await createApiClient().get(own.slice(platform.api.length))).body],
        [
          String(proof['verificationMethod']),
          {
            '@context': 'https://w3id.org/security/multikey/v1',
            id: proof['verificationMethod'],
            type: 'Multikey',
            controller: (vc['issuer'] as Vc)['id'],
            publicKeyMultibase: String(proof['verificationMethod']).split('#')[1],
          },
        ],
      ])
      const documentLoader = async (url: string) => ({ contextUrl: null, documentUrl: url, document: known.get(url) })
      const verifyWithLibrary = (one: Vc) =>
        new DataIntegrityProof({ cryptosuite }).verifyProof({ proof: { ...proof }, document: one, documentLoader })
      expect((await verifyWithLibrary(document)).verified).to.equal(true)
      expect((await verifyWithLibrary({ ...document, name: 'Other' })).verified).to.equal(false)
    })

    it('is served as JSON-LD alone', async () => {
      expect(
        (await createApiClient().get(third(id), createAcceptOptions('application/vc'))).headers['content-type'],
      ).to.equal('application/vc')
      expect(formatVerdict(await createApiClient().get(third(id), createAcceptOptions('application/vc+jwt')))).to.equal(
        '406 NOT_ACCEPTABLE',
      )
      expect(
        (await createApiClient().get(getCredentialPath(id), createAcceptOptions('application/vc+jwt'))).status,
      ).to.equal(200)
    })

    it('is left out for content that RDF cannot tell, which is certified all the same', async () => {
      const odd = await buildCertifiedPassport(shop, {
        data: { color: { id: 'no address' } },
        certifiedPaths: ['color'],
      })
      expect(formatVerdict(await createApiClient().get(third(odd)))).to.equal('406 NOT_ACCEPTABLE')
      expect(
        await describeFailedChecks(JSON.parse((await createApiClient().get(getCredentialPath(odd))).text)),
      ).to.equal('')
      const { db } = await getOperator()
      await loseStoredForms(db, odd)
      expect((await createApiClient().get(`/p/${odd}`)).text).to.not.include('could not be checked')
      const slashed = await buildCertifiedPassport(shop, { data: { color: { 'a/b': 1 } }, certifiedPaths: ['color'] })
      expect((await createApiClient().get(third(slashed))).status).to.equal(200)
    })

    it('is made anew with the next version, and no more once it is not chosen; what is there stays', async () => {
      await shop.api.patch(`/v1/dpp/passports/${id}`, { data: { color: 'blue', origin: { country: 'IT' } } })
      await certifiedAgain(shop, id)
      expect(JSON.parse((await createApiClient().get(third(id))).text)).to.not.deep.equal(vc)
      expect((await shop.api.put(settings, { cryptosuites: ['eddsa-jcs-2022'] })).status).to.equal(200)
      expect((await createApiClient().get(third(id))).status).to.equal(200)
      expect(formatVerdict(await createApiClient().get(third(await buildCertifiedPassport(shop))))).to.equal(
        '406 NOT_ACCEPTABLE',
      )
      expect((await api.put(settings, { cryptosuites: both })).status).to.equal(200)
    })

    it('has no catch-all with the later revision of UNTP, which maps the type of a passport', async () => {
      await forget()
      const untp = 'https://vocabulary.uncefact.org/untp/'
      page = {
        '@context': {
          ...untpContext['@context'],
          DigitalProductPassport: `${untp}DigitalProductPassport`,
          issuingSoftware: `${untp}issuingSoftware`,
        },
      }
      expect((await api.put(settings, { cryptosuites: both })).status).to.equal(200)
      const later = await buildCertifiedPassport(shop)
      const [form, usual] = [
        await createApiClient().get(third(later)),
        await createApiClient().get(getCredentialPath(later)),
      ]
      expect(form.status, form.text).to.equal(200)
      expect((JSON.parse(form.text) as Vc)['@context']).to.deep.equal((JSON.parse(usual.text) as Vc)['@context'])
      const refused = await shop.api.post('/v1/dpp/passports', {
        ...createBody(shop),
        data: { color: 'red', issuingSoftware: 'x' },
        certifiedPaths: ['color', 'issuingSoftware'],
      })
      expect([formatVerdict(refused), listFaultPaths(refused)]).to.deep.equal([
        '422 VALIDATION_FAILED',
        ['data.issuingSoftware'],
      ])
      page = untpContext
      await forget()
      expect((await api.put(settings, { cryptosuites: both })).status).to.equal(200)
    })

    it('certifies nothing under a name that the revision which was fetched protects, whatever that is', async () => {
      const body = (name: string) =>
        createBody(shop, { data: { parts: [{ [name]: 'red' }], open: { [name]: 1 } }, certifiedPaths: ['parts'] })
      const made = await shop.api.post('/v1/dpp/passports', body('shadeOfNext'))
      expect(made.status, made.text).to.equal(201)
      page = {
        '@context': [
          { ...untpContext['@context'], shadeOfNext: 'https://next.example/shade' },
          { sizeOfNext: { '@id': 'https://next.example/size', '@protected': false } },
        ],
      }
      await forget()
      expect((await api.put(settings, { cryptosuites: both })).status).to.equal(200)
      const built = await shop.api.post('/v1/dpp/passports/build-vc', body('shadeOfNext'))
      expect([formatVerdict(built), listFaultPaths(built)]).to.deep.equal([
        '422 VALIDATION_FAILED',
        ['data.parts[0].shadeOfNext'],
      ])
      expect((await shop.api.post('/v1/dpp/passports/build-vc', body('sizeOfNext'))).status).to.equal(200)
      const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${made.body.id}`)
      const job = await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)
      expect(
        (job['errors'] as unknown as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)[0],
      ).to.equal('data.parts[0].shadeOfNext not_certifiable')
      expect((await shop.api.get(`/v1/dpp/passports/${made.body.id}`)).body['certificationStatus']).to.equal('error')
      page = untpContext
      await forget()
      expect((await api.put(settings, { cryptosuites: both })).status).to.equal(200)
      expect((await shop.api.post('/v1/dpp/passports/build-vc', body('shadeOfNext'))).status).to.equal(200)
    })

    it('holds no certifying up where a context is kept no more, until the settings are set again', async () => {
      await forget()
      const bare = await buildCertifiedPassport(shop)
      expect(formatVerdict(await createApiClient().get(third(bare)))).to.equal('406 NOT_ACCEPTABLE')
      expect((await api.put(settings, { cryptosuites: both })).status).to.equal(200)
      expect((await createApiClient().get(third(await buildCertifiedPassport(shop)))).status).to.equal(200)
    })
  })
})

/** Waits until the passport's change is certified. */
async function certifiedAgain({ api }: Shop, id: string): Promise<void> {
  for (const until = Date.now() + 30_000; Date.now() < until;) {
    if ((await api.get(`/v1/dpp/passports/${id}`)).body['certificationStatus'] === 'certified') return
    await sleep(50)
  }
  throw new Error('The passport was not certified again')
}
