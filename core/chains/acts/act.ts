import type { ChainAct, SharedContract } from '../family.ts'
import type {
  ChainRecordKind,
  NewChainRecord,
  NewPointsOperation,
  PointsOperationKind,
  TokenOperationKind,
} from '../port.ts'
import type { PointsOperation, RecordContents, RecordOperation, TokenOperation } from './operation.ts'

/** Matches a word of a chain, a root, a key or the id of a token: `0x` and 64 small hexadecimal digits. */
export const wordPattern = /^0x[0-9a-f]{64}$/

/** Where a token operation goes: the contract, and where that contract has the token. */
export interface TokenTarget {
  contract: string
  /** First owner of the tokens that the contract's batches mint. */
  issuer: string | null
  /** Whether the token is minted already. */
  minted: boolean
  /** The contract that wallets run when they pass a token on; null as long as there is none. */
  handovers: string | null
  /** Batch and place in it in which the token was minted; null if it was not minted in a batch. */
  batch: number | null
  position: number | null
}

/** Who had a token before an act, and who has it afterwards. */
export interface TokenOwners {
  from: string | null
  owner: string | null
}

/** Something that happens to the token of a passport. Operations on one token happen in the order of the queue. */
export interface TokenAct {
  /** Kind of the operations that ask for the act. */
  readonly kind: TokenOperationKind
  /** Which of the features' handlers takes the outcomes. */
  readonly taker: 'tokens'
  /** Kind of the transactions that perform the act. */
  readonly transactionKind: ChainAct['kind']
  /** Whether one transaction performs the act for many tokens of one application. */
  readonly isBatched: boolean
  /** Whether the feature names who gets the token. */
  readonly hasReceiver: boolean
  /** Whether the act makes the token. */
  readonly isMint: boolean
  /** Whether the wallet that has the token has to sign the act. */
  readonly needsConsent: boolean
  /**
   * Creates what the transaction does.
   * @returns a text that says why the operations are impossible, if they are
   */
  createChainAct(operations: readonly TokenOperation[], target: TokenTarget): ChainAct | string
  /**
   * Returns the owners before and after the act.
   * @param issuer first owner of the application's tokens
   * @param previousOwner owner before, as the chain's receipt has it
   */
  getOwners(operation: TokenOperation, issuer: string | null, previousOwner: string | null): TokenOwners
}

/** An entry that an organization makes in a contract that all organizations of a network share. */
export interface RecordAct<K extends ChainRecordKind = ChainRecordKind> {
  readonly kind: K
  readonly taker: 'records'
  readonly transactionKind: ChainAct['kind']
  readonly contract: SharedContract
  /** Whether one transaction performs the act for records of many organizations. */
  readonly isBatched: boolean
  /**
   * Whether no other record of the organization may be under way at the same time. Records that are not exclusive
   * overtake each other, but no exclusive one.
   */
  readonly isExclusive: boolean
  /** Checks the roots or keys of a new record, each of which is a word of the chain. */
  isWellFormed(record: NewChainRecord & { kind: K }): boolean
  /** Returns what is stored of a new record. */
  toContent(record: NewChainRecord & { kind: K }): RecordContents[K]
  /** Creates what the transaction does. @param operations exactly one, unless the act is batched */
  createChainAct(operations: readonly RecordOperation<K>[], contract: string): ChainAct & { contract: string }
  /** Returns the root of a record. The chain's first entry of a root proves all records of the same root. */
  getRoot?(operation: RecordOperation<K>): string
}

/** A change to the points of accounts of one application. One transaction performs it for many accounts. */
export interface PointsAct {
  readonly kind: PointsOperationKind
  readonly taker: 'points'
  readonly transactionKind: ChainAct['kind']
  /** Kind of the application's contract. */
  readonly contract: 'points'
  /** Checks the id and the amount of a new operation. */
  isWellFormed(operation: NewPointsOperation): boolean
  /** Returns what is stored of a new operation. */
  toContent(operation: NewPointsOperation): PointsOperation['content']
  /** Creates what the transaction does. */
  createChainAct(operations: readonly PointsOperation[], contract: string): ChainAct & { contract: string }
}

/** Returns the only one of the operations of an act that is not batched. */
export function getOnlyOperation<T>(operations: readonly T[]): T {
  const [only] = operations
  if (only === undefined || operations.length > 1) throw new Error('the act takes one operation')
  return only
}
