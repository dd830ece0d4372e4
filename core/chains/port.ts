import type { Knex } from 'knex'
import type { Network } from './networks.ts'

/** What happens to a passport's token. `mintToIssuer` is batched; `mintTo` mints directly to a claimer. */
export type TokenOperationKind = 'mintToIssuer' | 'mintTo' | 'transferTo'

/** One unit of chain work, unique by `id`. It is written in the database transaction of the change that needs it. */
export interface NewTokenOperation {
  /** Permanently unique id. The same natural act always has the same id, so the act can never be done twice. */
  id: string
  organization: string
  application: string
  network: Network
  kind: TokenOperationKind
  /** `0x` + 64 hex digits. */
  tokenId: string
  /** Receiver; required if the act has one (`hasReceiver`). */
  to?: string
  job: string
  /** Index of the unit in its job, from 0. */
  line: number
}

/** The outcome of an operation. `final`: it has enough confirmations. `failed`: it will never happen. */
export interface TokenOutcome {
  id: string
  kind: TokenOperationKind
  organization: string
  application: string
  network: Network
  tokenId: string
  job: string
  line: number
  status: 'final' | 'failed'
  /** Why the operation failed, in English, without upstream text. */
  reason: string | null
  contract: string | null
  transactionHash: string | null
  /** Previous owner; null for a mint. */
  from: string | null
  /** Owner after the operation. */
  owner: string | null
  /** Time of the block. */
  at: Date | null
}

/**
 * Handles outcomes in the transaction that records them, at most 500 of one kind and application per call. After a
 * reorganization the same operation is settled again with another transaction hash; the handler then only writes the
 * new facts.
 */
export type TokenOutcomeHandler = (trx: Knex.Transaction, outcomes: readonly TokenOutcome[]) => Promise<void>

/** The common fields of the entries in contracts that all organizations of a network share. */
interface ChainRecordBase {
  /** Permanently unique id, like the id of a `NewTokenOperation`. */
  id: string
  organization: string
  network: Network
  job: string
}

/**
 * What an organization writes on a chain besides tokens: the Merkle root of a batch of certificates (`0x` and 64 hex
 * digits), or a change to one of its keys (an Ed25519 public key as `0x` and 64 hex digits).
 */
export type NewChainRecord = ChainRecordBase
  & (
    | { kind: 'anchor'; root: string }
    | { kind: 'registerKey'; key: string }
    | { kind: 'rotateKey'; key: string; previous: string }
    | { kind: 'revokeKey'; key: string; compromisedAt: Date | null }
  )
export type ChainRecordKind = NewChainRecord['kind']

/** The outcome of a record. `final`: it has enough confirmations. `failed`: it will never happen. */
export interface RecordOutcome {
  id: string
  kind: ChainRecordKind
  organization: string
  network: Network
  job: string
  status: 'final' | 'failed'
  /** Why the record failed, in English, without upstream text. */
  reason: string | null
  contract: string | null
  transactionHash: string | null
  blockNumber: number | null
  /** Time of the block. */
  at: Date | null
}

/**
 * Handles outcomes of records in the transaction that records them. After a reorganization the handler is called again
 * with the new facts.
 */
export type RecordOutcomeHandler = (trx: Knex.Transaction, outcomes: readonly RecordOutcome[]) => Promise<void>

/** The handlers of the outcomes of token operations and of records. */
export interface OutcomeHandlers {
  tokens: TokenOutcomeHandler
  records: RecordOutcomeHandler
}

/**
 * A deployed contract of an application's tokens. An application has one per network, and a further one when that is
 * full.
 */
export interface DeployedContract {
  application: string
  network: Network
  address: string
  name: string
  symbol: string
}

/** The port to chains. Features know nothing else of a chain. */
export interface Chains {
  /** Returns whether this installation can send on the network. */
  canSend(network: Network): boolean
  /** Returns whether accounts can have wallets on the network. A node of the network is not needed for wallets. */
  hasWallets(network: Network): boolean
  /** Checks whether the network's node answers within 2 s. */
  isReachable(network: Network): Promise<boolean>
  /**
   * Returns the address of a wallet, which is created at first use and never changes. Calls the signer, so it must
   * never be called inside a database transaction.
   * @param wallet stable name, for example `account:<id>`; an application's issuer is `issuer:<application>`
   * @throws SignerUnreachableError if the signer does not answer
   */
  ensureWalletAddress(network: Network, wallet: string): Promise<string>
  /**
   * Queues operations in the caller's transaction. Operations whose id already exists are skipped.
   * @param collection name of the token collection, used when the collection's contract is deployed
   */
  queueOperations(trx: Knex, collection: string, operations: readonly NewTokenOperation[]): Promise<void>
  /** Queues records in the caller's transaction. Records whose id already exists are skipped. */
  queueRecords(trx: Knex, records: readonly NewChainRecord[]): Promise<void>
  /** Wakes the sender of the network. To be called after the commit; never throws. */
  wakeSender(network: Network): void
  /** Lists the deployed contracts of applications, for `dppSettings.tokens`. */
  listDeployedContracts(db: Knex, applications: readonly string[]): Promise<DeployedContract[]>
}
