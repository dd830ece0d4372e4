/** Why the signer refuses. A code is for programs and logs; none tells a secret. */
export type RefusalCode =
  | 'UNAUTHORIZED' | 'METHOD' | 'PATH' | 'TOO_LARGE' | 'MALFORMED' | 'UNKNOWN_WALLET' | 'OPERATION_REUSED'
  | 'NETWORK' | 'CHAIN_ID' | 'WALLET' | 'FEES' | 'GAS' | 'NONCE' | 'CONTRACT' | 'DEPLOYMENT' | 'OWNER' | 'RECIPIENT'
  | 'NOT_JUSTIFIED' | 'SIGNED_BEFORE'

/** The signer will not do it. `status` is an HTTP status code. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: number
  readonly code: RefusalCode
  /** Of SIGNED_BEFORE: the wallet's nonce that has to be over first; null: that of another wallet; undefined: ask again. */
  readonly nonce: number | null | undefined
  constructor(status: number, code: RefusalCode, message: string, nonce?: number | null) {
    super(message)
    this.status = status
    this.code = code
    this.nonce = nonce
  }
}

/** Refuses what may not be signed. */
export const forbidden = (code: RefusalCode, message: string) => new Refusal(403, code, message)
