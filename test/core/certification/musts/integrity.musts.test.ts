import { createHash, createPublicKey, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import { expect } from 'chai'
import { base58btc } from 'multiformats/bases/base58'
import { createApiClient } from '../../../support/client.ts'
import { listFaultPaths, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { loadPackagedContexts } from '../../../support/values/packaged-contexts.ts'
import { buildCertifiedPassport, buildShop } from '../../../support/world.ts'
import { getCredentialPath, createBody } from '../credentials/certified.ts'
import { createIssuer, type Suite, type TestIssuer, type Vc } from '../suites/signers.ts'
import { describeFailedChecks, listFailedChecks, verifyByApi, verifyPath } from '../verify/verify.ts'

const suites: Suite[] = ['eddsa-jcs-2022', 'eddsa-rdfc-2022']
const base = 'https://www.w3.org/ns/credentials/v2'
const proofOf = (credential: Vc) => credential['proof'] as Vc

/** The proof of a credential whose proof has these members as well, signed as they are. */
const signed = (issuer: TestIssuer, more: Vc) => issuer.proved(issuer.credential(), 'eddsa-jcs-2022', more)

/** One more proof of a document, over those before it. */
async function linked(
  issuer: TestIssuer,
  document: Vc,
  earlier: Vc[],
  more: Vc,
  suite: Suite = 'eddsa-jcs-2022',
): Promise<Vc> {
  return proofOf(await issuer.proved(earlier.length > 0 ? { ...document, proof: earlier } : document, suite, more))
}

describe('Data Integrity: requirements on verified proofs', () => {
  const issuer = createIssuer()
  const notary = createIssuer()

  it('refuses members of a proof that are not as they have to be, also where it is signed so', async () => {
    for (const [more, detail] of [
      [{ id: 'first' }, /id that is no URL/],
      [{ id: 5 }, /id that is no URL/],
      [{ id: ['urn:a:b'] }, /id that is no URL/],
      [{ type: ['DataIntegrityProof'] }, /of a suite that is not known/],
      [{ type: 'Proof' }, /of a suite/],
      [{ cryptosuite: ['eddsa-jcs-2022'] }, /of a suite/],
      [{ cryptosuite: undefined }, /of a suite/],
      [{ cryptosuite: 'eddsa-2022' }, /of a suite/],
      [{ proofPurpose: 'authentication' }, /another purpose/],
      [{ proofPurpose: undefined }, /another purpose/],
      [{ proofPurpose: ['assertionMethod'] }, /another purpose/],
      [{ verificationMethod: undefined }, /does not name its key/],
      [{ verificationMethod: 'key 1' }, /does not name its key/],
      [{ verificationMethod: [issuer.method] }, /does not name its key/],
      [{ verificationMethod: { id: issuer.method } }, /does not name its key/],
      [{ domain: 5 }, /domain that is no text/],
      [{ domain: ['a.example', 5] }, /domain that is no text/],
      [{ challenge: ['x'] }, /challenge, or a nonce/],
      [{ nonce: 5 }, /challenge, or a nonce/],
      [{ previousProof: 5 }, /by what is no text/],
      [{ previousProof: [] }, /by what is no text/],
      [{ previousProof: ['urn:a:b', null] }, /by what is no text/],
    ] as const) {
      expect((await listFailedChecks(await signed(issuer, more)))['proof'], JSON.stringify(more)).to.match(detail)
    }
    for (const more of [
      { id: 'urn:uuid:6a1676b8-b51f-11ed-937b-d76685a20ff5' },
      { domain: 'shop.example', challenge: 'a' },
      { domain: ['a.example', 'b.example'], nonce: 'n' },
    ])
      expect(await describeFailedChecks(await signed(issuer, more)), JSON.stringify(more)).to.equal('')
  })

  it('refuses documents whose proof is none', async () => {
    const { proof, ...document } = await issuer.proved(issuer.credential())
    for (const given of ['x', 5, null, [[proof]], [proof, 'x'], {}, [{}]]) {
      const answer = await createApiClient().post(verifyPath, { ...document, proof: given })
      const isRefused = answer.status === 422 || (answer.body as { verified?: boolean }).verified === false
      expect(isRefused, JSON.stringify(given)).to.equal(true)
    }
    expect((await listFailedChecks(document)).proof).to.equal('It carries no proof')
  })

  it('refuses dates of a proof that are none, have no offset or are over', async () => {
    for (const [more, detail] of [
      [{ created: '2026-01-01' }, /created of the proof/],
      [{ created: '2026-01-01T00:00:00' }, /created of the proof/],
      [{ created: 5 }, /created of the proof/],
      [{ created: '2026-02-30T00:00:00Z' }, /created of the proof/],
      [{ created: '2026-01-01 00:00:00Z' }, /created of the proof/],
      [{ created: '' }, /created of the proof/],
      [{ created: '2999-01-01T00:00:00Z' }, /created of the proof is in the future/],
      [{ expires: '2999' }, /expires of the proof/],
      [{ expires: null }, /expires of the proof/],
      [{ expires: '2999-01-01T00:00:00' }, /expires of the proof/],
      [{ expires: '2026-01-02T00:00:00Z', created: '2026-01-01T00:00:00Z' }, /expires of the proof is past/],
      [{ expires: '2026-01-01T00:00:00Z', created: '2026-01-02T00:00:00Z' }, /expires of the proof/],
    ] as const)
      expect(await describeFailedChecks(await signed(issuer, more)), JSON.stringify(more))
        .to.match(/^proof: /)
        .and.match(detail)
    for (const more of [
      { created: undefined },
      { created: '2026-01-01T00:00:00.123Z' },
      { created: '2026-01-01T05:30:00+05:30' },
      { expires: '2999-01-01T00:00:00-05:00' },
    ])
      expect(await describeFailedChecks(await signed(issuer, more)), JSON.stringify(more)).to.equal('')
  })

  it('takes signatures of 64 bytes in base58btc and nothing else, with either suite', async () => {
    for (const suite of suites) {
      const credential = await issuer.proved(issuer.credential(), suite)
      const bytes = base58btc.decode(String(proofOf(credential)['proofValue']) as `z${string}`)
      const spelled = [
        `u${Buffer.from(bytes).toString('base64url')}`,
        `m${Buffer.from(bytes).toString('base64')}`,
        `f${Buffer.from(bytes).toString('hex')}`,
        base58btc.encode(bytes).slice(1),
        base58btc.encode(bytes.subarray(0, 63)),
        base58btc.encode(Buffer.concat([bytes, Buffer.of(0)])),
        `z1${base58btc.encode(bytes).slice(1)}`,
        ` ${base58btc.encode(bytes)}`,
        'z',
        '',
        undefined,
        [base58btc.encode(bytes)],
        5,
      ]
      for (const proofValue of spelled) {
        const given = { ...credential, proof: { ...proofOf(credential), proofValue } }
        expect(await describeFailedChecks(given), String(proofValue)).to.equal(
          'proof: The proof has no signature of 64 bytes in base58btc',
        )
      }
      expect(await describeFailedChecks(credential)).to.equal('')
    }
  })

  it('verifies chains: each proof with those before it, named by one text or several', async () => {
    const id = (name: string) => `urn:uuid:${name}0000000-0000-4000-8000-000000000000`
    for (const suite of suites) {
      const document = issuer.credential()
      const first = await linked(notary, document, [], { id: id('a') }, suite)
      const second = await linked(issuer, document, [first], { id: id('b'), previousProof: id('a') }, suite)
      const third = await linked(notary, document, [first, second], { previousProof: [id('b'), id('a')] }, suite)
      const detail = (await verifyByApi({ ...document, proof: [third, first, second] })).checks.find(
        ({ check }) => check === 'issuer',
      )?.detail
      expect(detail).to.equal(`It is issued by ${issuer.did}; signed as well by ${notary.did}`)
      expect(await describeFailedChecks({ ...document, proof: [first, second] }), suite).to.equal('')
      const broken: [Vc[], RegExp][] = [
        [[second], /made after another one that is not there/],
        [[{ ...first, id: id('c') }, second], /made after another one that is not there/],
        [[first, { ...second, id: id('a') }], /Two proofs of it have one id/],
        [[{ ...first, created: '2026-01-01T00:00:00Z' }, second], /does not fit/],
        [[first, { ...second, previousProof: undefined }], /does not fit/],
        [[first, second, { ...third, previousProof: id('a') }], /does not fit/],
        [[first, { ...second, previousProof: [id('a'), id('d')] }], /made after another one that is not there/],
        [[first, { ...second, previousProof: id('b') }], /made after another one that is not there/],
      ]
      // Expanding takes its time: one way to break it is enough to show that the other suite covers those before.
      for (const [proof, found] of suite === 'eddsa-jcs-2022' ? broken : broken.slice(3, 4))
        expect((await listFailedChecks({ ...document, proof }))['proof'], `${suite} ${found}`).to.match(found)
    }
    // What a later proof covers does not hold by being covered.
    const document = issuer.credential()
    const first = {
      ...(await linked(notary, document, [], { id: id('a') })),
      proofValue: base58btc.encode(Buffer.alloc(64, 7)),
    }
    const second = await linked(issuer, document, [first], { previousProof: id('a') })
    expect(await describeFailedChecks({ ...document, proof: [first, second] })).to.match(
      /^proof: The signature does not fit/,
    )
  })

  it('verifies sets in any order, all of them, of which the issuer made one', async () => {
    const document = issuer.credential()
    const own = await linked(issuer, document, [], {}, 'eddsa-rdfc-2022')
    const other = await linked(notary, document, [], {})
    for (const proof of [
      [own, other],
      [other, own],
    ])
      expect(await describeFailedChecks({ ...document, proof })).to.equal('')
    expect(await listFailedChecks({ ...document, proof: [other] })).to.have.all.keys('issuer')
    expect(await describeFailedChecks({ ...document, proof: [{ ...other, nonce: 'x' }, own] })).to.match(
      /^proof: The signature does not fit/,
    )
    expect(
      await listFailedChecks({ ...document, proof: [own, { ...other, cryptosuite: 'bbs-2023' }] }),
    ).to.include.keys('proof')
    expect(
      await listFailedChecks({ ...document, proof: [{ ...other, verificationMethod: 'did:example:x#1' }, own] }),
    ).to.have.all.keys('proof', 'key')
  })

  it('covers all that JSON-LD could drop: what has no meaning, and what is no whole address', async () => {
    const meaning = { knows: { '@id': 'https://x.example/knows', '@type': '@id' } }
    const document = issuer.credential({
      '@context': [base, meaning],
      credentialSubject: { id: 'urn:a:b', knows: 'https://x.example/1' },
    })
    const credential = await issuer.proved(document, 'eddsa-rdfc-2022')
    expect(await describeFailedChecks(credential)).to.equal('')
    for (const subject of [
      { id: 'urn:a:b', knows: '../1' },
      { id: 'urn:a:b', knows: 'https://x.example/1', colour: 'red' },
    ]) {
      expect(
        await describeFailedChecks({ ...credential, credentialSubject: subject }),
        JSON.stringify(subject),
      ).to.match(/^proof: A term of it is mapped by no context/)
    }
  })

  it('finds other contexts than those that were signed, with either suite', async () => {
    for (const suite of suites) {
      const credential = await issuer.proved(
        issuer.credential({
          '@context': [base, { colour: 'https://x.example/colour' }],
          credentialSubject: { colour: 'red' },
        }),
        suite,
      )
      expect(await describeFailedChecks(credential)).to.equal('')
      const other = { ...credential, '@context': [base, { colour: 'https://x.example/size' }] }
      expect(await describeFailedChecks(other), suite).to.match(/^proof: /)
    }
    // A proof may leave its contexts out, which the signature over the document covers.
    const { '@context': _, ...loose } = proofOf(await issuer.proved(issuer.credential()))
    expect((await listFailedChecks({ ...issuer.credential(), proof: loose }))['proof']).to.match(/does not fit/)
  })

  it('knows the contexts of the specifications without asking for them', async () => {
    const known = [
      'https://w3id.org/security/data-integrity/v2',
      'https://w3id.org/security/multikey/v1',
      'https://w3id.org/security/jwk/v1',
      'https://www.w3.org/ns/credentials/status/v1',
    ]
    const extra = await loadPackagedContexts(known)
    const subject = [
      {
        id: 'urn:a:b',
        type: 'Multikey',
        controller: issuer.did,
        publicKeyMultibase: issuer.multikey,
        expires: '2999-01-01T00:00:00Z',
      },
      { id: 'urn:a:c', type: 'JsonWebKey', controller: issuer.did, publicKeyJwk: issuer.jwk },
    ]
    const document = issuer.credential({ '@context': [base, ...known], credentialSubject: subject })
    expect(await describeFailedChecks(await issuer.proved(document, 'eddsa-rdfc-2022', {}, extra))).to.equal('')
    // What W3C publishes at these addresses, in JCS.
    const digests = Object.values(extra).map((one) =>
      createHash('sha256')
        .update(String(canonicalize(one)))
        .digest('hex')
        .slice(0, 16),
    )
    expect(digests).to.deep.equal(['7ba3c50acf2689d5', 'be20c3ee6af6e9c4', '38dd329a9a011fac', 'b2fcebfbaf4e6bea'])
  })

  it('judges text as UTF-8', async () => {
    for (const suite of suites) {
      const credential = await issuer.proved(
        issuer.credential({ credentialSubject: { id: 'urn:a:b', name: 'Schönes Büro 東京 👜' } }),
        suite,
      )
      expect(await describeFailedChecks(credential), suite).to.equal('')
    }
  })
})

describe('Data Integrity: requirements on issued proofs', () => {
  it('signs hashes of proof and document with Ed25519, as another implementation recomputes them', async () => {
    const shop = await buildShop()
    const body = createBody(shop, { data: { color: 'grün 東京 👜', origin: { country: 'FR' } } })
    const built = await shop.api.post('/v1/dpp/passports/build-vc', body)
    for (const text of [
      (await createApiClient().get(getCredentialPath(await buildCertifiedPassport(shop)))).text,
      built.text,
    ]) {
      const { proof, ...document } = JSON.parse(text) as Vc & { proof: Vc; issuer: { id: string } }
      const { proofValue, ...options } = proof
      expect(Object.keys(options).sort()).to.deep.equal([
        '@context',
        'created',
        'cryptosuite',
        'proofPurpose',
        'type',
        'verificationMethod',
      ])
      expect(options).to.deep.include({
        type: 'DataIntegrityProof',
        cryptosuite: 'eddsa-jcs-2022',
        proofPurpose: 'assertionMethod',
        '@context': document['@context'],
      })
      expect(options['created']).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      const method = String(options['verificationMethod'])
      expect(method).to.match(/^did:key:(z6Mk\w+)#\1$/)
      expect(method.split('#')[0]).to.equal(document.issuer.id)
      const multikey = Buffer.from(base58btc.decode(method.split('#')[1] as `z${string}`))
      expect([multikey.length, multikey.subarray(0, 2).toString('hex')]).to.deep.equal([34, 'ed01'])
      const key = createPublicKey({
        format: 'jwk',
        key: { kty: 'OKP', crv: 'Ed25519', x: multikey.subarray(2).toString('base64url') },
      })
      const hashed = (value: object) =>
        createHash('sha256')
          .update(String(canonicalize(value)), 'utf8')
          .digest()
      const signature = base58btc.decode(String(proofValue) as `z${string}`)
      expect(signature).to.have.length(64)
      expect(verify(null, Buffer.concat([hashed(options), hashed(document)]), key, signature)).to.equal(true)
    }
  })

  it('makes no proof of what cannot be secured whole', async () => {
    const shop = await buildShop()
    const refused = await shop.api.post(
      '/v1/dpp/passports/build-vc',
      createBody(shop, { data: { color: { '@id': 'x' }, origin: { country: 'FR' } } }),
    )
    expect([formatVerdict(refused), listFaultPaths(refused)]).to.deep.equal([
      '422 VALIDATION_FAILED',
      ['data.color.@id'],
    ])
    expect(refused.text).to.not.include('proofValue')
  })
})
