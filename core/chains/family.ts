import type { Network } from './networks.ts'
import type { Sequence, SenderView } from './sequence.ts'
import type { Signer } from './signer/client.ts'

/** The contracts that exist once per network and serve all applications. */
export type SharedContract = 'anchors' | 'keys' | 'handovers'

/** A contract to deploy: the passport collection or the points of one application, or a shared contract of a network. */
export type NewContract =
  | { kind: 'passports'; application: string; name: string; symbol: string; baseUri: string; issuer: string }
  | { kind: 'points'; application: string; name: string; symbol: string }
  | { kind: SharedContract }

/**
 * An entry in a contract that all organizations share. An anchor act has one or more roots. Keys, roots: 32 bytes, hex.
 * `compromisedAt`: seconds since 1970; null means from the beginning.
 */
export type ChainRecordAct =
  | { kind: 'anchor'; contract: string; roots: readonly string[] }
  | { kind: 'registerKey'; contract: string; organization: string; key: string }
  | { kind: 'rotateKey'; contract: string; organization: string; key: string; previous: string }
  | { kind: 'revokeKey'; contract: string; organization: string; key: string; compromisedAt: number | null }

/**
 * Moves a token from one wallet to another with the signature of the first, which runs the code of `handovers`.
 * `operation`: the word that is done at most once. `until`: seconds since 1970.
 */
export interface PassOnAct {
  kind: 'passOn'
  contract: string
  handovers: string
  from: string
  to: string
  tokenId: string
  operation: string
  until: number
}

/**
 * What one transaction does, from the plan to the signer: every member is JSON. A token id is `0x` and 64 hex digits;
 * the token ids of a batch are in ascending order. Of an act of points, the operations, accounts and amounts (signed decimal
 * digits) with one index belong together.
 */
export type ChainAct =
  | { kind: 'deploy'; contract: NewContract }
  | ChainRecordAct
  | { kind: 'mintBatch'; contract: string; issuer: string; tokenIds: readonly string[] }
  | { kind: 'mint'; contract: string; to: string; tokenId: string }
  | { kind: 'transfer'; contract: string; to: string; tokenId: string; batch: number; index: number }
  | PassOnAct
  | {
      kind: 'postPoints'
      contract: string
      operations: readonly string[]
      accounts: readonly string[]
      amounts: readonly string[]
    }
  | { kind: 'fill' }

/** A block, identified by its number and hash. */
export interface Block {
  number: number
  hash: string
}

/**
 * The result of a transaction. `block` is null if the chain shows the transaction's effect but keeps no record of it.
 */
export interface TransactionOutcome {
  hash: string
  succeeded: boolean
  block: Block | null
  /** Time of the block. */
  at: Date | null
  /** Address of the contract that the transaction deployed. */
  contract: string | null
  /** Number of the batch that the transaction minted. */
  batch: number | null
  /** Previous owner of the token that the transaction moved. */
  from: string | null
  /** Roots that this transaction was the first to anchor. */
  roots: readonly string[]
}

/**
 * The first anchoring of a root. `hash` is the transaction hash; it is null if the chain keeps no record of the
 * transaction.
 */
export interface AnchorRecord {
  hash: string | null
  blockNumber: number
  at: Date
}

/** The chain's record of a mined transaction. */
export type Receipt = TransactionOutcome & { block: Block; at: Date }

/** The part of the chain's state that a sender needs, at one moment. What only its family needs, the adapter keeps. */
export interface ChainSnapshot {
  head: Block
  /** Receipts of the requested transactions that are mined, by transaction hash. */
  receipts: ReadonlyMap<string, Receipt>
}

/** A simulated act, ready to be given a place in the order of the sender's transactions and signed. */
export interface PreparedAct {
  act: ChainAct
  /**
   * Signs the transaction. Bytes that were not stored are never sent.
   * @param attempt id of the attempt; the same id never gets other bytes
   * @throws ActRefusedError, NodeUnavailableError
   */
  sign(attempt: string, place: number): Promise<SignedTransaction>
}

/** A signed transaction. Its `hash` is known before the transaction is sent. */
export interface SignedTransaction {
  hash: string
  raw: Uint8Array
}

/**
 * Why a contract refused a call. `temporary`: the same call may succeed later, for example after a pause ends. `full`:
 * the contract takes no more batches. `text` may be shown to users.
 */
export interface RevertReason {
  text: string
  temporary: boolean
  full: boolean
}

/** Thrown when the simulation of an act reverted. The message may be shown to users and contains no upstream text. */
export class RevertedError extends Error {
  override name = 'RevertedError'
}

/**
 * Thrown when a contract takes no calls at present, for example while it is paused; other contracts may take them. The
 * message may be shown to users.
 */
export class ContractUnavailableError extends Error {
  override name = 'ContractUnavailableError'
}

/** Thrown when a contract has its maximum number of batches; a further contract of the application takes the batch. */
export class ContractFullError extends Error {
  override name = 'ContractFullError'
}

/** Thrown when the signer does not sign an act. The message may be shown to users. */
export class ActRefusedError extends Error {
  override name = 'ActRefusedError'
  /**
   * Place for which the same act was signed before, if that is the reason; that place has to be used up first. Null:
   * the place is another wallet's. Undefined: there is another reason.
   */
  readonly signedPlace: number | null | undefined
  constructor(cause: Error, signedPlace: number | null | undefined) {
    super('The signer does not sign the operation.', { cause })
    this.signedPlace = signedPlace
  }
}

/** Thrown when the node answers but does not accept the signed bytes. The message contains the node's text. */
export class TransactionRefusedError extends Error {
  override name = 'TransactionRefusedError'
}

/** Thrown when the node is unreachable, too slow or not in a usable state. Nothing is wrong with the operation. */
export class NodeUnavailableError extends Error {
  override name = 'NodeUnavailableError'
}

/**
 * The node's answer to a transaction. `known`: the node has the transaction, or its place is used already; receipts
 * show which transaction used it. `outdated`: the node takes the content only in a newer attempt.
 */
export type SendResult = 'taken' | 'known' | 'outdated'

/** A transaction that has no receipt. */
export interface UnconfirmedTransaction {
  kind: string
  contract: string | null
  hash: string
  /** One of its tokens; null if it has none. */
  tokenId: string | null
  /** Who gets that token; null if the transaction names nobody. */
  recipient: string | null
}

/** Access to one network for one sending address. Every method may throw NodeUnavailableError. */
export interface ChainAdapter {
  /** Opens the order of the sender's transactions for one session. */
  openSequence(sender: SenderView): Sequence
  /** Returns the address of a wallet of this family, which the signer creates at first use. */
  ensureWallet(wallet: string): Promise<string>
  /**
   * Throws if the node belongs to another chain, and makes sure that a development sender can pay.
   * @returns hash of the first block; null if the node does not keep that block
   */
  checkNode(): Promise<string | null>
  readSnapshot(hashes: readonly string[]): Promise<ChainSnapshot>
  /** Checks whether each block is part of the node's chain. */
  hasBlocks(blocks: readonly Block[]): Promise<boolean[]>
  /**
   * Computes the address of a contract. @param place place of the transaction that deploys it; null for a contract that
   * is there without one
   */
  computeContractAddress(contract: NewContract, place: number | null): Promise<string>
  /** Simulates an act. @throws RevertedError, ContractUnavailableError, ContractFullError */
  prepareAct(act: ChainAct): Promise<PreparedAct>
  /** @throws TransactionRefusedError */
  sendTransaction(raw: Uint8Array): Promise<SendResult>
  /** Reads why a mined transaction reverted. */
  readRevertReason(raw: Uint8Array, block: Block): Promise<RevertReason>
  /** Finds the current owners of tokens on the chain. @returns null for a token that does not exist */
  findOwners(contract: string, tokenIds: readonly string[]): Promise<(string | null)[]>
  /** Finds out from the chain's state whether a transaction without a receipt took effect. @returns null if it did not */
  findEffect(transaction: UnconfirmedTransaction): Promise<TransactionOutcome | null>
  /** Finds the first anchoring of a root. @returns null if the root is not anchored */
  findAnchorRecord(contract: string, root: string): Promise<AnchorRecord | null>
}

export interface ChainAdapterOptions {
  network: Network
  rpcUrl: string
  account: string
  address: string
  /** Owner of the contracts that are deployed. */
  owner: string | null
  signer: Signer
}
