/** An organization, or null for work that belongs to several organizations. */
export type ShareHolder = string | null

/**
 * A scheduler that takes the next piece of work from the organization that has had the least time. An organization that
 * was idle starts level with the others, so that it saves up no time.
 * Source: Goyal, Vin, Cheng, Start-time Fair Queueing, SIGCOMM 1996.
 */
export class FairShares {
  #now = 0
  readonly #endsByHolder = new Map<ShareHolder, number>()

  /**
   * Takes the next piece out of the list. Of pieces with the same holder, or of holders with equal shares, the first
   * wins.
   */
  takeNext<T>(pieces: T[], getHolder: (piece: T) => ShareHolder): T | undefined {
    let next = 0
    for (const [place, piece] of pieces.entries()) {
      if (this.#getBegin(getHolder(piece)) < this.#getBegin(getHolder(pieces[next] as T))) next = place
    }
    return pieces.splice(next, 1)[0]
  }

  /** Adds the milliseconds that a piece of the holder's work took. */
  addUsage(holder: ShareHolder, elapsedMs: number): void {
    this.#now = this.#getBegin(holder)
    this.#endsByHolder.set(holder, this.#now + elapsedMs)
    for (const [each, end] of this.#endsByHolder) if (end <= this.#now) this.#endsByHolder.delete(each)
  }

  #getBegin(sharer: ShareHolder): number {
    return Math.max(this.#now, this.#endsByHolder.get(sharer) ?? 0)
  }
}
