import { expect } from 'chai'
import { assertValidEnvelope, assertValidPresentation } from '../../../../core/features/certification/model/model.ts'
import { ProblemError } from '../../../../core/kernel/problem.ts'
import { credentialsContext } from './rich-credential.ts'
import { createIssuer, type Vc } from '../suites/signers.ts'

const issuer = createIssuer()
const good = {
  '@context': [credentialsContext],
  type: ['VerifiablePresentation'],
  holder: issuer.did,
  verifiableCredential: [issuer.credential()],
}

/** What is found wrong. */
function listFaults(refuse: () => void): string[] {
  try {
    refuse()
    return []
  } catch (cause) {
    if (!(cause instanceof ProblemError)) throw cause
    return (cause.errors ?? []).map(({ path, code }) => `${path} ${code}`)
  }
}
const listPresentationFaults = (more: Vc) =>
  listFaults(() => assertValidPresentation({ ...good, ...more }, 'presentation'))

function assertFaults(cases: readonly [more: Vc, ...faults: string[]][]): void {
  for (const [more, ...faults] of cases) {
    expect(listPresentationFaults(more), JSON.stringify(more)).to.deep.equal(
      faults.map((fault) => `presentation.${fault}`),
    )
  }
}

describe('POST /v1/dpp/credentials/verify: presentations', () => {
  const envelope = {
    '@context': credentialsContext,
    type: 'EnvelopedVerifiableCredential',
    id: 'data:application/vc+jwt,eyJ',
  }

  it('is well-formed with credentials of either form, or none, and a holder or none', () =>
    assertFaults([
      [{}],
      [{ holder: undefined, verifiableCredential: undefined }],
      [{ type: 'VerifiablePresentation', id: 'urn:uuid:9c9a36f8-518f-4976-a934-6649502d0008' }],
      [{ holder: { id: issuer.did, name: 'Shop' }, verifiableCredential: envelope }],
      [{ verifiableCredential: [issuer.credential(), envelope] }],
      [
        {
          '@context': [credentialsContext, { Basket: 'https://brand.example/Basket' }],
          type: ['Basket', 'VerifiablePresentation'],
        },
      ],
    ]))

  it('is refused without contexts that begin with the base context', () =>
    assertFaults([
      [{ '@context': undefined }, '@context required'],
      [{ '@context': ['https://www.w3.org/ns/credentials/examples/v2'] }, '@context[0] base_context'],
      [{ '@context': [{}, credentialsContext] }, '@context[0] base_context'],
      [{ '@context': ['https://www.w3.org/2018/credentials/v1'] }, '@context[0] data_model_1'],
      [{ '@context': [credentialsContext, 5, 'https ://x'] }, '@context[1] type', '@context[2] url'],
    ]))

  it('is refused for an id that is not one URL', () =>
    assertFaults([
      [{ id: 'basket' }, 'id url'],
      [{ id: ['did:x:y'] }, 'id type'],
      [{ id: null }, 'id type'],
    ]))

  it('is refused without its type, or with one that is none', () =>
    assertFaults([
      [{ type: undefined }, 'type not_a_presentation'],
      [{ type: ['Basket'] }, 'type not_a_presentation'],
      [{ type: ['VerifiablePresentation', 'Basket'] }, 'type[1] unmapped'],
      [{ type: ['VerifiablePresentation', 5] }, 'type[1] type'],
    ]))

  it('is refused with credentials that are no objects, or are malformed', () =>
    assertFaults([
      [
        { verifiableCredential: ['eyJ', 5, 'https://brand.example/1', null] },
        ...[0, 1, 2, 3].map((at) => `verifiableCredential[${at}] type`),
      ],
      [{ verifiableCredential: 'eyJ' }, 'verifiableCredential type'],
      [{ verifiableCredential: [] }, 'verifiableCredential empty'],
      [
        { verifiableCredential: [issuer.credential(), issuer.credential({ type: [], issuer: {} })] },
        'verifiableCredential[1].type not_a_credential',
        'verifiableCredential[1].issuer.id required',
      ],
      [
        { verifiableCredential: { ...envelope, id: 'eyJ', '@context': [] } },
        'verifiableCredential.@context base_context',
        'verifiableCredential.id url',
      ],
    ]))

  it('is refused for a holder that is no URL and has none as its id', () =>
    assertFaults([
      [{ holder: 'z6Mk' }, 'holder url'],
      [{ holder: null }, 'holder type'],
      [{ holder: { name: 'Acme' } }, 'holder.id required'],
      [{ holder: { id: 'z6Mk' } }, 'holder.id url'],
    ]))

  it('is refused for terms of use or proofs without a type', () =>
    assertFaults([[{ termsOfUse: {}, proof: [{}] }, 'termsOfUse.type required', 'proof[0].type required']]))

  it('is refused in an envelope of another type, without the base context, or without a data: URL', () => {
    const type = 'EnvelopedVerifiablePresentation'
    const whole = { '@context': [credentialsContext], type, id: 'data:application/vp+jwt,eyJ' }
    const found = (more: Vc) => listFaults(() => assertValidEnvelope({ ...whole, ...more }, type, 'body'))
    expect(found({})).to.deep.equal([])
    expect(found({ '@context': [] })).to.deep.equal(['@context base_context'])
    expect(found({ '@context': undefined, id: 'eyJ' })).to.deep.equal(['@context required', 'id url'])
    expect(found({ type: ['VerifiablePresentation'] })).to.deep.equal(['type type'])
  })
})
