/** Milliseconds that quick runs take in the middle. */
const quick = 5
/** Jobs that are taken for each place, where runs are quick. */
const ahead = 8
/** How much of the mean each run is. */
const weight = 0.1

/**
 * How many jobs to take from the table at once. One a place, so that no job waits here while another worker is free;
 * more where runs are so quick that asking for the next ones would take longer than doing them.
 */
export class Pace {
  readonly #places: number
  #mean: number | null = null

  constructor(places: number) {
    this.#places = places
  }

  /** A run took so many milliseconds. */
  note(milliseconds: number): void {
    this.#mean = this.#mean === null ? milliseconds : this.#mean + weight * (milliseconds - this.#mean)
  }

  /** @param room places that are free */
  wanted(room: number): number {
    return room === this.#places && this.#mean !== null && this.#mean < quick ? room * ahead : room
  }
}
