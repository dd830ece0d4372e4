import { expect } from 'chai'
import { client } from '../../support/client.ts'
import { base, baseDigests } from './rich.ts'
import { refused } from './refused.ts'
import { newIssuer, type Vc } from './signers.ts'
import { doubt, verifyPath } from './verify.ts'

const { digestSRI: sri, digestMultibase: multibase } = baseDigests
const first = 'https://www.w3.org/2018/credentials/v1'
const issuer = newIssuer()
/** Members changed, and all that is told of it. */
type Case = [more: Vc, ...faults: string[]]

async function judge(cases: readonly Case[]): Promise<void> {
  for (const [more, ...faults] of cases) {
    const credential = issuer.credential(more)
    expect(await refused({ credential }), JSON.stringify(more)).to.deep.equal(faults.map((fault) => `credential.${fault}`))
  }
}

describe('A malformed credential is refused', () => {
  it('without contexts, or with others than a list that begins with the base context', () => judge([
    [{ '@context': undefined }, '@context required'],
    [{ '@context': base }, '@context type'],
    [{ '@context': null }, '@context type'],
    [{ '@context': [] }, '@context empty'],
    [{ '@context': ['https://www.w3.org/ns/credentials/examples/v2'] }, '@context[0] base_context'],
    [{ '@context': ['https://brand.example/context', base] }, '@context[0] base_context'],
    [{ '@context': [{ Bag: 'https://brand.example/Bag' }, base] }, '@context[0] base_context'],
    [{ '@context': [`${base}/`] }, '@context[0] base_context'],
  ]))

  it('for a further context that is neither a URL nor an object, or is there twice', () => judge([
    [{ '@context': [base, 'https ://not-a-url/context'] }, '@context[1] url'],
    [{ '@context': [base, 'context/v1'] }, '@context[1] url'],
    [{ '@context': [base, 123_192_875, null, ['https://brand.example/']] }, '@context[1] type', '@context[2] type', '@context[3] type'],
    [{ '@context': [base, 'https://brand.example/c', base, 'https://brand.example/c'] }, '@context[2] duplicate', '@context[3] duplicate'],
  ]))

  it('for what a context inside of it maps to no URL, or takes from a protected term', () => judge([
    [{ '@context': [base, { Bag: 'https ://not-a-url#Bag' }], type: ['VerifiableCredential', 'Bag'] }, '@context[1].Bag url', 'type[1] unmapped'],
    [{ '@context': [base, { Bag: { '@id': 'no url' } }] }, '@context[1].Bag url'],
    [{ '@context': [base, { Bag: 5, '': 'https://brand.example/', Box: ['x'] }] }, '@context[1].Bag type', '@context[1]. term', '@context[1].Box type'],
    [{ '@context': [base, { '@vocab': 7 }] }, '@context[1].@vocab type'],
    [{ '@context': [base, { VerifiableCredential: 'https://brand.example/#Bad' }] }, '@context[1].VerifiableCredential protected_term'],
    [{ '@context': [base, { name: 'https://brand.example/name' }] }, '@context[1].name protected_term'],
    [
      { '@context': [base, { '@protected': true, Bag: 'https://brand.example/Bag' }, { Bag: 'https://other.example/Bag' }] },
      '@context[2].Bag protected_term',
    ],
    [
      { '@context': [base, { Bag: { '@id': 'https://brand.example/Bag', '@protected': true } }, { Bag: null }] },
      '@context[2].Bag protected_term',
    ],
  ]))

  it('for an id that is not one URL, of it and of what is in it', async () => {
    for (const [id, code] of [
      [null, 'type'], [7, 'type'], [['https://brand.example/1', 'https://brand.example/2'], 'type'], [{}, 'type'], ['', 'url'], ['bag-1', 'url'],
      ['https ://not-a-url/vcs/1', 'url'], ['https://brand.example/a b', 'url'], ['https://', 'url'], ['_:b0', 'url'], [' did:x:y', 'url'], ['//brand.example/', 'url'],
    ] as const) {
      const typed = { id, type: 'https://brand.example/Type' }
      await judge([[{
        id, issuer: { id }, credentialSubject: { id }, credentialStatus: typed, credentialSchema: [typed], refreshService: typed,
        termsOfUse: typed, evidence: [typed, typed], relatedResource: { id, digestSRI: `sha256-${'A'.repeat(43)}=` },
      }, ...[
        'id', 'issuer.id', 'credentialSubject.id', 'credentialStatus.id', 'credentialSchema[0].id', 'refreshService.id', 'termsOfUse.id',
        'evidence[0].id', 'evidence[1].id', 'relatedResource.id',
      ].map((path) => `${path} ${code}`)]])
    }
  })

  it('without a type, or one that is neither a term nor an absolute URL', () => judge([
    [{ type: undefined }, 'type not_a_credential'],
    [{ type: [] }, 'type not_a_credential'],
    [{ type: 'Bag' }, 'type not_a_credential'],
    [{ type: ['verifiableCredential'] }, 'type not_a_credential'],
    [
      { '@context': [base, 'https://brand.example/'], type: ['VerifiableCredential', 2, null, 'two words', '@id', 'https ://x', ''] },
      'type[1] type', 'type[2] type', 'type[3] term', 'type[4] term', 'type[5] term', 'type[6] term',
    ],
  ]))

  it('for a type that none of its contexts maps', () => judge([
    [{ type: ['VerifiableCredential', 'Bag'] }, 'type[1] unmapped'],
    [{ '@context': [base, { '@vocab': null }], type: ['VerifiableCredential', 'Bag'] }, 'type[1] unmapped'],
    [{ credentialStatus: { type: 'OtherEntry' }, evidence: [{ type: ['https://brand.example/E', 'Other'] }] }, 'credentialStatus.type unmapped', 'evidence[0].type[1] unmapped'],
  ]))

  it('for a name or a description that is neither text nor text in a language', () => judge([
    [{ name: 5, description: null }, 'name type', 'description type'],
    [{ name: {} }, 'name.@value required'],
    [{ name: { '@value': 5, '@language': 'en' } }, 'name.@value type'],
    [{ name: { '@value': 'Bag', '@language': 'en', url: 'did:x:y' } }, 'name.url unknown_member'],
    [{ description: { '@value': 'Bag', '@language': 'not a tag', '@direction': 'up' } }, 'description.@language language', 'description.@direction direction'],
    [{ name: [], description: [{ '@value': 'Bag' }, { '@value': 'Sac', '@language': 'f' }, 'Bag'] }, 'name empty', 'description[1].@language language', 'description[2] type'],
    [{ issuer: { id: issuer.did, name: { '@value': 'A', '@type': 'x' }, description: 7 } }, 'issuer.name.@type unknown_member', 'issuer.description type'],
  ]))

  it('without an issuer, or with one that is no URL and has none as its id', () => judge([
    [{ issuer: undefined }, 'issuer required'],
    [{ issuer: null }, 'issuer type'],
    [{ issuer: 5 }, 'issuer type'],
    [{ issuer: [issuer.did] }, 'issuer type'],
    [{ issuer: 'fake-issuer' }, 'issuer url'],
    [{ issuer: {} }, 'issuer.id required'],
    [{ issuer: { id: null } }, 'issuer.id type'],
    [{ issuer: { id: 'fake-issuer' } }, 'issuer.id url'],
  ]))

  it('without a subject, or with one of which nothing is claimed', () => judge([
    [{ credentialSubject: undefined }, 'credentialSubject required'],
    [{ credentialSubject: {} }, 'credentialSubject empty'],
    [{ credentialSubject: [] }, 'credentialSubject empty'],
    [{ credentialSubject: [{ id: 'did:x:y' }, {}] }, 'credentialSubject[1] empty'],
    [{ credentialSubject: 'did:x:y' }, 'credentialSubject type'],
    [{ credentialSubject: ['did:x:y', null, 5] }, 'credentialSubject[0] type', 'credentialSubject[1] type', 'credentialSubject[2] type'],
  ]))

  it('for a validFrom or a validUntil that is no dateTimeStamp', async () => {
    for (const time of [
      5, null, '', 'Sat 25 Feb 2023 07:16:31 PM CST', '2026-01-01', '2026-01-01T00:00:00', '2026-01-01T00:00Z', '2026-01-01 00:00:00Z', '2026-01-01T00:00:00z',
      '2026-02-30T00:00:00Z', '2025-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-00-10T00:00:00Z', '2026-01-01T25:00:00Z', '2026-01-01T24:00:01Z',
      '2026-01-01T00:00:60Z', '2026-01-01T00:00:00+14:01', '2026-01-01T00:00:00+0100', '26-01-01T00:00:00Z', '999999-01-01T00:00:00Z', ['2026-01-01T00:00:00Z'],
    ]) await judge([[{ validFrom: time, validUntil: time }, 'validFrom date_time', 'validUntil date_time']])
  })

  it('for a validity that ends before it begins', () => judge([
    [{ validFrom: '2026-01-02T00:00:00Z', validUntil: '2026-01-01T23:59:59.999Z' }, 'validUntil order'],
    [{ validFrom: '2026-01-02T00:00:00-06:00', validUntil: '2026-01-02T06:59:00+01:00' }, 'validUntil order'],
  ]))

  it('for a status, a schema, evidence, terms of use, a refresh service or a method without a type', async () => {
    for (const name of ['credentialStatus', 'credentialSchema', 'evidence', 'termsOfUse', 'refreshService', 'confidenceMethod', 'renderMethod']) {
      const id = 'https://brand.example/1'
      const type = 'https://brand.example/Type'
      await judge([
        [{ [name]: { id } }, `${name}.type required`],
        [{ [name]: { id, type: 2 } }, `${name}.type type`],
        [{ [name]: { id, type: [] } }, `${name}.type empty`],
        [{ [name]: [{ id, type }, { id }] }, `${name}[1].type required`],
      ])
    }
  })

  it('for a method of confidence in a subject that has no type', () => judge([
    [{ credentialSubject: [{ name: 'Bag', confidenceMethod: [{ id: 'did:x:y' }] }] }, 'credentialSubject[0].confidenceMethod[0].type required'],
  ]))

  it('for a status, a schema, evidence, terms of use, a refresh service or a method that is no object', async () => {
    for (const name of ['credentialStatus', 'credentialSchema', 'evidence', 'termsOfUse', 'refreshService', 'confidenceMethod', 'renderMethod']) {
      await judge([
        [{ [name]: [] }, `${name} empty`],
        [{ [name]: 'https://brand.example/1' }, `${name} type`],
        [{ [name]: null }, `${name} type`],
        [{ [name]: [5, ['x']] }, `${name}[0] type`, `${name}[1] type`],
      ])
    }
  })

  it('for a schema without an id', () => judge([
    [{ credentialSchema: { type: 'JsonSchema' } }, 'credentialSchema.id required'],
    [{ credentialSchema: [{ type: 'JsonSchema', id: 'did:x:y' }, {}] }, 'credentialSchema[1].type required', 'credentialSchema[1].id required'],
  ]))

  it('for a related resource that is no object, has no id or has that of another', () => judge([
    [{ relatedResource: [base] }, 'relatedResource[0] type'],
    [{ relatedResource: [] }, 'relatedResource empty'],
    [{ relatedResource: { digestSRI: sri } }, 'relatedResource.id required'],
    [{ relatedResource: [{ id: base, digestSRI: sri }, { id: base, digestMultibase: multibase }] }, 'relatedResource[1].id duplicate'],
  ]))

  it('for a related resource without a digest, or with one that is none', () => judge([
    [{ relatedResource: { id: base } }, 'relatedResource digest'],
    ...['', 5, [], 'sha1-AAAA', 'sha256-AAAA', `sha384-${'A'.repeat(43)}=`, `${sri} md5-AAAA`, `sha256:${'a'.repeat(64)}`].map((digestSRI): Case =>
      [{ relatedResource: { id: base, digestSRI } }, 'relatedResource.digestSRI digest']),
    ...['', 5, [], 'u', 'x12', 'uJKGMkOmFbVJhEfKTduMC2XCyvRAYLjOVmZWwIH1wQ7k', 'zQm', `z${'2'.repeat(200)}`, `${multibase}AAAA`, [multibase, 'u']].map((digestMultibase): Case =>
      [{ relatedResource: { id: base, digestMultibase } }, 'relatedResource.digestMultibase digest']),
    [{ relatedResource: { id: base, digestSRI: sri, mediaType: 'json' } }, 'relatedResource.mediaType media_type'],
  ]))

  it('for a proof that is no object, or has no type', () => judge([
    [{ proof: 'x' }, 'proof type'],
    [{ proof: [] }, 'proof empty'],
    [{ proof: {} }, 'proof.type required'],
    [{ proof: [{ type: 'DataIntegrityProof' }, 7, { type: 5 }] }, 'proof[1] type', 'proof[2].type type'],
  ]))

  it('with dates of version 1.1, which mean nothing here', () => judge([
    [{ issuanceDate: '2020-01-01T00:00:00Z', expirationDate: '2021-01-01T00:00:00Z' }, 'issuanceDate data_model_1', 'expirationDate data_model_1'],
  ]))

  it('by the rules of version 1.1 where its first context is of that, and as a token of it', async () => {
    const type = 'https://brand.example/Type'
    const issuanceDate = '2020-01-01T00:00:00Z'
    await judge(([
      [{}, 'issuanceDate required'], [{ issuanceDate: '2020-01-01' }, 'issuanceDate date_time'], [{ issuanceDate, validFrom: 5 }, 'validFrom date_time'],
      [{ issuanceDate, expirationDate: '2019-12-31T23:59:59Z' }, 'expirationDate order'], [{ issuanceDate, issuer: {}, id: 5 }, 'id type', 'issuer.id required'],
      [{ issuanceDate, credentialStatus: { type }, refreshService: { type }, credentialSchema: { type }, evidence: { type }, termsOfUse: {} },
        'credentialStatus.id required', 'credentialSchema.id required', 'refreshService.id required', 'termsOfUse.type required'],
    ] as Case[]).map(([more, ...told]): Case => [{ '@context': [first, 'https://brand.example/'], ...more }, ...told]))
    expect(await refused(await issuer.token(issuer.credential({ '@context': [first], issuanceDate })))).to.deep.equal(['credential.@context[0] data_model_1'])
  })

  it('as an envelope with another type, without the base context, or without a data: URL', async () => {
    const credential = issuer.credential()
    const token = await issuer.token(credential)
    const envelope = { '@context': base, type: 'EnvelopedVerifiableCredential', id: `data:application/vc+jwt,${token}` }
    expect(await doubt(envelope)).to.equal('')
    for (const [more, fault] of [
      [{ '@context': [] }, '@context base_context'], [{ '@context': 'https://www.w3.org/ns/credentials/examples/v2' }, '@context base_context'],
      [{ '@context': undefined }, '@context required'], [{ id: token }, 'id url'], [{ id: undefined }, 'id required'], [{ id: 'data:application/vc+jwt,' }, 'id url'],
      [{ type: ['EnvelopedVerifiableCredential', 'VerifiableCredential'] }, 'type type'], [{ id: 'data:application/jwt,x' }, 'id not_a_credential'],
      [{ type: undefined }, 'type not_a_credential'], [{ type: 'EnvelopedVerifiablePresentation' }, 'type not_a_credential'],
    ] as const) expect(await refused({ ...envelope, ...more }), JSON.stringify(more)).to.deep.equal([fault])
    expect((await refused({ ...envelope, type: 'VerifiableCredential' })).sort()).to.deep.equal(['@context type', 'credentialSubject required', 'issuer required'])
  })

  it('in another than the compacted form of JSON-LD', async () => {
    const { proof, ...document } = await issuer.proved(issuer.credential())
    const expanded = { '@type': ['https://www.w3.org/2018/credentials#VerifiableCredential'], 'https://www.w3.org/2018/credentials#issuer': [{ '@id': issuer.did }], proof }
    expect(await refused({ credential: expanded })).to.deep.equal(['credential.type not_a_credential'])
    expect(await refused({ ...document, type: undefined, '@type': ['VerifiableCredential'] })).to.deep.equal(['type not_a_credential'])
    expect(await refused({ credential: await issuer.token([expanded] as never) })).to.deep.equal(['credential not_a_credential'])
  })

  it('with the address of what kind of problem it is', async () => {
    const answer = await client().post(verifyPath, issuer.credential({ id: 'x' }))
    expect(answer.headers['content-type']).to.match(/^application\/problem\+json/)
    expect(new URL(String(answer.body.type)).pathname).to.equal('/problems/VALIDATION_FAILED')
  })

  it('with all of its faults at once, in whichever form it comes', async () => {
    const wrong = issuer.credential({ id: 5, issuer: {}, validFrom: 'now', credentialSubject: [{}], evidence: {} })
    const faults = ['id type', 'issuer.id required', 'validFrom date_time', 'credentialSubject[0] empty', 'evidence.type required']
    const below = (path: string) => faults.map((fault) => `${path}.${fault}`)
    const token = await issuer.token(wrong)
    expect(await refused(wrong)).to.deep.equal(faults)
    expect(await refused(await issuer.proved(wrong))).to.deep.equal(faults)
    expect(await refused(token)).to.deep.equal(below('credential'))
    const envelope = { '@context': base, type: 'EnvelopedVerifiableCredential', id: `data:application/vc+jwt,${token}` }
    expect(await refused({ credential: envelope })).to.deep.equal(below('credential.id'))
    expect(await refused(issuer.credential({ evidence: Array(200).fill(1) }))).to.have.length(100)
  })
})
