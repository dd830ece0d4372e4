import type { Network } from './networks.ts'
import type { Signer } from './signer/client.ts'

/** Contracts that a network has one of, whatever the application. */
export type SharedContract = 'anchors' | 'keys'

/** A contract to deploy: a collection of passports, or one of those that a network has one of. */
export type NewContract =
  | { kind: 'passports'; application: string; name: string; symbol: string; baseUri: string; issuer: string }
  | { kind: SharedContract }

/** One entry in a contract that all organizations of a network share, or several roots. Keys and roots: 32 bytes, hex. */
export type RecordUnit =
  | { kind: 'anchor'; contract: string; roots: readonly string[] }
  | { kind: 'registerKey'; contract: string; organization: string; key: string }
  | { kind: 'rotateKey'; contract: string; organization: string; key: string; previous: string }
  | { kind: 'revokeKey'; contract: string; organization: string; key: string; compromisedAt: Date | null }

/** What one transaction does. Token ids are `0x` + 64 hex digits; those of a batch are in order of value. */
export type Unit =
  | { kind: 'deploy'; contract: NewContract }
  | RecordUnit
  | { kind: 'mintBatch'; contract: string; issuer: string; tokenIds: readonly string[] }
  | { kind: 'mint'; contract: string; to: string; tokenId: string }
  | { kind: 'transfer'; contract: string; to: string; tokenId: string; batch: number; index: number }
  | { kind: 'fill' }

/** A block, named by number and hash. */
export interface Block { number: number; hash: string }

/** What became of a transaction. Without a block the chain shows its effect and keeps no record of it. */
export interface Outcome {
  hash: string
  succeeded: boolean
  block: Block | null
  /** Time of the block. */
  at: Date | null
  /** Address of the contract that it deployed. */
  contract: string | null
  /** Number of the batch that it minted. */
  batch: number | null
  /** Owner from whom it moved a token. */
  from: string | null
  /** Roots that it was the first to anchor. */
  roots: readonly string[]
}

/** Where a root was anchored first. `hash`: of the transaction; null where the chain keeps no record of it. */
export interface Anchoring { hash: string | null; blockNumber: number; at: Date }

/** What the chain says of a mined transaction. */
export type Receipt = Outcome & { block: Block; at: Date }

/** The chain at one moment, as far as a sender needs it. */
export interface View {
  head: Block
  /** Transactions of the sender that are in the chain: the next nonce to be mined. */
  count: number
  /** By transaction hash, of those asked for that are mined. */
  receipts: ReadonlyMap<string, Receipt>
}

/** A simulated unit, ready to be given a nonce and signed. */
export interface Prepared { unit: Unit; gas: bigint }

/** A signed transaction. `hash` is known before it is sent. */
export interface Signed { hash: string; raw: Uint8Array }

/**
 * Why a contract refused. `temporary`: it may do the same later, as when a pause ends. `full`: it takes no more batches.
 * The text is fit for people.
 */
export interface Reason { text: string; temporary: boolean; full: boolean }

/** The chain will not do it: the simulation reverted. The message is fit for people, without an upstream's text. */
export class Reverted extends Error {
  override name = 'Reverted'
}

/** The contract will not do it at present, as while it is paused; other contracts may. The message is fit for people. */
export class NotNow extends Error {
  override name = 'NotNow'
}

/** The contract has all the batches that it takes; a further one of the application takes this. */
export class ContractFull extends Error {
  override name = 'ContractFull'
}

/** The node answers, and does not take these bytes. The message has its text. */
export class Refused extends Error {
  override name = 'Refused'
}

/** The node is away, too slow, or not in a state to work with. Nothing is wrong with the operation. */
export class NodeUnavailable extends Error {
  override name = 'NodeUnavailable'
}

/** `known` also stands for a nonce that is used: receipts tell by what. `cheap`: the node wants a higher fee. */
export type Reception = 'taken' | 'known' | 'cheap'

/** One sending address on one network. Every method may throw NodeUnavailable. */
export interface Family {
  /** Most tokens of one batch. */
  readonly batchLimit: number
  /** Most batches of one contract. */
  readonly maxBatches: number
  /** Most roots of one transaction. */
  readonly rootLimit: number
  /**
   * Refuses a node of another chain, sees to it that a development sender can pay.
   * @returns hash of the first block, null where the node does not keep it
   */
  open(): Promise<string | null>
  view(hashes: readonly string[]): Promise<View>
  /** Whether the node knows these blocks as part of its chain. */
  knows(blocks: readonly Block[]): Promise<boolean[]>
  /** Where a contract lies that the sender deploys with this nonce. */
  contractAt(nonce: number): Promise<string>
  /** Whether a contract is there. */
  deployed(contract: string): Promise<boolean>
  /** Simulates. @throws Reverted, NotNow, ContractFull */
  prepare(unit: Unit): Promise<Prepared>
  sign(attempt: string, prepared: Prepared, nonce: number): Promise<Signed>
  /** Whether a transaction pays less than a block asks now. */
  underpays(raw: Uint8Array): Promise<boolean>
  /** The same transaction at a fee that is at least 12.5 % higher; null when it pays far more than the chain asks. */
  raise(attempt: string, raw: Uint8Array, application: string | null): Promise<Signed | null>
  /** @throws Refused */
  send(raw: Uint8Array): Promise<Reception>
  /** Why a mined transaction reverted. */
  reason(raw: Uint8Array, block: Block): Promise<Reason>
  /** Owners of tokens as the chain has them now; null: no such token. */
  owners(contract: string, tokenIds: readonly string[]): Promise<(string | null)[]>
  /** Where a batch-minted token is, and who had it first. */
  placeOf(contract: string, tokenId: string): Promise<{ batch: number; issuer: string }>
  /** The first anchoring of a root; null: it is not anchored. */
  anchoringOf(contract: string, root: string): Promise<Anchoring | null>
}

export interface FamilyOptions {
  network: Network
  rpcUrl: string
  account: string
  address: string
  /** Who owns what is deployed. */
  owner: string | null
  signer: Signer
}
