import { expect } from 'chai'
import { getOperator } from '../core/identity/people.ts'
import { revokeListEntry } from '../support/rows/certification/status-lists.ts'
import { bare, forms, issue, refusal, verify } from './vc-api.cases.ts'
import { startVcApi, type VcApi } from './vc-api.ts'
import { createIssuer, type Vc } from '../core/certification/suites/signers.ts'
import { describeFailedChecks } from '../core/certification/verify/verify.ts'

/** The payload of an enveloped credential. */
const payloadOf = ({ id }: Vc): Vc =>
  JSON.parse(Buffer.from(String(id).split('.')[1] ?? '', 'base64url').toString('utf8')) as Vc

describe('VC API for external test suites', function () {
  this.timeout(60_000)
  let door: VcApi

  before(async () => {
    door = await startVcApi()
  })
  after(() => door.close())

  const verifyByDoor = (given: unknown) => door.post(verify, { verifiableCredential: given })

  it('tells who issues, and has no other routes than its own', async () => {
    const { status, body } = await door.get('/')
    expect(status).to.equal(200)
    expect(body).to.deep.include({ cryptosuites: ['eddsa-jcs-2022', 'eddsa-rdfc-2022'], forms })
    expect(body['issuer']).to.match(/^did:key:z6Mk/)
    expect((await door.get('/openapi.json')).status).to.equal(404)
    for (const path of [
      '/v1/dpp/passports',
      '/eddsa-2019/credentials/issue',
      '/credentials/status',
      '/a/b/credentials/issue',
    ]) {
      const answer = await door.post(path, { credential: bare() })
      expect(answer.status, path).to.equal(404)
      expect(answer.body['code']).to.equal('NOT_FOUND')
    }
  })

  describe('POST /credentials/issue', () => {
    it('secures a credential in each form, by address, by option and by Accept, and the product finds it good', async () => {
      const did = (await door.get('/')).body['issuer']
      const requests: [form: (typeof forms)[number], path: string, options: Vc, headers: Record<string, string>][] = [
        ...forms.map((form): (typeof requests)[number] => [form, `/${form}${issue}`, {}, {}]),
        ['vc+jwt', `/${encodeURIComponent('vc+jwt')}${issue}`, {}, {}],
        ['eddsa-rdfc-2022', issue, { type: 'DataIntegrityProof', cryptosuite: 'eddsa-rdfc-2022' }, {}],
        ['vc+jwt', issue, { type: 'application/vc+jwt' }, {}],
        ['vc+jwt', issue, {}, { accept: 'application/vc+jwt' }],
      ]
      for (const [at, [form, path, options, headers]] of requests.entries()) {
        const answer = await door.post(path, { credential: bare(), options }, headers)
        expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
        const isToken = form === 'vc+jwt'
        if (isToken) expect(answer.body).to.include({ type: 'EnvelopedVerifiableCredential' })
        else
          expect(answer.body.proof).to.include({
            type: 'DataIntegrityProof',
            cryptosuite: form,
            proofPurpose: 'assertionMethod',
          })
        expect((isToken ? payloadOf(answer.body) : answer.body)['issuer']).to.equal(did)
        if (at >= forms.length) continue
        expect(await describeFailedChecks(answer.body)).to.equal('')
        expect((await door.post(`/${form}${verify}`, { verifiableCredential: answer.body })).body['verified']).to.equal(
          true,
        )
      }
    })

    it('issues one of the Data Model 1.1 with the context of its proof, without a status, and not as a token', async () => {
      const { '@context': _, ...rest } = bare({
        issuanceDate: '2020-03-16T22:37:26.544Z',
        credentialSubject: { id: 'did:example:subject' },
      })
      const given = { '@context': ['https://www.w3.org/2018/credentials/v1'], ...rest }
      for (const form of ['eddsa-jcs-2022', 'eddsa-rdfc-2022'] as const) {
        const made = await door.issued(given, `/${form}${issue}`)
        expect(made['@context']).to.deep.equal([
          'https://www.w3.org/2018/credentials/v1',
          'https://w3id.org/security/data-integrity/v2',
        ])
        expect(made).to.not.have.property('credentialStatus')
        expect((await verifyByDoor(made)).status).to.equal(200)
      }
      expect(refusal(await door.post(`/vc+jwt${issue}`, { credential: given }))).to.match(/is of the Data Model 1\.1/)
    })

    it('puts itself in the place of the issuer, whose other members it keeps, and everything else stays', async () => {
      const given = bare({
        id: 'urn:uuid:5a2d6f0e-7d1c-4b59-9a43-3b8ab0f0c001',
        issuer: { id: 'https://issuer.example/1', name: 'Issuer' },
        validFrom: '2026-01-01T00:00:00Z',
      })
      const did = (await door.get('/')).body['issuer']
      for (const form of ['eddsa-jcs-2022', 'vc+jwt'] as const) {
        const made = await door.issued(given, `/${form}${issue}`)
        const { proof: _, credentialStatus: __, ...rest } = form === 'vc+jwt' ? payloadOf(made) : made
        expect(rest).to.deep.equal({ ...given, issuer: { id: did, name: 'Issuer' } })
      }
    })

    it('gives it a place in the organization’s status lists, and holds it for what is set there', async () => {
      for (const form of ['eddsa-jcs-2022', 'vc+jwt'] as const) {
        const made = await door.issued(bare(), `/${form}${issue}`)
        const [revocation] = (form === 'vc+jwt' ? payloadOf(made) : made)['credentialStatus'] as Vc[]
        expect(revocation).to.include({ type: 'BitstringStatusListEntry', statusPurpose: 'revocation' })
        expect(revocation?.['statusListIndex']).to.match(/^\d+$/)
        const list = String(revocation?.['statusListCredential']).replace(/.*\//, '')
        const { db } = await getOperator()
        await revokeListEntry(db, { list, index: Number(revocation?.['statusListIndex']) })
        const answer = await verifyByDoor(made)
        expect(answer.body['verified']).to.equal(false)
        expect(refusal(answer)).to.equal('STATUS_VERIFICATION_ERROR status: It is revoked by its issuer')
      }
      const own = { type: 'Elsewhere', id: 'did:example:status' }
      const context = ['https://www.w3.org/ns/credentials/v2', { Elsewhere: 'https://example.org/#Elsewhere' }]
      expect(
        (await door.issued(bare({ '@context': context, credentialStatus: own })))['credentialStatus'],
      ).to.deep.equal(own)
    })

    it('refuses what is malformed, with the path and the words of W3C', async () => {
      const { credentialSubject: _, ...noSubject } = bare()
      const { issuer: __, ...noIssuer } = bare()
      for (const [credential, said] of [
        [undefined, /credential must be/],
        ['text', /credential must be/],
        [noSubject, /credential\.credentialSubject/],
        [noIssuer, /credential\.issuer/],
        [bare({ issuer: 'no url' }), /credential\.issuer/],
        [bare({ type: ['Other'] }), /credential\.type/],
        [bare({ id: [] }), /credential\.id/],
        [bare({ validFrom: 'yesterday' }), /credential\.validFrom/],
        [bare({ '@context': ['https://example.org/'] }), /credential\.@context/],
        [bare({ credentialStatus: { id: 'did:example:1' } }), /credential\.credentialStatus/],
        [bare({ proof: { type: 'DataIntegrityProof' } }), /credential\.proof must not be there/],
        [
          bare({
            relatedResource: {
              id: 'https://www.w3.org/ns/credentials/v2',
              digestSRI: `sha256-${Buffer.alloc(32).toString('base64')}`,
            },
          }),
          /relatedResource/,
        ],
      ] as const) {
        const answer = await door.post(issue, { credential })
        expect(refusal(answer), JSON.stringify(credential))
          .to.match(/^MALFORMED_VALUE_ERROR /)
          .and.match(said)
        expect(answer.body).to.not.have.property('verified')
      }
      expect(
        refusal(await door.post(issue, { credential: bare(), options: { cryptosuite: 'ecdsa-rdfc-2019' } })),
      ).to.match(/options\.cryptosuite must be one of/)
      expect(
        refusal(await door.post(issue, { credential: bare(), options: { type: 'Ed25519Signature2020' } })),
      ).to.match(/options\.type must be one of/)
    })

    it('refuses terms that no context maps, and contexts that cannot be applied, in each form', async () => {
      const [core] = bare()['@context'] as string[]
      for (const [more, said] of [
        [
          { statusEntry: { type: 'BitstringStatusListEntry', statusListIndex: true } },
          /none of its contexts maps: statusEntry/,
        ],
        [
          { '@context': [core, { '@vocab': null }], type: ['VerifiableCredential', 'Unmapped'] },
          /Unmapped|credential\.type/,
        ],
        [{ '@context': [core, { VerifiableCredential: 'https://example.org/#Other' }] }, /contexts|@context/],
        [
          { '@context': [core, 'https://127.0.0.1/context'] },
          /cannot be fetched: its host is at an address that is not asked/,
        ],
      ] as const) {
        expect(refusal(await door.post(issue, { credential: bare(more) })), JSON.stringify(more)).to.match(said)
      }
      for (const form of forms) {
        const credential = bare({ credentialSubject: { id: 'did:example:subject', colour: 'red' } })
        expect(refusal(await door.post(`/${form}${issue}`, { credential }))).to.match(
          /^MALFORMED_VALUE_ERROR credential has a term that none of its contexts maps: colour/,
        )
      }
      const mapped = bare({
        '@context': [core, { colour: 'https://example.org/#colour' }],
        credentialSubject: { colour: 'red' },
      })
      expect(await describeFailedChecks(await door.issued(mapped))).to.equal('')
      await door.issued(
        bare({
          '@context': [core, 'https://www.w3.org/ns/credentials/examples/v2'],
          credentialSubject: { degree: 'BA' },
        }),
      )
    })

    it('takes the bodies that the product takes, and no others', async () => {
      for (const [body, headers, status] of [
        ['{', {}, 400],
        ['[]', {}, 400],
        ['{"credential": 1, "credential": 2}', {}, 400],
        ['', {}, 400],
        [JSON.stringify({ credential: bare({ name: 'x'.repeat(1_100_000) }) }), {}, 413],
        [JSON.stringify({ credential: bare() }), { 'content-type': 'text/plain' }, 415],
        [JSON.stringify({ credential: bare({ name: 'x'.repeat(300_000) }) }), {}, 400],
      ] as const)
        expect((await door.post(issue, body, headers)).status, body.slice(0, 40)).to.equal(status)
    })
  })

  describe('POST /credentials/verify', () => {
    it('says what does not hold, of its own credentials and of anyone’s', async () => {
      const issuer = createIssuer()
      for (const form of ['eddsa-jcs-2022', 'eddsa-rdfc-2022'] as const) {
        for (const made of [
          await issuer.proved(issuer.credential(), form),
          ...(form === 'eddsa-jcs-2022' ? [await door.issued(bare())] : []),
        ]) {
          expect((await verifyByDoor(made)).body).to.deep.include({ verified: true, problemDetails: [] })
          const answer = await verifyByDoor({
            ...made,
            credentialSubject: { id: 'did:example:subject', name: 'Mallory' },
          })
          expect(refusal(answer)).to.match(/^PROOF_VERIFICATION_ERROR proof: The signature does not fit/)
          expect(answer.body['verified']).to.equal(false)
        }
      }
      expect((await verifyByDoor(await issuer.token(issuer.credential()))).status).to.equal(200)
      expect(refusal(await verifyByDoor(issuer.credential()))).to.match(
        /^PROOF_VERIFICATION_ERROR proof: It carries no proof/,
      )
      expect(
        refusal(await verifyByDoor(await issuer.proved(issuer.credential({ validUntil: '2026-01-02T00:00:00Z' })))),
      ).to.match(/^RANGE_ERROR validity: /)
      expect(refusal(await verifyByDoor(await createIssuer().proved(issuer.credential())))).to.match(
        /^CRYPTOGRAPHIC_SECURITY_ERROR issuer: /,
      )
    })

    it('tells what is no credential by its path', async () => {
      for (const given of [
        undefined,
        null,
        5,
        'text',
        {},
        { type: ['NonconformingDocument'] },
        JSON.stringify(bare()),
        bare({ type: 'Other' }),
      ]) {
        const answer = await verifyByDoor(given)
        expect(refusal(answer)).to.match(/^MALFORMED_VALUE_ERROR verifiableCredential/)
        expect(answer.body['verified']).to.equal(false)
      }
    })
  })

  it('is not there where no port is set for it, and says so loudly where one is', () => {
    expect(door.server.lines.filter((line) => line.includes('the VC-API for test suites answers'))).to.have.length(1)
  })
})
