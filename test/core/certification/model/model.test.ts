import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { credentialsContext } from './rich-credential.ts'
import { issuer, judge, type Case } from './model.cases.ts'
import { verifyRefused } from './refused-credentials.ts'
import { describeFailedChecks, verifyPath } from '../verify/verify.ts'

const first = 'https://www.w3.org/2018/credentials/v1'

describe('POST /v1/dpp/credentials/verify: malformed credentials', () => {
  it('without contexts, or with others than a list that begins with the base context', () =>
    judge([
      [{ '@context': undefined }, '@context required'],
      [{ '@context': credentialsContext }, '@context type'],
      [{ '@context': null }, '@context type'],
      [{ '@context': [] }, '@context empty'],
      [{ '@context': ['https://www.w3.org/ns/credentials/examples/v2'] }, '@context[0] base_context'],
      [{ '@context': ['https://brand.example/context', credentialsContext] }, '@context[0] base_context'],
      [{ '@context': [{ Bag: 'https://brand.example/Bag' }, credentialsContext] }, '@context[0] base_context'],
      [{ '@context': [`${credentialsContext}/`] }, '@context[0] base_context'],
    ]))

  it('for a further context that is neither a URL nor an object, or is there twice', () =>
    judge([
      [{ '@context': [credentialsContext, 'https ://not-a-url/context'] }, '@context[1] url'],
      [{ '@context': [credentialsContext, 'context/v1'] }, '@context[1] url'],
      [
        { '@context': [credentialsContext, 123_192_875, null, ['https://brand.example/']] },
        '@context[1] type',
        '@context[2] type',
        '@context[3] type',
      ],
      [
        { '@context': [credentialsContext, 'https://brand.example/c', credentialsContext, 'https://brand.example/c'] },
        '@context[2] duplicate',
        '@context[3] duplicate',
      ],
    ]))

  it('for what a context inside of it maps to no URL, or takes from a protected term', () =>
    judge([
      [
        { '@context': [credentialsContext, { Bag: 'https ://not-a-url#Bag' }], type: ['VerifiableCredential', 'Bag'] },
        '@context[1].Bag url',
        'type[1] unmapped',
      ],
      [{ '@context': [credentialsContext, { Bag: { '@id': 'no url' } }] }, '@context[1].Bag url'],
      [
        { '@context': [credentialsContext, { Bag: 5, '': 'https://brand.example/', Box: ['x'] }] },
        '@context[1].Bag type',
        '@context[1]. term',
        '@context[1].Box type',
      ],
      [{ '@context': [credentialsContext, { '@vocab': 7 }] }, '@context[1].@vocab type'],
      [
        { '@context': [credentialsContext, { VerifiableCredential: 'https://brand.example/#Bad' }] },
        '@context[1].VerifiableCredential protected_term',
      ],
      [{ '@context': [credentialsContext, { name: 'https://brand.example/name' }] }, '@context[1].name protected_term'],
      [
        {
          '@context': [
            credentialsContext,
            { '@protected': true, Bag: 'https://brand.example/Bag' },
            { Bag: 'https://other.example/Bag' },
          ],
        },
        '@context[2].Bag protected_term',
      ],
      [
        {
          '@context': [
            credentialsContext,
            { Bag: { '@id': 'https://brand.example/Bag', '@protected': true } },
            { Bag: null },
          ],
        },
        '@context[2].Bag protected_term',
      ],
    ]))

  it('for an id that is not one URL, of it and of what is in it', async () => {
    for (const [id, code] of [
      [null, 'type'],
      [7, 'type'],
      [['https://brand.example/1', 'https://brand.example/2'], 'type'],
      [{}, 'type'],
      ['', 'url'],
      ['bag-1', 'url'],
      ['https ://not-a-url/vcs/1', 'url'],
      ['https://brand.example/a b', 'url'],
      ['https://', 'url'],
      ['_:b0', 'url'],
      [' did:x:y', 'url'],
      ['//brand.example/', 'url'],
    ] as const) {
      const typed = { id, type: 'https://brand.example/Type' }
      await judge([
        [
          {
            id,
            issuer: { id },
            credentialSubject: { id },
            credentialStatus: typed,
            credentialSchema: [typed],
            refreshService: typed,
            termsOfUse: typed,
            evidence: [typed, typed],
            relatedResource: { id, digestSRI: `sha256-${'A'.repeat(43)}=` },
          },
          ...[
            'id',
            'issuer.id',
            'credentialSubject.id',
            'credentialStatus.id',
            'credentialSchema[0].id',
            'refreshService.id',
            'termsOfUse.id',
            'evidence[0].id',
            'evidence[1].id',
            'relatedResource.id',
          ].map((path) => `${path} ${code}`),
        ],
      ])
    }
  })

  it('without a type, or one that is neither a term nor an absolute URL', () =>
    judge([
      [{ type: undefined }, 'type not_a_credential'],
      [{ type: [] }, 'type not_a_credential'],
      [{ type: 'Bag' }, 'type not_a_credential'],
      [{ type: ['verifiableCredential'] }, 'type not_a_credential'],
      [
        {
          '@context': [credentialsContext, 'https://brand.example/'],
          type: ['VerifiableCredential', 2, null, 'two words', '@id', 'https ://x', ''],
        },
        'type[1] type',
        'type[2] type',
        'type[3] term',
        'type[4] term',
        'type[5] term',
        'type[6] term',
      ],
    ]))

  it('for a type that none of its contexts maps', () =>
    judge([
      [{ type: ['VerifiableCredential', 'Bag'] }, 'type[1] unmapped'],
      [
        { '@context': [credentialsContext, { '@vocab': null }], type: ['VerifiableCredential', 'Bag'] },
        'type[1] unmapped',
      ],
      [
        { credentialStatus: { type: 'OtherEntry' }, evidence: [{ type: ['https://brand.example/E', 'Other'] }] },
        'credentialStatus.type unmapped',
        'evidence[0].type[1] unmapped',
      ],
    ]))

  it('for a name or a description that is neither text nor text in a language', () =>
    judge([
      [{ name: 5, description: null }, 'name type', 'description type'],
      [{ name: {} }, 'name.@value required'],
      [{ name: { '@value': 5, '@language': 'en' } }, 'name.@value type'],
      [{ name: { '@value': 'Bag', '@language': 'en', url: 'did:x:y' } }, 'name.url unknown_member'],
      [
        { description: { '@value': 'Bag', '@language': 'not a tag', '@direction': 'up' } },
        'description.@language language',
        'description.@direction direction',
      ],
      [
        { name: [], description: [{ '@value': 'Bag' }, { '@value': 'Sac', '@language': 'f' }, 'Bag'] },
        'name empty',
        'description[1].@language language',
        'description[2] type',
      ],
      [
        { issuer: { id: issuer.did, name: { '@value': 'A', '@type': 'x' }, description: 7 } },
        'issuer.name.@type unknown_member',
        'issuer.description type',
      ],
    ]))

  it('without an issuer, or with one that is no URL and has none as its id', () =>
    judge([
      [{ issuer: undefined }, 'issuer required'],
      [{ issuer: null }, 'issuer type'],
      [{ issuer: 5 }, 'issuer type'],
      [{ issuer: [issuer.did] }, 'issuer type'],
      [{ issuer: 'fake-issuer' }, 'issuer url'],
      [{ issuer: {} }, 'issuer.id required'],
      [{ issuer: { id: null } }, 'issuer.id type'],
      [{ issuer: { id: 'fake-issuer' } }, 'issuer.id url'],
    ]))

  it('without a subject, or with one of which nothing is claimed', () =>
    judge([
      [{ credentialSubject: undefined }, 'credentialSubject required'],
      [{ credentialSubject: {} }, 'credentialSubject empty'],
      [{ credentialSubject: [] }, 'credentialSubject empty'],
      [{ credentialSubject: [{ id: 'did:x:y' }, {}] }, 'credentialSubject[1] empty'],
      [{ credentialSubject: 'did:x:y' }, 'credentialSubject type'],
      [
        { credentialSubject: ['did:x:y', null, 5] },
        'credentialSubject[0] type',
        'credentialSubject[1] type',
        'credentialSubject[2] type',
      ],
    ]))

  it('for a validFrom or a validUntil that is no dateTimeStamp', async () => {
    for (const time of [
      5,
      null,
      '',
      'Sat 25 Feb 2023 07:16:31 PM CST',
      '2026-01-01',
      '2026-01-01T00:00:00',
      '2026-01-01T00:00Z',
      '2026-01-01 00:00:00Z',
      '2026-01-01T00:00:00z',
      '2026-02-30T00:00:00Z',
      '2025-02-29T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-00-10T00:00:00Z',
      '2026-01-01T25:00:00Z',
      '2026-01-01T24:00:01Z',
      '2026-01-01T00:00:60Z',
      '2026-01-01T00:00:00+14:01',
      '2026-01-01T00:00:00+0100',
      '26-01-01T00:00:00Z',
      '999999-01-01T00:00:00Z',
      ['2026-01-01T00:00:00Z'],
    ])
      await judge([[{ validFrom: time, validUntil: time }, 'validFrom date_time', 'validUntil date_time']])
  })

  it('for a validity that ends before it begins', () =>
    judge([
      [{ validFrom: '2026-01-02T00:00:00Z', validUntil: '2026-01-01T23:59:59.999Z' }, 'validUntil order'],
      [{ validFrom: '2026-01-02T00:00:00-06:00', validUntil: '2026-01-02T06:59:00+01:00' }, 'validUntil order'],
    ]))

  it('refuses dates of version 1.1', () =>
    judge([
      [
        { issuanceDate: '2020-01-01T00:00:00Z', expirationDate: '2021-01-01T00:00:00Z' },
        'issuanceDate data_model_1',
        'expirationDate data_model_1',
      ],
    ]))

  it('applies the rules of version 1.1 where the first context is of that version', async () => {
    const type = 'https://brand.example/Type'
    const issuanceDate = '2020-01-01T00:00:00Z'
    await judge(
      (
        [
          [{}, 'issuanceDate required'],
          [{ issuanceDate: '2020-01-01' }, 'issuanceDate date_time'],
          [{ issuanceDate, validFrom: 5 }, 'validFrom date_time'],
          [{ issuanceDate, expirationDate: '2019-12-31T23:59:59Z' }, 'expirationDate order'],
          [{ issuanceDate, issuer: {}, id: 5 }, 'id type', 'issuer.id required'],
          [
            {
              issuanceDate,
              credentialStatus: { type },
              refreshService: { type },
              credentialSchema: { type },
              evidence: { type },
              termsOfUse: {},
            },
            'credentialStatus.id required',
            'credentialSchema.id required',
            'refreshService.id required',
            'termsOfUse.type required',
          ],
        ] as Case[]
      ).map(([more, ...expectedIssues]): Case => [
        { '@context': [first, 'https://brand.example/'], ...more },
        ...expectedIssues,
      ]),
    )
    expect(
      await verifyRefused(await issuer.token(issuer.credential({ '@context': [first], issuanceDate }))),
    ).to.deep.equal(['credential.@context[0] data_model_1'])
  })

  it('as an envelope with another type, without the base context, or without a data: URL', async () => {
    const credential = issuer.credential()
    const token = await issuer.token(credential)
    const envelope = {
      '@context': credentialsContext,
      type: 'EnvelopedVerifiableCredential',
      id: `data:application/vc+jwt,${token}`,
    }
    expect(await describeFailedChecks(envelope)).to.equal('')
    for (const [more, fault] of [
      [{ '@context': [] }, '@context base_context'],
      [{ '@context': 'https://www.w3.org/ns/credentials/examples/v2' }, '@context base_context'],
      [{ '@context': undefined }, '@context required'],
      [{ id: token }, 'id url'],
      [{ id: undefined }, 'id required'],
      [{ id: 'data:application/vc+jwt,' }, 'id url'],
      [{ type: ['EnvelopedVerifiableCredential', 'VerifiableCredential'] }, 'type type'],
      [{ id: 'data:application/jwt,x' }, 'id not_a_credential'],
      [{ type: undefined }, 'type not_a_credential'],
      [{ type: 'EnvelopedVerifiablePresentation' }, 'type not_a_credential'],
    ] as const)
      expect(await verifyRefused({ ...envelope, ...more }), JSON.stringify(more)).to.deep.equal([fault])
    expect((await verifyRefused({ ...envelope, type: 'VerifiableCredential' })).sort()).to.deep.equal([
      '@context type',
      'credentialSubject required',
      'issuer required',
    ])
  })

  it('in another than the compacted form of JSON-LD', async () => {
    const { proof, ...document } = await issuer.proved(issuer.credential())
    const expanded = {
      '@type': ['https://www.w3.org/2018/credentials#VerifiableCredential'],
      'https://www.w3.org/2018/credentials#issuer': [{ '@id': issuer.did }],
      proof,
    }
    expect(await verifyRefused({ credential: expanded })).to.deep.equal(['credential.type not_a_credential'])
    expect(await verifyRefused({ ...document, type: undefined, '@type': ['VerifiableCredential'] })).to.deep.equal([
      'type not_a_credential',
    ])
    expect(await verifyRefused({ credential: await issuer.token([expanded] as never) })).to.deep.equal([
      'credential not_a_credential',
    ])
  })

  it('with the address of what kind of problem it is', async () => {
    const answer = await createApiClient().post(verifyPath, issuer.credential({ id: 'x' }))
    expect(answer.headers['content-type']).to.match(/^application\/problem\+json/)
    expect(new URL(String(answer.body.type)).pathname).to.equal('/problems/VALIDATION_FAILED')
  })

  it('with all of its faults at once, in whichever form it comes', async () => {
    const wrong = issuer.credential({ id: 5, issuer: {}, validFrom: 'now', credentialSubject: [{}], evidence: {} })
    const faults = [
      'id type',
      'issuer.id required',
      'validFrom date_time',
      'credentialSubject[0] empty',
      'evidence.type required',
    ]
    const below = (path: string) => faults.map((fault) => `${path}.${fault}`)
    const token = await issuer.token(wrong)
    expect(await verifyRefused(wrong)).to.deep.equal(faults)
    expect(await verifyRefused(await issuer.proved(wrong))).to.deep.equal(faults)
    expect(await verifyRefused(token)).to.deep.equal(below('credential'))
    const envelope = {
      '@context': credentialsContext,
      type: 'EnvelopedVerifiableCredential',
      id: `data:application/vc+jwt,${token}`,
    }
    expect(await verifyRefused({ credential: envelope })).to.deep.equal(below('credential.id'))
    expect(await verifyRefused(issuer.credential({ evidence: Array(200).fill(1) }))).to.have.length(100)
  })
})
