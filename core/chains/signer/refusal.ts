/** Reasons why the signer refuses. The codes are for programs and logs, and none reveals a secret. */
export type RefusalCode =
  | 'UNAUTHORIZED'
  | 'METHOD'
  | 'PATH'
  | 'TOO_LARGE'
  | 'MALFORMED'
  | 'UNKNOWN_WALLET'
  | 'OPERATION_REUSED'
  | 'NETWORK'
  | 'CHAIN_ID'
  | 'WALLET'
  | 'FEES'
  | 'GAS'
  | 'NONCE'
  | 'CONTRACT'
  | 'DEPLOYMENT'
  | 'OWNER'
  | 'RECIPIENT'
  | 'NOT_JUSTIFIED'
  | 'SIGNED_BEFORE'

/** Thrown when the signer refuses a request. `status` is an HTTP status code. */
export class SigningRefusedError extends Error {
  override name = 'SigningRefusedError'
  readonly status: number
  readonly code: RefusalCode
  /**
   * For code SIGNED_BEFORE: nonce of the wallet that has to be used up first; null: another wallet's nonce; undefined:
   * retry.
   */
  readonly nonce: number | null | undefined
  constructor(status: number, code: RefusalCode, message: string, nonce?: number | null) {
    super(message)
    this.status = status
    this.code = code
    this.nonce = nonce
  }
}

/** Creates the error that refuses what may not be signed. */
export const createForbiddenError = (code: RefusalCode, message: string) => new SigningRefusedError(403, code, message)
