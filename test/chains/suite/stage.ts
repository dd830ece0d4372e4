import type { Capabilities, Network } from '../../../core/chains/networks.ts'
import type { SenderRig } from '../../support/chains/sender-rig.ts'

/** A network of one family on which the suite runs: a rig, and what only this family's chain can be asked or told. */
export interface FamilyStage {
  rig: SenderRig
  network: Network
  capabilities: Capabilities
  /** An address in the form of the family that cannot receive tokens. */
  invalidAddress: string
  /** Returns the address of a wallet that can receive tokens. */
  openWallet(name: string): Promise<string>
  /** Counts how often each token was minted, by token id. */
  countMints(): Promise<ReadonlyMap<string, number>>
  /** Counts how often each root was anchored, by root. */
  countAnchors(): Promise<ReadonlyMap<string, number>>
  /** Counts how often each entry of points counted, by operation. Only where points are performed. */
  countPosted?(): Promise<ReadonlyMap<string, number>>
  /** Loses the answers to the next transactions; the chain still takes them. */
  loseAnswers(times: number): void
  /** Takes back everything that happens from now on, when the returned function is called. Only where blocks change. */
  startDetour?(): Promise<() => Promise<void>>
  /** Makes the chain take nothing until what was sent has expired. Only where transactions expire. */
  expireTransactions?(): Promise<void>
  stop(): Promise<void>
}
