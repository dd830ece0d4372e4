declare module '@digitalbazaar/data-integrity' {
  interface DataIntegrityProof {
    verifyProof(what: {
      proof: object
      document: object
      documentLoader: (url: string) => Promise<object>
    }): Promise<{ verified: boolean; error?: unknown }>
  }
}

declare module '@digitalbazaar/eddsa-rdfc-2022-cryptosuite' {
  export const cryptosuite: { canonize(input: object, options: object): Promise<string> }
}

declare module '@digitalbazaar/credentials-context' {
  export const contexts: Map<string, object>
}
