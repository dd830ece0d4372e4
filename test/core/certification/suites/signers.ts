import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { contexts } from '@digitalbazaar/credentials-context'
import { createSignCryptosuite } from '@digitalbazaar/eddsa-jcs-2022-cryptosuite'
import { cryptosuite as rdfc } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import { CompactSign } from 'jose'
import { toMultikey } from '../../../../core/features/certification/formats/multikey.ts'

export type Suite = 'eddsa-jcs-2022' | 'eddsa-rdfc-2022'
export type Vc = Record<string, unknown>

/** Somebody who issues credentials with the libraries that others use. */
export interface TestIssuer {
  did: string
  method: string
  multikey: string
  jwk: { kty: string; crv: string; x: string }
  /** A credential of this issuer, unsecured. */
  credential(more?: Vc): Vc
  proved(credential: Vc, suite?: Suite, more?: Vc, extra?: Record<string, object>): Promise<Vc>
  token(credential: Vc, header?: Vc): Promise<string>
}

/** @param domain of its did:web; a did:key without one */
export function createIssuer(domain?: string): TestIssuer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const x = String(publicKey.export({ format: 'jwk' }).x)
  const multikey = toMultikey(Buffer.from(x, 'base64url'))
  const did = domain === undefined ? `did:key:${multikey}` : `did:web:${domain}`
  const method = `${did}#${multikey}`
  const signer = {
    id: method,
    algorithm: 'Ed25519',
    sign: async ({ data }: { data: Uint8Array }) => sign(null, data, privateKey),
  }
  return {
    did,
    method,
    multikey,
    jwk: { kty: 'OKP', crv: 'Ed25519', x },
    credential: (more = {}) => ({
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id: `urn:uuid:${randomUUID()}`,
      type: ['VerifiableCredential'],
      issuer: { id: did },
      validFrom: '2026-01-01T00:00:00Z',
      credentialSubject: { id: 'https://goods.example/1', name: 'Bag' },
      ...more,
    }),
    async proved(document, suite = 'eddsa-jcs-2022', more = {}, extra = {}) {
      const proofs = new DataIntegrityProof({
        signer,
        cryptosuite: suite === 'eddsa-jcs-2022' ? createSignCryptosuite() : rdfc,
      })
      const what = {
        document,
        purpose: { update: (proof: object) => ({ ...proof, proofPurpose: 'assertionMethod', ...more }) },
        documentLoader: async (url: string) => ({
          contextUrl: null,
          documentUrl: url,
          document: extra[url] ?? contexts.get(url),
        }),
      }
      return { ...document, proof: await proofs.createProof(what) }
    },
    token: (credential, header = {}) =>
      new CompactSign(Buffer.from(JSON.stringify(credential)))
        .setProtectedHeader({ alg: 'EdDSA', typ: 'vc+jwt', kid: method, ...header })
        .sign(privateKey),
  }
}

/** The document of an issuer under did:web. */
export const createDidDocument = ({ did, method, multikey }: TestIssuer, more: Vc = {}) => ({
  '@context': ['https://www.w3.org/ns/did/v1'],
  id: did,
  assertionMethod: [method],
  verificationMethod: [{ id: method, type: 'Multikey', controller: did, publicKeyMultibase: multikey }],
  ...more,
})
