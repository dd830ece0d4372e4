import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { advanceNextPlace, listFreePlaces, readNextPlace } from '../places.ts'
import type { InFlightTransaction, Repair, SenderView, Sequence } from '../sequence.ts'
import { SignerRefusedError } from '../signer/client.ts'
import type { SignedTransaction } from '../family.ts'
import type { SenderAccess } from './rpc/access.ts'

/** Number of blocks that must leave a transaction out before its fee is considered too low. */
const minBlocksPassed = 2

/** Since when a transaction's nonce has been used without a receipt, in milliseconds, and the head at that time. */
interface NonceUse {
  sinceMs: number
  head: number
}

/** The modules that sign. They load the chain's SDK, which an idle sender does without. */
const loadSend = () => import('./send.ts')

/**
 * The order of the transactions of an EVM account: the place of a transaction is its nonce. Nonces are used without a
 * gap, so a nonce that has no transaction, or one that the node refuses, gets an empty transaction. A transaction that
 * blocks leave out is replaced at a higher fee.
 */
export class NonceSequence implements Sequence {
  readonly #access: SenderAccess
  readonly #sender: SenderView
  readonly #nonceUses = new Map<string, NonceUse>()
  #nextNonce = 0

  constructor(access: SenderAccess, sender: SenderView) {
    this.#access = access
    this.#sender = sender
  }

  async resume(): Promise<void> {
    const stored = await readNextPlace(this.#sender.db, this.#sender)
    this.#nextNonce = Math.max(stored, this.#access.transactionCount)
    if (this.#nextNonce !== stored) await advanceNextPlace(this.#sender.db, this.#sender, stored, this.#nextNonce)
  }

  /** The limits of the sender are enough. */
  getCapacity(): number {
    return Infinity
  }

  listNextPlaces(count: number): number[] {
    return Array.from({ length: count }, (_, index) => this.#nextNonce + index)
  }

  async takePlaces(trx: Knex, last: number): Promise<void> {
    await advanceNextPlace(trx, this.#sender, this.#nextNonce, last + 1)
    this.#nextNonce = last + 1
  }

  async skipPlaces(last: number): Promise<boolean> {
    if (last < this.#nextNonce) return false
    await this.takePlaces(this.#sender.db, last)
    return true
  }

  /**
   * Decides what happens: transactions that were not sent, or that the node may have dropped, are sent. Those that blocks
   * leave out are replaced. Those that the node refuses give their nonce to an empty transaction. Those whose nonce
   * something else used are given up.
   */
  async *reviewFlights(hasReceipt: (flight: InFlightTransaction) => boolean): AsyncGenerator<Repair> {
    const { flights, pacing, confirmations, head } = this.#sender
    const now = performance.now()
    const unsent: InFlightTransaction[] = []
    const unconfirmed = flights.filter((one) => this.#isInReach(one) && !hasReceipt(one))
    this.#forgetNonceUses(unconfirmed)
    for (const flight of unconfirmed) {
      const { sent, refused } = flight
      if (flight.place < this.#access.transactionCount) {
        const use = this.#nonceUses.get(flight.id) ?? { sinceMs: now, head }
        this.#nonceUses.set(flight.id, use)
        if (now - use.sinceMs < pacing.lostPlaceDelayMs || head - use.head < confirmations - 1) continue
        yield { kind: 'giveUp', flight }
        continue
      }
      this.#nonceUses.delete(flight.id)
      if (refused && refused.times >= pacing.maxRefusals) yield await this.#createEmptyAttempt(flight)
      else if (now - Math.max(sent?.last ?? -Infinity, refused?.last ?? -Infinity) > pacing.resendDelayMs)
        unsent.push(flight)
      else if (sent && now - sent.first > pacing.replaceDelayMs && (await this.#isPassedBy(flight, sent.head)))
        yield* this.#createRaisedAttempt(flight)
    }
    // The gap is filled before the others are sent again, because some nodes take nothing above a gap.
    yield* this.#fillGap()
    if (unsent.length > 0) yield { kind: 'send', flights: unsent }
  }

  async renewAttempt(flight: InFlightTransaction): Promise<SignedTransaction | null> {
    const { log } = this.#sender
    const newest = flight.attempts.at(-1)
    if (!newest) return null
    const { signRaisedTransaction } = await loadSend()
    try {
      return await signRaisedTransaction(this.#access, randomUUID(), newest.raw, flight.application)
    } catch (cause) {
      if (!(cause instanceof SignerRefusedError)) throw cause
      log.error({ err: cause, transaction: flight.id }, 'the signer does not replace a transaction: it stays as it is')
      return null
    }
  }

  #isInReach({ block, place }: InFlightTransaction): boolean {
    return block === null && place < this.#access.transactionCount + this.#sender.pacing.maxUnminedTransactions
  }

  /** Forgets the transactions that have got a receipt or were given up. */
  #forgetNonceUses(unconfirmed: readonly InFlightTransaction[]): void {
    const ids = new Set(unconfirmed.map(({ id }) => id))
    for (const id of this.#nonceUses.keys()) if (!ids.has(id)) this.#nonceUses.delete(id)
  }

  async #isPassedBy({ attempts }: InFlightTransaction, sinceBlock: number): Promise<boolean> {
    if (this.#sender.head - sinceBlock >= minBlocksPassed) return true
    const newest = attempts.at(-1)
    return newest !== undefined && (await loadSend()).isBelowMinFee(this.#access, newest.raw)
  }

  async #createEmptyAttempt(flight: InFlightTransaction): Promise<Repair> {
    const { signFiller } = await loadSend()
    const signed = await signFiller(this.#access, randomUUID(), flight.place)
    return { kind: 'retry', flight, attempt: { ...signed, empty: true } }
  }

  async *#createRaisedAttempt(flight: InFlightTransaction): AsyncGenerator<Repair> {
    const signed = await this.renewAttempt(flight)
    const empty = flight.attempts.at(-1)?.empty === true
    if (signed) yield { kind: 'retry', flight, attempt: { ...signed, empty } }
  }

  /** Fills nonces that none of our transactions has, because all later ones wait for them. */
  async *#fillGap(): AsyncGenerator<Repair> {
    const { db, flights } = this.#sender
    const { transactionCount } = this.#access
    const lowest = flights[0]?.place ?? this.#nextNonce
    if (transactionCount >= lowest) return
    const missing = await listFreePlaces(db, this.#sender, transactionCount, lowest)
    if (missing.length === 0) return
    const { signFiller } = await loadSend()
    const fillers = await Promise.all(
      missing.map(async (place) => ({ place, signed: await signFiller(this.#access, randomUUID(), place) })),
    )
    yield { kind: 'fill', fillers }
  }
}
