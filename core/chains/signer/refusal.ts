/** Why the signer refuses. A code is for programs and logs; none tells a secret. */
export type RefusalCode =
  | 'UNAUTHORIZED' | 'METHOD' | 'PATH' | 'TOO_LARGE' | 'MALFORMED' | 'UNKNOWN_WALLET' | 'OPERATION_REUSED'
  | 'NETWORK' | 'CHAIN_ID' | 'WALLET' | 'FEES' | 'GAS' | 'NONCE' | 'CONTRACT' | 'DEPLOYMENT' | 'OWNER' | 'RECIPIENT'
  | 'NOT_JUSTIFIED'

/** The signer will not do it. `status` is an HTTP status code. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: number
  readonly code: RefusalCode
  constructor(status: number, code: RefusalCode, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Refuses what may not be signed. */
export const forbidden = (code: RefusalCode, message: string) => new Refusal(403, code, message)
