import type { Credential } from './credential.ts'
import type { Canonize } from './proofs.expand.ts'
import { loadJcs, loadProofs } from './proofs.libraries.ts'

/** Who signs: the address of the public key, and the signature of bytes with Ed25519. */
export interface Signer { verificationMethod: string; sign(bytes: Uint8Array): Buffer }

const loadSuite = async () => {
  const [{ DataIntegrityProof }, { createSignCryptosuite, createVerifyCryptosuite }] = await Promise.all([loadProofs(), loadJcs()])
  const { createVerifier, requiredAlgorithm } = createVerifyCryptosuite()
  return { DataIntegrityProof, jcs: createSignCryptosuite(), rdfc: { name: 'eddsa-rdfc-2022', createVerifier, requiredAlgorithm } }
}
let suite: ReturnType<typeof loadSuite> | undefined

/** @param more members of the proof, which it covers */
const purposeWith = (more: object) => ({ update: (proof: object) => ({ ...proof, ...more, proofPurpose: 'assertionMethod' }) })

/**
 * Secures a credential by an embedded proof of the suite eddsa-jcs-2022: nothing is expanded, no context is looked at,
 * nothing is fetched. With `canonize` it is one of eddsa-rdfc-2022, over the RDF that the contexts make of the credential.
 * The suites' own path is taken, without that of JSON-LD signatures around it.
 * Source: W3C Data Integrity EdDSA Cryptosuites 1.0, sections 3.2.1 and 3.3.1. @param created to the second
 * @throws what `canonize` throws: a term that no context maps is an error
 */
export async function withProof(credential: Credential, signer: Signer, created: Date, canonize?: Canonize, more: object = {}): Promise<Credential> {
  const { DataIntegrityProof, jcs, rdfc } = await (suite ??= loadSuite())
  const proofs = new DataIntegrityProof({
    signer: {
      id: signer.verificationMethod, algorithm: 'Ed25519',
      sign: async ({ data }: { data: Uint8Array }) => signer.sign(data),
    },
    date: created,
    cryptosuite: canonize ? { ...rdfc, canonize } : jcs,
  })
  return { ...credential, proof: await proofs.createProof({ document: credential, purpose: purposeWith(more) }) }
}
