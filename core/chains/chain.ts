import type { Knex } from 'knex'
import type { Network } from './networks.ts'

/** What happens to a passport's token. `mintToIssuer` is batched, `mintTo` goes straight to a claimer. */
export type OperationKind = 'mintToIssuer' | 'mintTo' | 'transferTo'

/** One unit of chain work, unique by `id`: written in the transaction of the change that wants it. */
export interface NewOperation {
  /** Unique for ever; the same natural act always has the same id, so it can never be done twice. */
  id: string
  organization: string
  application: string
  network: Network
  kind: OperationKind
  /** `0x` + 64 hex digits. */
  tokenId: string
  /** Receiver, for all but `mintToIssuer`. */
  to?: string
  job: string
  /** The unit of the job, from 0. */
  line: number
}

/** What became of an operation. `final` has enough confirmations; `failed` will never happen. */
export interface Settled {
  id: string
  kind: OperationKind
  organization: string
  application: string
  network: Network
  tokenId: string
  job: string
  line: number
  status: 'final' | 'failed'
  /** Why it failed, in English, without an upstream's text. */
  reason: string | null
  contract: string | null
  transactionHash: string | null
  /** Previous owner; null at a mint. */
  from: string | null
  /** Owner after it. */
  owner: string | null
  /** Time of the block. */
  at: Date | null
}

/**
 * Called in the transaction that records the outcomes, at most 500 of one kind and application at a time. After a
 * reorganization the same operation is settled again with another hash: the handler only writes the new facts then.
 */
export type Settle = (trx: Knex.Transaction, outcomes: readonly Settled[]) => Promise<void>

/** One entry in a contract that all organizations of a network share. */
interface RecordOf {
  /** Unique for ever, as the id of a `NewOperation`. */
  id: string
  organization: string
  network: Network
  job: string
}

/**
 * What an organization has written on a chain beside tokens: the Merkle root of a batch of certificates (`0x` and 64
 * hex digits), or what became of one of its keys (an Ed25519 public key as `0x` and 64 hex digits).
 */
export type NewRecord = RecordOf & (
  | { kind: 'anchor'; root: string }
  | { kind: 'registerKey'; key: string }
  | { kind: 'rotateKey'; key: string; previous: string }
  | { kind: 'revokeKey'; key: string; compromisedAt: Date | null }
)
export type RecordKind = NewRecord['kind']

/** What became of a record. `final` has enough confirmations; `failed` will never happen. */
export interface SettledRecord {
  id: string
  kind: RecordKind
  organization: string
  network: Network
  job: string
  status: 'final' | 'failed'
  /** Why it failed, in English, without an upstream's text. */
  reason: string | null
  contract: string | null
  transactionHash: string | null
  blockNumber: number | null
  /** Time of the block. */
  at: Date | null
}

/** As `Settle`: in the transaction that records the outcomes; after a reorganization called again with new facts. */
export type SettleRecords = (trx: Knex.Transaction, outcomes: readonly SettledRecord[]) => Promise<void>

/** Who takes the outcomes of what was queued and of what was recorded. */
export interface OutcomeTakers { passports: Settle; records: SettleRecords }

/** A contract of an application's tokens: one a network, and a further one when it has all its batches. */
export interface DeployedContract {
  application: string
  network: Network
  address: string
  name: string
  symbol: string
}

/** The only thing a feature knows of a chain. */
export interface Chains {
  /** Whether this installation can send on the network. */
  usable(network: Network): boolean
  /** Whether accounts can have a wallet on the network here; a node of it is not needed for that. */
  hasWallets(network: Network): boolean
  /** Whether the network's node answers within 2 s. */
  answers(network: Network): Promise<boolean>
  /**
   * The address of a wallet, made on first use and the same ever after. Calls the signer: never inside a transaction.
   * @param wallet stable name, as `account:<id>`; an application's issuer is `issuer:<application>`
   * @throws Error when the signer does not answer
   */
  address(network: Network, wallet: string): Promise<string>
  /**
   * Queues operations in the caller's transaction; an id that is there already is left alone.
   * @param collection name of the token collection, used when its contract is deployed
   */
  queue(trx: Knex, collection: string, operations: readonly NewOperation[]): Promise<void>
  /** Queues records in the caller's transaction; an id that is there already is left alone. */
  record(trx: Knex, records: readonly NewRecord[]): Promise<void>
  /** Wakes the sender of the network. After the commit; never throws. */
  ring(network: Network): void
  /** Contracts of an application that are deployed, for `dppSettings.tokens`. */
  contracts(db: Knex, applications: readonly string[]): Promise<DeployedContract[]>
}
