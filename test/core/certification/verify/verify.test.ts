import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { forgeToken } from '../../../support/rows/certification/forged-tokens.ts'
import { moveCompromise } from '../../../support/rows/certification/key-faults.ts'
import { loseAnchor, readAnchor, settleAnchor } from '../../../support/rows/dpp/anchors.ts'
import { getOperator } from '../../identity/people.ts'
import { listFaultPaths, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildCertifiedPassport, buildShop, type Shop } from '../../../support/world.ts'
import { createAcceptOptions, getCredentialPath, createBody } from '../credentials/certified.ts'
import { readActiveKey, readPlatformSecret, revokeKey, readRotation } from '../keys/keys.ts'
import { createIssuer, type Vc } from '../suites/signers.ts'
import { describeFailedChecks, listFailedChecks, verifyByApi, verifyPath } from './verify.ts'

interface Served {
  ld: Vc & { proof: Vc; credentialSubject: Vc; credentialStatus: Vc[] }
  jwt: string
}

async function served(id: string): Promise<Served> {
  const [ld, jwt] = [
    await createApiClient().get(getCredentialPath(id)),
    await createApiClient().get(getCredentialPath(id), createAcceptOptions('application/vc+jwt')),
  ]
  return { ld: JSON.parse(ld.text) as Served['ld'], jwt: jwt.text }
}

describe('POST /v1/dpp/credentials/verify: a credential issued here', () => {
  let shop: Shop
  let id: string
  let ld: Served['ld']
  let jwt: string

  before(async () => {
    shop = await buildShop()
    id = await buildCertifiedPassport(shop)
    ;({ ld, jwt } = await served(id))
  })

  it('finds it good in both forms, as an object, a token or an envelope', async () => {
    const envelope = {
      '@context': ld['@context'],
      type: 'EnvelopedVerifiableCredential',
      id: `data:application/vc+jwt,${jwt}`,
    }
    for (const given of [ld, { credential: ld }, jwt, envelope, { credential: envelope }]) {
      const { verified: good, checks } = await verifyByApi(given)
      expect(good, JSON.stringify(checks)).to.equal(true)
      expect(checks.find(({ check }) => check === 'anchor')?.detail).to.match(
        /^Its content hash is under the root of transaction 0x\w{64} on EthereumAnvil \(eip155:31337\)/,
      )
      expect(checks.find(({ check }) => check === 'schema')?.ok).to.equal(true)
    }
  })

  it('does not mind the order of members, and needs no key or session', async () => {
    const turned = Object.fromEntries(Object.entries(ld).reverse())
    expect(await describeFailedChecks(turned)).to.equal('')
    expect(await describeFailedChecks(ld, shop.api)).to.equal('')
  })

  it('finds a value that was changed', async () => {
    const changed = { ...ld, credentialSubject: { ...ld.credentialSubject, name: 'Other' } }
    expect(await listFailedChecks(changed)).to.have.all.keys('proof', 'anchor')
    const [head, payload = '', signature] = jwt.split('.')
    const other = Buffer.from(
      Buffer.from(payload, 'base64url').toString('utf8').replaceAll('Cell pack', 'Sell pack'),
    ).toString('base64url')
    expect(await listFailedChecks([head, other, signature].join('.'))).to.have.all.keys('proof', 'anchor')
    expect(await describeFailedChecks({ ...ld, name: 'Other' })).to.match(/^proof: The signature does not fit/)
    const { credentialStatus: _, ...unrevocable } = ld
    expect(await describeFailedChecks(unrevocable)).to.match(/^proof: /)
  })

  it('finds a proof that was changed, or is none', async () => {
    const proof = (more: Vc) => ({ ...ld, proof: { ...ld.proof, ...more } })
    expect(await describeFailedChecks(proof({ proofValue: `z${'3'.repeat(87)}` }))).to.match(
      /^proof: The signature does not fit/,
    )
    expect(await describeFailedChecks(proof({ proofValue: 'z0' }))).to.match(/^proof: The proof has no signature/)
    expect(await describeFailedChecks(proof({ proofValue: 1 }))).to.match(/^proof: The proof has no signature/)
    expect(await describeFailedChecks(proof({ created: '2026-01-01T00:00:00Z' }))).to.match(/^proof: The signature/)
    expect(await describeFailedChecks(proof({ created: '2999-01-01T00:00:00Z' }))).to.match(
      /^proof: created of the proof is in the future/,
    )
    expect(await describeFailedChecks(proof({ '@context': ['https://www.w3.org/ns/credentials/v2'] }))).to.match(
      /^proof: The document names other contexts/,
    )
    for (const more of [
      { cryptosuite: 'ecdsa-2019' },
      { type: 'Ed25519Signature2020' },
      { proofPurpose: 'authentication' },
      { previousProof: 'x' },
      { verificationMethod: 1 },
    ]) {
      expect(await listFailedChecks(proof(more)), JSON.stringify(more)).to.have.all.keys('proof', 'issuer', 'key')
    }
    const { proof: _, ...bare } = ld
    expect((await listFailedChecks(bare)).proof).to.equal('It carries no proof')
    expect((await listFailedChecks({ ...ld, proof: Array(5).fill(ld.proof) })).proof).to.match(/more than 4 proofs/)
    expect(await describeFailedChecks({ ...ld, proof: [ld.proof, ld.proof] })).to.equal('')
    expect(
      await describeFailedChecks({ ...ld, proof: [ld.proof, { ...ld.proof, created: '2026-01-01T00:00:00Z' }] }),
    ).to.match(/^proof: /)
  })

  it('finds a context that was hung on', async () => {
    const longer = { ...ld, '@context': [...(ld['@context'] as string[]), 'https://evil.example/context'] }
    expect(await describeFailedChecks(longer)).to.match(/^proof: The document names other contexts/)
  })

  it('finds another key than the issuer has', async () => {
    const other = createIssuer()
    const named = { ...ld, proof: { ...ld.proof, verificationMethod: other.method } }
    expect(await listFailedChecks(named)).to.have.all.keys('proof', 'issuer', 'status')
    const { proof: _, credentialStatus, ...bare } = ld
    const copied = await other.proved({ ...bare, credentialStatus, issuer: { id: other.did } })
    const found = await listFailedChecks(copied)
    expect(found.issuer).to.equal('It goes by the address of a passport whose organization did not issue it')
    expect(found.status).to.equal('Its status names a list of another issuer')
    expect(await listFailedChecks(await other.token({ ...bare, issuer: other.did }))).to.have.all.keys('issuer')
  })

  it('finds what is not anchored: under another passport, of none, and before its root is final', async () => {
    const other = createIssuer()
    const at = `${platform.api}${getCredentialPath('018f3f6e-7b1a-7c3d-9e2f-0123456789ab')}`
    expect(await describeFailedChecks(await other.proved(other.credential({ id: at })))).to.equal(
      'anchor: It goes by the address of a passport that is not here',
    )
    const { db } = await getOperator()
    const anchor = await readAnchor(db, id)
    await loseAnchor(db, id)
    expect(await describeFailedChecks(ld)).to.equal('anchor: Its content hash does not stand on a chain yet')
    await settleAnchor(db, { id: anchor.id, root: `0x${'0'.repeat(64)}` })
    expect(await describeFailedChecks(ld)).to.equal(
      'anchor: Its content hash does not lead to the root that is anchored',
    )
    await settleAnchor(db, anchor)
    expect(await describeFailedChecks(ld)).to.equal('')
  })

  it('takes one that was built without a passport', async () => {
    const built = await shop.api.post('/v1/dpp/passports/build-vc', createBody(shop))
    const { verified: good, checks } = await verifyByApi(JSON.parse(built.text))
    expect([good, checks[3]?.detail]).to.deep.equal([true, 'It has no status: nobody can revoke it'])
  })

  it('finds it suspended, and revoked, in whichever form it comes', async () => {
    const one = await buildCertifiedPassport(shop)
    const forms = await served(one)
    const set = async (purpose: string, value: boolean) => {
      const answer = await shop.api.post(`/v1/dpp/passports/${one}/status`, { purpose, value, reason: 'test' })
      expect(answer.status, answer.text).to.equal(200)
    }
    for (const [purpose, detail] of [
      ['suspension', 'status: It is suspended by its issuer'],
      ['revocation', 'status: It is revoked by its issuer'],
    ] as const) {
      await set(purpose, true)
      for (const form of [forms.ld, forms.jwt]) expect(await describeFailedChecks(form)).to.equal(detail)
      if (purpose === 'suspension') await set(purpose, false)
      if (purpose === 'suspension') expect(await describeFailedChecks(forms.ld)).to.equal('')
    }
    expect(await describeFailedChecks(ld), 'of another passport').to.equal('')
  })

  it('takes an earlier key, and of a revoked one what was anchored before it was lost', async () => {
    const other = await buildShop()
    const early = await served(await buildCertifiedPassport(other))
    const key = await readActiveKey(other.api)
    await readRotation(other.api)
    expect(await describeFailedChecks(early.ld)).to.equal('')
    await sleep(1_100)
    const safe = await revokeKey(other.api, key.id, { reason: 'lost', compromisedAt: new Date().toISOString() })
    expect(safe.status, safe.text).to.equal(200)
    for (const form of [early.ld, early.jwt]) expect(await describeFailedChecks(form)).to.equal('')
    const built = createIssuer()
    expect(await listFailedChecks({ ...early.ld, issuer: built.did })).to.include.keys('issuer', 'proof', 'key')
    const { db } = await getOperator()
    await moveCompromise(db, key.id, new Date('2020-01-01'))
    expect(await describeFailedChecks(early.ld)).to.match(/^key: Its key is revoked since 2020/)
    await moveCompromise(db, key.id, null)
    for (const form of [early.ld, early.jwt])
      expect(await describeFailedChecks(form)).to.equal('key: Its key is revoked')
  })

  it('does not let a stolen key put another envelope around what was anchored', async () => {
    const other = await buildShop()
    const {
      ld: { proof: _, credentialStatus: __, ...bare },
    } = await served(await buildCertifiedPassport(other))
    const key = await readActiveKey(other.api)
    const { db, settings } = await getOperator()
    const thief = { db, settings: { ...settings, keyEncryptionKey: readPlatformSecret() } }
    const forged = await forgeToken(thief, key, bare)
    expect(await describeFailedChecks(forged)).to.equal('')
    await sleep(1_100)
    await revokeKey(other.api, key.id, { reason: 'lost', compromisedAt: new Date().toISOString() })
    expect(await describeFailedChecks(forged)).to.match(
      /^key: Its key is revoked since .* nothing shows that the credential is older/,
    )
  })
})

describe('POST /v1/dpp/credentials/verify: the request', () => {
  it('refuses what is no credential, with the place', async () => {
    const issuer = createIssuer()
    const credential = issuer.credential()
    const twice = ['{"alg":"EdDSA","typ":"vc+jwt"}', '{"type":["VerifiableCredential"],"a":1,"a":2}', 'x']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.')
    for (const [given, path] of [
      [{}, 'type'],
      [{ type: 'Thing' }, 'type'],
      [{ credential: {} }, 'credential.type'],
      [{ credential: 'x' }, 'credential'],
      [{ credential: 5 }, 'credential'],
      [{ credential: 'e30.e30' }, 'credential'],
      [{ credential: 'e30.e30.e30' }, 'credential.type'],
      [{ credential: twice }, 'credential'],
      [
        {
          '@context': credential['@context'],
          type: ['EnvelopedVerifiableCredential'],
          id: 'data:application/vc+jwt,x',
        },
        'id',
      ],
      [{ credential: await issuer.token([] as never) }, 'credential'],
    ] as const) {
      const answer = await createApiClient().post(verifyPath, given)
      expect([formatVerdict(answer), listFaultPaths(answer)[0]], answer.text).to.deep.equal([
        '422 VALIDATION_FAILED',
        path,
      ])
    }
    expect(
      formatVerdict(await createApiClient().post(verifyPath, { ...credential, more: 'x'.repeat(1024 * 1024) })),
    ).to.equal('413 PAYLOAD_TOO_LARGE')
    expect(formatVerdict(await createApiClient().post(verifyPath, [credential]))).to.equal('422 VALIDATION_FAILED')
  })

  it('answers pages of everybody', async () => {
    const issuer = createIssuer()
    const answer = await createApiClient().post(verifyPath, await issuer.proved(issuer.credential()))
    expect(answer.headers['access-control-allow-origin']).to.equal('*')
  })
})
