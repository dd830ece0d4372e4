import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { loadPackagedContexts } from '../../../support/values/packaged-contexts.ts'
import { createUntpItem } from '../../../support/values/untp.ts'
import { createSerial } from '../../dpp/passports/fixtures.ts'
import { buildCertifiedPassport, buildSheet, buildShop } from '../../../support/world.ts'
import { getCredentialPath, createBody } from '../credentials/certified.ts'
import { credentialsContext, contextDigests, createRichCredential } from './rich-credential.ts'
import { createIssuer, type Vc } from '../suites/signers.ts'
import { describeFailedChecks, verifyByApi } from '../verify/verify.ts'

const issuer = createIssuer()

/** Whether a credential verifies with these members, both with a proof and as a token. */
async function holds(more: Vc): Promise<void> {
  const credential = issuer.credential(more)
  for (const given of [await issuer.proved(credential), await issuer.token(credential)]) {
    expect(await describeFailedChecks(given), JSON.stringify(more)).to.equal('')
  }
}

describe('POST /v1/dpp/credentials/verify: well-formed credentials', () => {
  it('verifies with each member that the data model has', () => holds(createRichCredential(issuer)))

  it('verifies with members in each form that they may have', async () => {
    const type = 'https://brand.example/Type'
    for (const more of [
      { id: undefined, validFrom: undefined },
      { id: 'did:x:y' },
      { id: 'urn:isbn:0-486-27557-4' },
      { id: 'https://brand.example/étui#1' },
      { type: 'VerifiableCredential' },
      { type: [type, 'VerifiableCredential', `${type}2`] },
      { issuer: issuer.did },
      { issuer: { id: issuer.did, type: 'Any thing' } },
      { '@context': [credentialsContext, { Bag: type }], type: ['VerifiableCredential', 'Bag'] },
      {
        '@context': [credentialsContext, { '@vocab': 'https://brand.example/' }],
        type: ['Bag', 'VerifiableCredential'],
      },
      {
        '@context': [
          credentialsContext,
          { Bag: { '@id': type, '@context': { Strap: `${type}2` } }, name: 'https://schema.org/name' },
        ],
        evidence: { type: 'Strap' },
      },
      { '@context': [credentialsContext, { '@protected': true, Bag: type }, { Bag: type, Box: null }] },
      { credentialSubject: { id: 'did:x:y' } },
      { credentialSubject: [{ id: 'did:x:y' }, { name: 'B' }] },
      { credentialSubject: { type: 'https://brand.example/Bag' } },
      { name: 'Text', description: 'Text' },
      { name: { '@value': '' } },
      { name: { '@value': 'x', '@language': 'x-brand' }, description: { '@value': 'x', '@language': 'zh-Hant-TW' } },
      { validFrom: '2023-02-26T01:02:58.447Z' },
      { validFrom: '2023-02-25T19:10:39-06:00', validUntil: '3023-02-25T19:10:39.123456789+05:45' },
      { validFrom: '-0044-03-15T12:00:00Z', validUntil: '12026-01-01T00:00:00Z' },
      { validFrom: '2026-01-01T00:00:00Z', validUntil: undefined },
      { evidence: { type } },
      { termsOfUse: { type, id: 'did:x:y' } },
      { refreshService: [{ type, id: 'did:x:1' }, { type }] },
      { credentialSchema: { type, id: 'did:x:y' } },
      { renderMethod: { type } },
      { '@context': [credentialsContext, 'https://brand.example/dates'], issuanceDate: '2020-01-01T00:00:00Z' },
    ])
      await holds(more)
  })

  it('verifies in version 1.1 with its own proof, until its expirationDate', async () => {
    const [first, security] = ['https://www.w3.org/2018/credentials/v1', 'https://w3id.org/security/data-integrity/v2']
    const of = (more: Vc = {}) =>
      issuer.credential({
        '@context': [first, security],
        validFrom: undefined,
        issuanceDate: '2020-03-16T22:37:26.544Z',
        credentialSubject: { id: 'did:x:y' },
        ...more,
      })
    const extra = await loadPackagedContexts([security])
    const inline = of({ '@context': [first, security, { description: 'https://brand.example/description' }] })
    for (const given of [
      await issuer.proved(of()),
      await issuer.proved(inline),
      await issuer.proved(of(), 'eddsa-rdfc-2022', {}, extra),
      await issuer.proved(of({ expirationDate: '2999-01-01T00:00:00Z', name: 5 })),
    ]) {
      const { checks } = await verifyByApi(given)
      expect(checks.slice(0, 5).filter(({ ok }) => !ok)).to.deep.equal([])
      expect(checks[4]?.detail).to.match(/^It is valid since 2020-03-16T22:37:26.544Z, /)
    }
    expect(await describeFailedChecks(await issuer.proved(of({ expirationDate: '2021-01-01T00:00:00Z' })))).to.equal(
      'validity: expirationDate is past: 2021-01-01T00:00:00Z',
    )
    expect(await describeFailedChecks(await issuer.proved(of({ issuanceDate: '2999-01-01T00:00:00Z' })))).to.match(
      /^validity: issuanceDate is in the future/,
    )
    expect(await describeFailedChecks(await issuer.proved(of({ validUntil: '2021-01-01T00:00:00Z' })))).to.match(
      /^validity: validUntil is past/,
    )
  })

  it('issued by an organization here, in both forms, with status lists that are credentials themselves', async () => {
    const at = getCredentialPath(await buildCertifiedPassport(await buildShop()))
    const vc = JSON.parse((await createApiClient().get(at)).text) as Vc & { credentialStatus: Vc[] }
    const token = (await createApiClient().get(at, { headers: { accept: 'application/vc+jwt' } })).text
    for (const form of [vc, token]) expect(await describeFailedChecks(form)).to.equal('')
    for (const { statusListCredential } of vc.credentialStatus) {
      const list = await createApiClient().get(new URL(String(statusListCredential)).pathname)
      expect((await verifyByApi(JSON.parse(list.text))).checks[0]?.detail).to.equal('The signature fits the content')
    }
  })
})

describe('Issued credential: W3C data model', () => {
  /** What its own context maps. */
  const termsOf = async (vc: string) => {
    const address = new URL((JSON.parse(vc) as { '@context': string[] })['@context'][2] ?? '')
    const { text } = await createApiClient().get(address.pathname)
    return Object.keys((JSON.parse(text) as { '@context': object })['@context'])
  }

  it('with keys of its own in a context of its own, and what no context maps under that of undefined terms', async () => {
    const shop = await buildShop()
    const build = async (data: object) =>
      JSON.parse(
        (
          await shop.api.post(
            '/v1/dpp/passports/build-vc',
            createBody(shop, { data, certifiedPaths: Object.keys(data) }),
          )
        ).text,
      ) as Vc & { '@context': string[] }
    const open = await build({ speed: { 'km/h': 25 } })
    expect(open['@context'].at(-1)).to.equal('https://www.w3.org/ns/credentials/undefined-terms/v2')
    expect(open['@context']).to.have.length(4)
    expect(await describeFailedChecks(open)).to.equal('')
    const more = await shop.api.post(
      '/v1/dpp/passports/build-vc',
      createBody(shop, { product: { ...createUntpItem(createSerial()), gtin: '09520123456788' } }),
    )
    expect((JSON.parse(more.text) as { '@context': string[] })['@context']).to.have.length(3)
    expect(await termsOf(more.text)).to.include('gtin')
    const sheet = await buildSheet(shop, {
      productFields: [{ name: 'grade', type: 'string' }],
      fields: { grade: 'A' },
      certifiedPaths: ['grade'],
    })
    const ofSheet = await shop.api.post('/v1/dpp/passports/build-vc', { product: sheet, fields: { serialNumber: 'S' } })
    expect(await termsOf(ofSheet.text)).to.deep.equal(['grade'])
    expect(await describeFailedChecks(JSON.parse(ofSheet.text))).to.equal('')
    expect((await build({ speed: { kmh: 25, 'https://brand.example/v': 1 } }))['@context']).to.have.length(3)
  })
})

describe('POST /v1/dpp/credentials/verify: related resources that are known here', () => {
  const related = async (more: Vc | Vc[]) => issuer.proved(issuer.credential({ relatedResource: more }))
  const detail = async (more: Vc | Vc[]) => (await verifyByApi(await related(more))).checks[0]?.detail
  const wrong = `u${Buffer.from(`1220${'0'.repeat(64)}`, 'hex').toString('base64url')}`

  it('fits each kind of digest', async () => {
    for (const digests of [
      { digestSRI: contextDigests.digestSRI },
      { digestMultibase: contextDigests.digestMultibase },
      contextDigests,
      { digestMultibase: 'zQmUNM6HqwZxuJ5k6cYRKAiqjUkx1qxWJe4WTqsg7ZJtEFm' },
      { digestSRI: `sha256-${'A'.repeat(43)}= ${contextDigests.digestSRI}` },
      { digestMultibase: [contextDigests.digestMultibase, wrong] },
      {
        digestSRI:
          'sha512-XVVFK9Lc+KKfWikEc+skKxxft31OaPGgqoe6pNuiaUhS1l7GPUisBKmdlW+fcVO5QG+E0tBMdIabAsI5odgTBQ==?ct=application/ld+json',
      },
    ])
      expect(await detail({ id: credentialsContext, ...digests }), JSON.stringify(digests)).to.equal(
        'The signature fits the content; a related resource fits its digest',
      )
  })

  it('is one of at most 50', async () => {
    const many = (count: number) =>
      related(Array.from({ length: count }, (_, at) => ({ id: `urn:x:${at}`, ...contextDigests })))
    expect(await describeFailedChecks(await many(50))).to.equal('')
    expect(await describeFailedChecks(await many(51))).to.equal('proof: It has more than 50 related resources')
  })

  it('breaks the proof where it is another one than its digest says', async () => {
    for (const digests of [
      { digestSRI: `sha256-${'A'.repeat(43)}=` },
      { ...contextDigests, digestSRI: `sha384-${'A'.repeat(64)}` },
      { ...contextDigests, digestMultibase: wrong },
      { digestSRI: `sha512-${'A'.repeat(86)}== ${contextDigests.digestSRI}` },
    ]) {
      expect(
        await describeFailedChecks(
          await related([
            { id: 'did:x:y', ...contextDigests },
            { id: credentialsContext, ...digests },
          ]),
        ),
        JSON.stringify(digests),
      ).to.equal(`proof: The related resource ${credentialsContext} is another one than its digest says`)
    }
  })
})
