/** The limits and delays of a sender. Times are in milliseconds. */
export interface SenderPacing {
  /** Maximum number of transactions that are in no block yet; nodes keep only a few of one sender. */
  maxUnminedTransactions: number
  /** How long an incomplete batch waits for more operations. */
  batchDelayMs: number
  /** Time after a send until the stored bytes are sent again. */
  resendDelayMs: number
  /** Time after the first send until a transaction that blocks leave out is replaced by one that they prefer. */
  replaceDelayMs: number
  /** How long a transaction whose place is used may lack a receipt. */
  lostPlaceDelayMs: number
  /** How often the node may refuse a transaction before it is given up. */
  maxRefusals: number
  /** Maximum time that a contract is left alone while it takes nothing, for example while it is paused. */
  maxHoldMs: number
  /** How often an idle sender checks whether its node still has the same chain. */
  idleIntervalMs: number
}

export const defaultPacing: SenderPacing = {
  maxUnminedTransactions: 16,
  batchDelayMs: 100,
  resendDelayMs: 5_000,
  replaceDelayMs: 30_000,
  lostPlaceDelayMs: 3_000,
  maxRefusals: 2,
  maxHoldMs: 16_000,
  idleIntervalMs: 5_000,
}
