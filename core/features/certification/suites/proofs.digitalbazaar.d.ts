declare module '@digitalbazaar/data-integrity' {
  interface ProofSigner {
    id: string
    algorithm: string
    sign(what: { data: Uint8Array }): Promise<Uint8Array>
  }
  export class DataIntegrityProof {
    constructor(options: { signer?: ProofSigner; date?: Date | string; cryptosuite: object })
    createProof(what: {
      document: object
      purpose: { update(proof: object): object }
    }): Promise<Record<string, unknown>>
  }
}

declare module '@digitalbazaar/eddsa-jcs-2022-cryptosuite' {
  export function createSignCryptosuite(): object
  export function createVerifyCryptosuite(): { createVerifier: object; requiredAlgorithm: string }
}
