import type { Knex } from 'knex'
import { advanceNextPlace, readNextPlace } from '../../../../core/chains/places.ts'
import type { InFlightTransaction, Repair, SenderView, Sequence } from '../../../../core/chains/sequence.ts'
import { parseTransaction } from './envelope.ts'

/** What a sender knows of the ledger since the last poll. */
export interface LedgerView {
  /** Sequence number of the sender's last transaction that was applied. */
  accountSequence: number
  /** Time at which the newest ledger was closed, in milliseconds since 1970. */
  closedAt: number
}

const hasExpired = ({ attempts }: InFlightTransaction, closedAt: number) =>
  attempts.every(({ raw }) => parseTransaction(raw).expiresAt < closedAt)

/**
 * The order of the transactions of an account with sequence numbers: the place of a transaction is its number. A
 * transaction that has expired gives its number back, once no later one can follow it any more.
 */
export class NumberSequence implements Sequence {
  readonly #ledger: LedgerView
  readonly #sender: SenderView
  #next = 0

  constructor(ledger: LedgerView, sender: SenderView) {
    this.#ledger = ledger
    this.#sender = sender
  }

  async resume(): Promise<void> {
    this.#next = await readNextPlace(this.#sender.db, this.#sender)
    const last = this.#sender.flights.at(-1)?.place ?? 0
    await this.#continueAt(Math.max(last, this.#ledger.accountSequence) + 1)
  }

  /** Nothing is sent behind a transaction that has expired, because it would wait for that one's number. */
  getCapacity(): number {
    const { flights } = this.#sender
    return flights.some((one) => one.block === null && hasExpired(one, this.#ledger.closedAt)) ? 0 : Infinity
  }

  listNextPlaces(count: number): number[] {
    return Array.from({ length: count }, (_, index) => this.#next + index)
  }

  async takePlaces(trx: Knex, last: number): Promise<void> {
    await advanceNextPlace(trx, this.#sender, this.#next, last + 1)
    this.#next = last + 1
  }

  /** Numbers are used without a gap. */
  skipPlaces(): Promise<boolean> {
    return Promise.resolve(false)
  }

  async *reviewFlights(hasReceipt: (flight: InFlightTransaction) => boolean): AsyncGenerator<Repair> {
    const { flights, pacing } = this.#sender
    const { closedAt } = this.#ledger
    const now = performance.now()
    const unconfirmed = flights.filter((flight) => flight.block === null && !hasReceipt(flight))
    const expired = unconfirmed.filter((flight) => hasExpired(flight, closedAt))
    if (expired.length === 0) {
      const isDue = ({ sent, refused }: InFlightTransaction) =>
        now - Math.max(sent?.last ?? -Infinity, refused?.last ?? -Infinity) > pacing.resendDelayMs
      yield { kind: 'send', flights: unconfirmed.filter(isDue) }
    } else if (expired.length === unconfirmed.length) {
      for (const flight of expired) yield { kind: 'giveUp', flight }
      await this.#continueAt(this.#ledger.accountSequence + 1)
    }
  }

  renewAttempt(): Promise<null> {
    return Promise.resolve(null)
  }

  async #continueAt(next: number): Promise<void> {
    await advanceNextPlace(this.#sender.db, this.#sender, this.#next, next)
    this.#next = next
  }
}
