import type { Network } from '../networks.ts'
import type { ChainRecordKind, PointsOperationKind, TokenOperationKind } from '../port.ts'

/** An operation on a token, as a sender reads it. */
export interface TokenOperation {
  id: string
  organization: string
  application: string
  network: Network
  kind: TokenOperationKind
  token_id: Buffer
  recipient: string | null
  /** What the wallet that has the token agrees to, in acts that need it: its address, and until when, as ISO 8601. */
  content?: { from: string; until: string } | null
  job: string
  line: number
}

/** What each kind of record stores, as JSON. */
export interface RecordContents {
  anchor: { root: string }
  registerKey: { key: string }
  rotateKey: { key: string; previous: string }
  /** The time is an ISO 8601 text. */
  revokeKey: { key: string; compromisedAt: string | null }
}

/** A record as a sender reads it: an operation without a token. */
export type RecordOperation<K extends ChainRecordKind = ChainRecordKind> = {
  [Each in K]: {
    id: string
    organization: string
    network: Network
    job: string
    kind: Each
    content: RecordContents[Each]
  }
}[K]

/** An entry of points as a sender reads it. */
export interface PointsOperation {
  id: string
  organization: string
  application: string
  network: Network
  kind: PointsOperationKind
  /** Address of the account. */
  recipient: string
  /** The amount is signed decimal digits. */
  content: { amount: string }
  job: string
}

/** One unit of chain work: on a token, in a shared contract, or on the points of an account. */
export type ChainOperation = TokenOperation | RecordOperation | PointsOperation

/** Returns the id of an operation's token as `0x` and 64 hex digits. */
export const getTokenId = ({ token_id }: Pick<TokenOperation, 'token_id'>) => `0x${token_id.toString('hex')}`
