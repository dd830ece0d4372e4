/** A number of places. Who waits is served in order. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Takes up to `most` places that are free now. @returns how many */
  takeFree(most = Infinity): number {
    const taken = Math.min(this.#free, most)
    this.#free -= taken
    return taken
  }

  /** Waits for one place. */
  async take(): Promise<void> {
    if (this.takeFree(1) === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  give(count = 1): void {
    for (let left = count; left > 0; left--) {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
