import type { Knex } from 'knex'
import type { Network } from './networks.ts'

/**
 * What happens to a passport's token. `mintToIssuer` is batched; `mintTo` mints directly to a claimer; `passOn` moves it
 * from the wallet of one person to that of another.
 */
export type TokenOperationKind = 'mintToIssuer' | 'mintTo' | 'transferTo' | 'passOn'

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
  /** Who has to have the token, and until when they agree to the act; required if they have to (`needsConsent`). */
  consent?: { from: string; until: Date }
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

/** What happens to the points of an account: one entry of its ledger, which adds points or takes them away. */
export type PointsOperationKind = 'postPoints'

/** One entry of an account's points, unique by `id`. It is written in the database transaction of the entry. */
export interface NewPointsOperation {
  /** Permanently unique id, `0x` and 64 small hex digits. The contract counts each id once. */
  id: string
  organization: string
  application: string
  network: Network
  kind: PointsOperationKind
  /** Address of the account's wallet. */
  account: string
  /** Points that are added; below zero: taken away. At least 1 and less than 10^18 either way. */
  amount: bigint
  job: string
}

/**
 * The outcome of an entry of points. `final`: it has enough confirmations. `failed`: it will never happen. `undone`: a
 * reorganization took a final entry away; a later outcome says what becomes of it.
 */
export interface PointsOutcome {
  id: string
  kind: PointsOperationKind
  organization: string
  application: string
  network: Network
  job: string
  status: 'final' | 'failed' | 'undone'
  /** Why the operation failed, in English, without upstream text. */
  reason: string | null
  contract: string | null
  transactionHash: string | null
  /** Time of the block. */
  at: Date | null
}

/**
 * Handles outcomes of points in the transaction that records them, at most 500 of one application per call. After a
 * reorganization a final entry is first `undone`, in the transaction that rewinds it.
 */
export type PointsOutcomeHandler = (trx: Knex.Transaction, outcomes: readonly PointsOutcome[]) => Promise<void>

/** How far a stored operation is on its way to the chain. */
export type ChainOperationState = 'queued' | 'signed' | 'submitted' | 'included' | 'final' | 'failed'

/** The handlers of the outcomes of token operations, of records and of points. */
export interface OutcomeHandlers {
  tokens: TokenOutcomeHandler
  records: RecordOutcomeHandler
  points: PointsOutcomeHandler
}

/**
 * A deployed contract of an application. Of passports an application has one per network, and a further one when that
 * is full; of points it has one per network.
 */
export interface DeployedContract {
  kind: 'passports' | 'points'
  application: string
  network: Network
  address: string
  /** The address that passports are minted to; null for points, and if the contract is older than the record of it. */
  issuer: string | null
  name: string
  symbol: string
}

/** The port to chains. Features know nothing else of a chain. */
export interface Chains {
  /** Returns whether this installation can send on the network. */
  canSend(network: Network): boolean
  /** Returns whether operations of a kind can be queued on a network, whether or not they can be sent at present. */
  performs(network: Network, kind: TokenOperationKind | ChainRecordKind | PointsOperationKind): boolean
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
   * Erases the key of an account's wallet for ever; what is queued for its address still arrives. May be repeated. Calls
   * the signer, so it must never be called inside a database transaction.
   * @throws SignerUnreachableError if the signer does not answer
   */
  eraseWallet(network: Network, wallet: string): Promise<void>
  /**
   * Queues operations in the caller's transaction. Operations whose id already exists are skipped.
   * @param collection name of the token collection, used when the collection's contract is deployed
   */
  queueOperations(trx: Knex, collection: string, operations: readonly NewTokenOperation[]): Promise<void>
  /** Queues records in the caller's transaction. Records whose id already exists are skipped. */
  queueRecords(trx: Knex, records: readonly NewChainRecord[]): Promise<void>
  /**
   * Queues entries of points in the caller's transaction. Entries whose id already exists are skipped.
   * @param collection name of the application's points, used when their contract is deployed
   */
  queuePoints(trx: Knex, collection: string, operations: readonly NewPointsOperation[]): Promise<void>
  /** Wakes the sender of the network. To be called after the commit; never throws. */
  wakeSender(network: Network): void
  /** Lists the deployed contracts of applications, for `dppSettings.tokens` and `loyaltySettings.tokens`. */
  listDeployedContracts(db: Knex, applications: readonly string[]): Promise<DeployedContract[]>
  /** Reads how far operations are, by their ids. Ids that are not there are left out. */
  readOperationStates(
    db: Knex,
    ids: readonly string[],
  ): Promise<Map<string, { state: ChainOperationState; transactionHash: string | null }>>
  /**
   * Reads from the chain the points of accounts, by address; below zero is what an account owes. Calls a node, so it
   * must never be called inside a database transaction.
   * @throws NodeUnavailableError
   */
  readPoints(db: Knex, network: Network, application: string, accounts: readonly string[]): Promise<Map<string, bigint>>
  /**
   * Reads from the chain when a Merkle root was anchored; null if it is not there. Calls a node, so it must never be called
   * inside a database transaction.
   * @throws NodeUnavailableError
   */
  readAnchorTime(db: Knex, network: Network, root: string): Promise<Date | null>
}
