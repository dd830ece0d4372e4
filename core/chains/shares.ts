/** An organization, or null for what belongs to several. */
export type Sharer = string | null

/**
 * Whose piece of work comes next: that of the organization which has had the least time. One that was idle begins where
 * the others are, so nothing is saved up.
 * Source: Goyal, Vin, Cheng, Start-time Fair Queueing, SIGCOMM 1996.
 */
export class Shares {
  #now = 0
  readonly #ends = new Map<Sharer, number>()

  /** Takes the next piece out of the list; of one organization's, and of organizations that are even, the first. */
  takeNext<T>(pieces: T[], sharerOf: (piece: T) => Sharer): T | undefined {
    let next = 0
    for (const [place, piece] of pieces.entries()) {
      if (this.#beginOf(sharerOf(piece)) < this.#beginOf(sharerOf(pieces[next] as T))) next = place
    }
    return pieces.splice(next, 1)[0]
  }

  /** Its piece took so many milliseconds. */
  count(sharer: Sharer, milliseconds: number): void {
    this.#now = this.#beginOf(sharer)
    this.#ends.set(sharer, this.#now + milliseconds)
    for (const [each, end] of this.#ends) if (end <= this.#now) this.#ends.delete(each)
  }

  #beginOf(sharer: Sharer): number {
    return Math.max(this.#now, this.#ends.get(sharer) ?? 0)
  }
}
