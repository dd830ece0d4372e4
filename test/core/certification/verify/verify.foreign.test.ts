import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { createIssuer, type Vc } from '../suites/signers.ts'
import { describeFailedChecks, listFailedChecks, verifyByApi } from './verify.ts'

describe('POST /v1/dpp/credentials/verify: a foreign issuer under did:key', () => {
  const issuer = createIssuer()

  it('takes each of the three ways to secure it', async () => {
    const credential = issuer.credential()
    for (const given of [
      await issuer.proved(credential),
      await issuer.proved(credential, 'eddsa-rdfc-2022'),
      await issuer.token(credential),
      await issuer.token(credential, { alg: 'Ed25519', typ: 'application/vc+jwt' }),
      await issuer.token({ ...credential, iss: issuer.did }, { kid: undefined }),
      await issuer.token({ ...credential, iss: issuer.did }, { kid: `#${issuer.multikey}` }),
    ])
      expect(await describeFailedChecks(given)).to.equal('')
    const { checks } = await verifyByApi(await issuer.proved(credential))
    expect(checks.find(({ check }) => check === 'anchor')?.detail).to.match(
      /anchored nowhere that this installation knows of/,
    )
    expect(checks.find(({ check }) => check === 'schema')?.ok).to.equal(false)
  })

  it('finds a term that no context maps, which eddsa-rdfc-2022 does not cover', async () => {
    const proved = await issuer.proved(issuer.credential(), 'eddsa-rdfc-2022')
    const subject = proved['credentialSubject'] as Vc
    expect(await describeFailedChecks({ ...proved, credentialSubject: { ...subject, colour: 'red' } })).to.match(
      /^proof: A term of it is mapped by no context/,
    )
    expect(await describeFailedChecks({ ...proved, credentialSubject: { ...subject, name: 'Other' } })).to.match(
      /^proof: The signature does not fit/,
    )
    expect(await describeFailedChecks({ ...proved, padding: 'x'.repeat(300_000) })).to.match(
      /^proof: With eddsa-rdfc-2022 at most/,
    )
  })

  it('gives contexts up that would keep it busy, and answers others meanwhile', async () => {
    const terms = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`u${at}`, `https://x.example/u${at}`]))
    const context = {
      k: { '@id': 'https://x.example/k', '@context': { a: 'https://x.example/a' } },
      T: { '@id': 'https://x.example/T', '@context': terms },
    }
    const deep = () => Array.from({ length: 30 }).reduce<object>((inner) => ({ type: 'T', k: inner }), {})
    const { proof } = await issuer.proved(issuer.credential(), 'eddsa-rdfc-2022')
    const judgedIn = async (given: Vc) => {
      const since = performance.now()
      expect(await describeFailedChecks(given)).to.match(
        /^proof: The proof cannot be judged: its contexts take too long/,
      )
      return performance.now() - since
    }
    const busy = issuer.credential({
      '@context': ['https://www.w3.org/ns/credentials/v2', context],
      credentialSubject: Array.from({ length: 60 }, () => ({ k: deep() })),
      proof,
    })
    const token = await issuer.token(issuer.credential())
    // Others have turns of their own. Their threads are there after this.
    const other = createApiClient(platform.apiKey)
    await Promise.all([describeFailedChecks(token), describeFailedChecks(token, other)])
    let isJudged = false
    const judging = describeFailedChecks(busy).finally(() => {
      isJudged = true
    })
    expect(await describeFailedChecks(token, other)).to.equal('')
    expect(isJudged).to.equal(false)
    expect(await judging).to.match(/^proof: The proof cannot be judged: its contexts take too long/)
    // Four proofs have the time of one, together.
    const one = await judgedIn(busy)
    expect(await judgedIn({ ...busy, proof: Array.from({ length: 4 }, () => proof) })).to.be.below(one * 2.5)
  })

  it('does not fetch a context over an address that is not asked', async () => {
    const proved = await issuer.proved(issuer.credential(), 'eddsa-rdfc-2022')
    for (const address of [
      'https://127.0.0.1/c',
      'https://169.254.169.254/latest',
      'http://10.0.0.1/',
      'https://[::1]/',
      'file:///etc/passwd',
    ]) {
      expect(
        await describeFailedChecks({ ...proved, '@context': ['https://www.w3.org/ns/credentials/v2', address] }),
        address,
      ).to.match(/^proof: /)
    }
  })

  it('finds tokens that another algorithm, type or key speaks for', async () => {
    const credential = issuer.credential()
    const token = await issuer.token(credential)
    const [, payload, signature] = token.split('.')
    const headed = (header: Vc, end = signature) =>
      [Buffer.from(JSON.stringify(header)).toString('base64url'), payload, end].join('.')
    const good = { alg: 'EdDSA', typ: 'vc+jwt', kid: issuer.method }
    expect(await describeFailedChecks(headed({ ...good, alg: 'none' }))).to.match(
      /^proof: The token is signed with another algorithm/,
    )
    expect(await describeFailedChecks(headed({ ...good, alg: 'HS256' }))).to.match(/^proof: /)
    expect(await describeFailedChecks(await issuer.token(credential, { typ: 'JWT' }))).to.match(
      /^proof: The token says that it is something else/,
    )
    expect(await describeFailedChecks(await issuer.token(credential, { jwk: createIssuer().jwk }))).to.match(
      /^proof: The token brings its own key/,
    )
    expect(await describeFailedChecks(headed({ ...good, crit: ['b64'], b64: false }))).to.match(
      /^proof: The token demands/,
    )
    expect(await listFailedChecks(await issuer.token(credential, { kid: 5 }))).to.include.keys('proof')
    expect(await listFailedChecks(await issuer.token({ ...credential, iss: 'did:key:z6MkOther' }))).to.have.all.keys(
      'issuer',
    )
    expect(await listFailedChecks(await createIssuer().token(credential))).to.have.all.keys('issuer')
    expect(await listFailedChecks(await createIssuer().token(credential, { kid: issuer.method }))).to.have.all.keys(
      'proof',
    )
  })

  it('finds issuers under names that lead nowhere', async () => {
    for (const did of ['did:key:z6MkNone', 'did:key:zDnaerDa', `did:key:z${'2'.repeat(100_000)}`]) {
      const found = await listFailedChecks(
        await issuer.token(issuer.credential({ issuer: did }), { kid: `${did}#${did.slice('did:key:'.length)}` }),
      )
      expect(found.key, did.slice(0, 80)).to.match(/^The key is no (Ed25519 key|P-256 key|Multikey)/)
    }
    for (const did of [
      'did:ion:abc',
      'did:web:',
      'did:web:a/b',
      'did:web:user@host',
      'did:web:localhost%3A1:..',
      'did:web:127.0.0.1',
      'did:web:169.254.169.254',
    ]) {
      expect(
        await listFailedChecks(await issuer.token(issuer.credential({ issuer: did }), { kid: `${did}#x` })),
        did,
      ).to.have.all.keys('proof', 'issuer', 'key')
    }
  })

  it('finds it expired, or not valid yet', async () => {
    for (const [more, detail] of [
      [{ validUntil: '2026-01-02T00:00:00Z' }, /^validity: validUntil is past: 2026/],
      [{ validFrom: '2999-01-01T00:00:00+01:00' }, /^validity: validFrom is in the future/],
    ] as const)
      expect(await describeFailedChecks(await issuer.proved(issuer.credential(more))), JSON.stringify(more)).to.match(
        detail,
      )
    expect(await describeFailedChecks(await issuer.token(issuer.credential({ exp: 1_700_000_000 })))).to.match(
      /^validity: exp is past/,
    )
    expect(await describeFailedChecks(await issuer.token(issuer.credential({ nbf: 'x' })))).to.match(
      /^validity: nbf is no number/,
    )
    const { validFrom: _, ...undated } = issuer.credential()
    expect(await describeFailedChecks(await issuer.proved(undated))).to.equal('')
  })

  it('finds a status that it cannot read', async () => {
    const entry = {
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex: '1',
      statusListCredential: 'https://127.0.0.1/list',
    }
    for (const [status, detail] of [
      [entry, /^status: Its status list cannot be fetched: its host is at an address that is not asked/],
      [{ ...entry, type: 'https://w3id.org/vc/status-list#StatusList2021Entry' }, /^status: Its status is of a kind/],
      [{ ...entry, statusPurpose: 5 }, /^status: Its status has no purpose/],
      [{ ...entry, statusListIndex: '-1' }, /^status: Its status has no index/],
      [{ ...entry, statusListIndex: 1.5 }, /^status: Its status has no index/],
      [{ ...entry, statusListCredential: 5 }, /^status: Its status names no list/],
      [{ ...entry, statusSize: 2 }, /^status: Its status has no list of messages/],
      [Array(5).fill(entry), /^status: It has more than 4/],
      [{ ...entry, statusPurpose: 'message' }, /^status: Its status list cannot be fetched/],
    ] as const)
      expect(
        await describeFailedChecks(await issuer.proved(issuer.credential({ credentialStatus: status }))),
        JSON.stringify(status),
      ).to.match(detail)
  })
})
