import type { Credential } from './credential.ts'
import { loadJcs, loadProofs } from './proofs.libraries.ts'

/** Who signs: the address of the public key, and the signature of bytes with Ed25519. */
export interface Signer { verificationMethod: string; sign(bytes: Uint8Array): Buffer }

const loadSuite = async () => {
  const [{ DataIntegrityProof }, { createSignCryptosuite }] = await Promise.all([loadProofs(), loadJcs()])
  return { DataIntegrityProof, cryptosuite: createSignCryptosuite() }
}
let suite: ReturnType<typeof loadSuite> | undefined

const purpose = { update: (proof: object) => ({ ...proof, proofPurpose: 'assertionMethod' }) }

/**
 * Secures a credential by an embedded proof of the suite eddsa-jcs-2022. The suite's own path is taken, without that
 * of JSON-LD signatures around it: nothing is expanded, no context is looked at, nothing is fetched.
 * Source: W3C Data Integrity EdDSA Cryptosuites 1.0, section 3.3.1. @param created to the second
 */
export async function withProof(credential: Credential, signer: Signer, created: Date): Promise<Credential> {
  const { DataIntegrityProof, cryptosuite } = await (suite ??= loadSuite())
  const proofs = new DataIntegrityProof({
    signer: {
      id: signer.verificationMethod, algorithm: 'Ed25519',
      sign: async ({ data }: { data: Uint8Array }) => signer.sign(data),
    },
    date: created,
    cryptosuite,
  })
  return { ...credential, proof: await proofs.createProof({ document: credential, purpose }) }
}
