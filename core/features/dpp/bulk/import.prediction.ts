import type { StoreResult } from '../../../kernel/ports/record-sink.ts'
import type { PreparedRow } from './import.types.ts'

/** The maximum number of slices in a row, all of them new, that a prediction has to wait for. */
const maxNeeded = 64

/**
 * A predictor of slices that have only new passports: it expects one after several such slices in a row. Each wrong
 * prediction costs the work of the transaction's slices, so it doubles how many such slices are needed, to at least the
 * slices of a transaction; the transaction is repeated without a prediction.
 */
export class InsertOnlyPredictor {
  readonly #slicesPerTransaction: number
  #clean = 0
  #needed = 1

  constructor(slicesPerTransaction: number) {
    this.#slicesPerTransaction = slicesPerTransaction
  }

  get insertOnly(): boolean {
    return this.#clean >= this.#needed
  }

  recordResult({ created }: StoreResult, rows: readonly PreparedRow[]): void {
    const good = rows.filter(({ body }) => body !== null).length
    this.#clean = created < good ? 0 : this.#clean + 1
  }

  recordFailure(): void {
    this.#needed = Math.min(Math.max(2 * this.#needed, this.#slicesPerTransaction), maxNeeded)
    this.#clean = 0
  }
}
