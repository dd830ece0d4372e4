import { credentialsContext, contextDigests } from './rich-credential.ts'
import { judge, type Case } from './model.cases.ts'

const { digestSRI: sri, digestMultibase: multibase } = contextDigests

describe('A credential with a malformed part is refused', () => {
  it('for a status, a schema, evidence, terms of use, a refresh service or a method without a type', async () => {
    for (const name of [
      'credentialStatus',
      'credentialSchema',
      'evidence',
      'termsOfUse',
      'refreshService',
      'confidenceMethod',
      'renderMethod',
    ]) {
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

  it('refuses a confidenceMethod without a type', () =>
    judge([
      [
        { credentialSubject: [{ name: 'Bag', confidenceMethod: [{ id: 'did:x:y' }] }] },
        'credentialSubject[0].confidenceMethod[0].type required',
      ],
    ]))

  it('for a status, a schema, evidence, terms of use, a refresh service or a method that is no object', async () => {
    for (const name of [
      'credentialStatus',
      'credentialSchema',
      'evidence',
      'termsOfUse',
      'refreshService',
      'confidenceMethod',
      'renderMethod',
    ]) {
      await judge([
        [{ [name]: [] }, `${name} empty`],
        [{ [name]: 'https://brand.example/1' }, `${name} type`],
        [{ [name]: null }, `${name} type`],
        [{ [name]: [5, ['x']] }, `${name}[0] type`, `${name}[1] type`],
      ])
    }
  })

  it('for a schema without an id', () =>
    judge([
      [{ credentialSchema: { type: 'JsonSchema' } }, 'credentialSchema.id required'],
      [
        { credentialSchema: [{ type: 'JsonSchema', id: 'did:x:y' }, {}] },
        'credentialSchema[1].type required',
        'credentialSchema[1].id required',
      ],
    ]))

  it('for a related resource that is no object, has no id or has that of another', () =>
    judge([
      [{ relatedResource: [credentialsContext] }, 'relatedResource[0] type'],
      [{ relatedResource: [] }, 'relatedResource empty'],
      [{ relatedResource: { digestSRI: sri } }, 'relatedResource.id required'],
      [
        {
          relatedResource: [
            { id: credentialsContext, digestSRI: sri },
            { id: credentialsContext, digestMultibase: multibase },
          ],
        },
        'relatedResource[1].id duplicate',
      ],
    ]))

  it('for a related resource without a digest, or with one that is none', () =>
    judge([
      [{ relatedResource: { id: credentialsContext } }, 'relatedResource digest'],
      ...[
        '',
        5,
        [],
        'sha1-AAAA',
        'sha256-AAAA',
        `sha384-${'A'.repeat(43)}=`,
        `${sri} md5-AAAA`,
        `sha256:${'a'.repeat(64)}`,
      ].map((digestSRI): Case => [
        { relatedResource: { id: credentialsContext, digestSRI } },
        'relatedResource.digestSRI digest',
      ]),
      ...[
        '',
        5,
        [],
        'u',
        'x12',
        'uJKGMkOmFbVJhEfKTduMC2XCyvRAYLjOVmZWwIH1wQ7k',
        'zQm',
        `z${'2'.repeat(200)}`,
        `${multibase}AAAA`,
        [multibase, 'u'],
      ].map((digestMultibase): Case => [
        { relatedResource: { id: credentialsContext, digestMultibase } },
        'relatedResource.digestMultibase digest',
      ]),
      [
        { relatedResource: { id: credentialsContext, digestSRI: sri, mediaType: 'json' } },
        'relatedResource.mediaType media_type',
      ],
    ]))

  it('refuses a proof that is no object, or has no type', () =>
    judge([
      [{ proof: 'x' }, 'proof type'],
      [{ proof: [] }, 'proof empty'],
      [{ proof: {} }, 'proof.type required'],
      [{ proof: [{ type: 'DataIntegrityProof' }, 7, { type: 5 }] }, 'proof[1] type', 'proof[2].type type'],
    ]))
})
