import type { Credential } from '../contexts/index.ts'
import type { Canonizer } from './proofs.expand.ts'
import { loadJcsCryptosuite, loadDataIntegrity } from './proofs.libraries.ts'

/** A signer: the address of its public key, and a function that signs bytes with Ed25519. */
export interface CredentialSigner {
  verificationMethod: string
  sign(bytes: Uint8Array): Buffer
}

const loadCryptosuites = async () => {
  const [{ DataIntegrityProof }, { createSignCryptosuite, createVerifyCryptosuite }] = await Promise.all([
    loadDataIntegrity(),
    loadJcsCryptosuite(),
  ])
  const { createVerifier, requiredAlgorithm } = createVerifyCryptosuite()
  return {
    DataIntegrityProof,
    jcs: createSignCryptosuite(),
    rdfc: { name: 'eddsa-rdfc-2022', createVerifier, requiredAlgorithm },
  }
}
let loadedCryptosuites: ReturnType<typeof loadCryptosuites> | undefined

/** Creates the purpose of a proof. @param extraMembers further members of the proof, which the signature covers */
const createProofPurpose = (extraMembers: object) => ({
  update: (proof: object) => ({ ...proof, ...extraMembers, proofPurpose: 'assertionMethod' }),
})

/**
 * Adds an embedded proof to a credential. The suite is eddsa-jcs-2022, which neither expands the credential nor reads a
 * context. With `canonize` it is eddsa-rdfc-2022, which signs the RDF that the contexts make of the credential. The
 * code calls the suites directly, without the JSON-LD signatures library around them.
 * Source: W3C Data Integrity EdDSA Cryptosuites 1.0, sections 3.2.1 and 3.3.1.
 * @param created precise to the second
 * @throws every error of `canonize`, which rejects a term that no context maps
 */
export async function addProof(
  credential: Credential,
  signer: CredentialSigner,
  created: Date,
  canonize?: Canonizer,
  extraMembers: object = {},
): Promise<Credential> {
  const { DataIntegrityProof, jcs, rdfc } = await (loadedCryptosuites ??= loadCryptosuites())
  const proofs = new DataIntegrityProof({
    signer: {
      id: signer.verificationMethod,
      algorithm: 'Ed25519',
      sign: async ({ data }: { data: Uint8Array }) => signer.sign(data),
    },
    date: created,
    cryptosuite: canonize ? { ...rdfc, canonize } : jcs,
  })
  return {
    ...credential,
    proof: await proofs.createProof({ document: credential, purpose: createProofPurpose(extraMembers) }),
  }
}
