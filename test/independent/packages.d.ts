declare module '@digitalbazaar/vc' {
  interface Loaded {
    contextUrl: null
    documentUrl: string
    document: object
  }
  interface Verified {
    verified: boolean
    error?: Error & { errors?: Error[] }
  }
  export function verifyCredential(options: {
    credential: object
    suite: object
    documentLoader: (url: string) => Promise<Loaded>
    checkStatus?: () => Promise<{ verified: boolean; error?: Error }>
  }): Promise<Verified>
}
