import type { Knex } from 'knex'
import type { Logger } from 'pino'
import type { Block, SignedTransaction } from './family.ts'
import type { SenderPacing } from './pacing.ts'
import type { SenderAddress } from './places.ts'

/** A signed attempt. An `empty` attempt only uses up its place, because the node does not take the content. */
export type Attempt = SignedTransaction & { empty: boolean }

/** A transaction in flight: one place, one content, one or more signed attempts. */
export interface InFlightTransaction {
  id: string
  /** Place in the order of the sender's transactions. The family gives it; the engine keeps transactions in this order. */
  place: number
  /** Kind of the act. */
  kind: string
  application: string | null
  contract: string | null
  status: 'signed' | 'submitted' | 'included'
  /** One of the jobs that the transaction works for; null for a transaction without operations. */
  job: string | null
  /** Organization of its operations; null if they belong to several organizations, or if there are none. */
  organization: string | null
  /** Attempts, oldest first. Attempts that are not empty have the same effect. */
  attempts: Attempt[]
  block: Block | null
  /**
   * When this process sent the transaction first and last, in milliseconds of `performance.now()`, and the head at the
   * first time; null: not sent yet.
   */
  sent: { first: number; last: number; head: number } | null
  /** How often the node refused the newest attempt, and when it last did, in milliseconds; null: never. */
  refused: { times: number; last: number } | null
  /** Time in milliseconds before which an outcome that could not be handed over is not handed over again. */
  retry: number
}

/** What a sequence sees of the sender that it works for. The members change while the sender works. */
export interface SenderView extends SenderAddress {
  readonly db: Knex
  readonly log: Logger
  readonly pacing: SenderPacing
  /** Number of blocks before a transaction is final, including the transaction's own block. */
  readonly confirmations: number
  /** Number of the newest block at the last poll. */
  readonly head: number
  /** The transactions in flight with the lowest places, in order. */
  readonly flights: readonly InFlightTransaction[]
}

/** What transactions without a receipt need. */
export type Repair =
  /** The newest attempts are sent, for the first time or again. */
  | { kind: 'send'; flights: readonly InFlightTransaction[] }
  /** A further attempt is stored and sent. */
  | { kind: 'retry'; flight: InFlightTransaction; attempt: Attempt }
  /** The transaction cannot get a receipt any more. The chain shows whether it took effect. */
  | { kind: 'giveUp'; flight: InFlightTransaction }
  /** Places that no transaction has get transactions that do nothing. */
  | { kind: 'fill'; fillers: readonly { place: number; signed: SignedTransaction }[] }

/** The order of one sender's transactions, by the rules of its family. A sequence lives as long as a session. */
export interface Sequence {
  /** Continues where the chain and the stored places are. The adapter has read a snapshot before. */
  resume(): Promise<void>
  /** Number of further transactions that the family takes now. */
  getCapacity(): number
  /** Lists the places of the next transactions. */
  listNextPlaces(count: number): readonly number[]
  /** Takes the next places up to `last`, in the transaction that stores what was signed for them. */
  takePlaces(trx: Knex, last: number): Promise<void>
  /** Leaves out the next places up to `last`. @returns false if `last` is not one of the next places */
  skipPlaces(last: number): Promise<boolean>
  /**
   * Decides what transactions without a receipt need. Each repair is done before the next one is decided.
   * @param hasReceipt returns whether a transaction has a receipt, which is recorded when its turn comes
   */
  reviewFlights(hasReceipt: (flight: InFlightTransaction) => boolean): AsyncIterable<Repair>
  /**
   * Signs a further attempt of a transaction, with the same effect, that the node prefers to those before. Receipts of
   * all earlier attempts must have been looked up.
   * @returns null if there is none
   */
  renewAttempt(flight: InFlightTransaction): Promise<SignedTransaction | null>
}
