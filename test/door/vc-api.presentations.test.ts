import { expect } from 'chai'
import { bare, forms, issue, refusal } from './vc-api.cases.ts'
import { startVcApi, type VcApi } from './vc-api.ts'
import { createIssuer, type Vc } from '../core/certification/suites/signers.ts'

describe('The door for outside test suites, verifying a presentation', function () {
  this.timeout(60_000)
  let door: VcApi
  const holder = createIssuer()
  const verifyOptions = { challenge: 'c-1', domain: 'shop.example' }
  const unsigned = (more: Vc = {}): Vc => ({
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    type: ['VerifiablePresentation'],
    ...more,
  })
  const purpose = { proofPurpose: 'authentication', ...verifyOptions }
  const signed = (more: Vc = {}, suite?: 'eddsa-rdfc-2022', proof: Vc = purpose) =>
    holder.proved(unsigned(more), suite, proof)
  const enveloped = async (payload: Vc, header: Vc = {}): Promise<Vc> => ({
    '@context': 'https://www.w3.org/ns/credentials/v2',
    type: 'EnvelopedVerifiablePresentation',
    id: `data:application/vp+jwt,${await holder.token(payload, { typ: 'vp+jwt', ...header })}`,
  })
  const present = (given: unknown, options: Vc = verifyOptions) =>
    door.post('/presentations/verify', { verifiablePresentation: given, options })
  let credentials: Vc[]

  before(async () => {
    door = await startVcApi()
    credentials = await Promise.all(forms.map((form) => door.issued(bare(), `/${form}${issue}`)))
  })
  after(() => door.close())

  it('takes what its holder signed, in each form, for what was asked', async () => {
    const payload = unsigned({
      holder: holder.did,
      verifiableCredential: [credentials[2]],
      nonce: verifyOptions.challenge,
      aud: verifyOptions.domain,
    })
    for (const given of [
      await signed({ verifiableCredential: credentials, holder: holder.did }),
      await signed({ verifiableCredential: credentials[0], holder: { id: holder.did } }, 'eddsa-rdfc-2022'),
      await signed(),
      await signed({}, 'eddsa-rdfc-2022'),
      await signed({}, undefined, { ...verifyOptions, domain: [verifyOptions.domain] }),
      await enveloped(payload),
      await enveloped({ ...payload, aud: ['x.example', verifyOptions.domain] }),
      await holder.token(payload, { typ: 'vp+jwt' }),
    ]) {
      const { status, body } = await present(given)
      expect(status, JSON.stringify(body)).to.equal(200)
      expect(body).to.deep.include({ verified: true, problemDetails: [] })
    }
    expect((await present(await signed(), {})).status).to.equal(200)
  })

  it('takes one that nobody signed for the credentials in it, and for nothing more', async () => {
    const given = unsigned({ verifiableCredential: credentials })
    expect((await present(given, {})).body).to.deep.include({ verified: true })
    expect((await door.post('/presentations/verify', { presentation: given })).status).to.equal(200)
    expect(refusal(await present(given))).to.match(/^INVALID_CHALLENGE_ERROR challenge: It is not signed/)
    expect(refusal(await present(unsigned(), {}))).to.match(/^PROOF_VERIFICATION_ERROR proof: It is neither signed nor/)
  })

  it('takes claims of the holder by its own signature', async () => {
    const claims = holder.credential()
    expect((await present(await signed({ holder: holder.did, verifiableCredential: [claims] }))).status).to.equal(200)
    expect(refusal(await present(await signed({ verifiableCredential: [createIssuer().credential()] })))).to.match(
      /proof: It carries no proof/,
    )
    expect(refusal(await present(unsigned({ verifiableCredential: [claims] }), {}))).to.match(
      /proof: It carries no proof/,
    )
  })

  it('says which of its parts does not hold', async () => {
    const good = await signed({ verifiableCredential: credentials })
    const changed = { ...credentials[0], name: 'Other' }
    for (const [given, options, said] of [
      [good, { ...verifyOptions, challenge: 'c-2' }, /^INVALID_CHALLENGE_ERROR challenge: /],
      [good, { ...verifyOptions, domain: 'x.example' }, /^INVALID_DOMAIN_ERROR domain: /],
      [await signed({}, undefined, { proofPurpose: 'authentication' }), verifyOptions, /^INVALID_CHALLENGE_ERROR/],
      [
        await signed({}, undefined, { ...purpose, domain: ['x.example', verifyOptions.domain] }),
        verifyOptions,
        /^INVALID_DOMAIN_ERROR/,
      ],
      [
        await signed({}, undefined, { ...purpose, proofPurpose: 'keyAgreement' }),
        verifyOptions,
        /^PROOF_VERIFICATION_ERROR proof: /,
      ],
      [
        { ...good, id: 'urn:uuid:5a2d6f0e-7d1c-4b59-9a43-3b8ab0f0c002' },
        verifyOptions,
        /^PROOF_VERIFICATION_ERROR proof: The signature does not fit/,
      ],
      [
        await signed({ holder: createIssuer().did }),
        verifyOptions,
        /^CRYPTOGRAPHIC_SECURITY_ERROR holder: It is signed by another/,
      ],
      [
        await signed({ verifiableCredential: [credentials[1], changed] }),
        verifyOptions,
        /^PROOF_VERIFICATION_ERROR proof: The signature does not fit/,
      ],
      [
        await enveloped(unsigned({ nonce: 'c-2', aud: verifyOptions.domain })),
        verifyOptions,
        /^INVALID_CHALLENGE_ERROR/,
      ],
      [await enveloped(unsigned({ nonce: 'c-1', aud: 'x' })), verifyOptions, /^INVALID_DOMAIN_ERROR/],
      [
        await enveloped(unsigned({ nonce: 'c-1', aud: verifyOptions.domain }), { typ: 'vc+jwt' }),
        verifyOptions,
        /^PROOF_VERIFICATION_ERROR proof: /,
      ],
      [await enveloped(unsigned({ exp: 1_700_000_000 })), {}, /^RANGE_ERROR validity: exp is past/],
    ] as const) {
      const answer = await present(given, options)
      expect(refusal(answer), JSON.stringify(given)).to.match(said)
      expect(answer.body['verified']).to.equal(false)
    }
  })

  it('tells what is no presentation by its path', async () => {
    for (const [given, said] of [
      [undefined, /verifiablePresentation must be/],
      ['text', /compact JWS/],
      [unsigned({ type: ['Other'] }), /verifiablePresentation\.type/],
      [unsigned({ '@context': ['https://example.org/'] }), /@context/],
      [unsigned({ holder: 5 }), /holder/],
      [unsigned({ verifiableCredential: ['text'] }), /verifiableCredential/],
      [unsigned({ verifiableCredential: Array(17).fill(credentials[0]) }), /more than 16/],
      [await enveloped(unsigned({ verifiableCredential: [credentials[0]] })), /must be enveloped/],
      [{ ...(await enveloped(unsigned())), '@context': [] }, /@context/],
    ] as const)
      expect(refusal(await present(given, {})), JSON.stringify(given))
        .to.match(/^MALFORMED_VALUE_ERROR /)
        .and.match(said)
    expect(refusal(await present(await signed(), { challenge: 5 }))).to.match(/options\.challenge must be text/)
  })
})
