/** Places of one organization at once, in one process. */
export const maxRunning = 4

/** Who waits, and how many came before. */
interface Waiting { order: number; begin(): void }

/**
 * Where jobs run in this process: so many at once, of which one organization has a few, so that the others find a place
 * whenever one of their jobs comes. Who waits is served in order, but for those whose organization has its few.
 */
export class Places {
  readonly #maxRunning: () => number
  #free: number
  readonly #running = new Map<string, number>()
  /** Those of each organization, in the order in which they came. */
  readonly #waiting = new Map<string, Set<Waiting>>()
  #came = 0
  #listeners: (() => void)[] = []

  /** @param running how many places one organization may have now */
  constructor(count: number, running = () => maxRunning) {
    this.#free = count
    this.#maxRunning = running
  }

  get free(): number {
    return this.#free
  }

  /** Takes a place of that organization where there is one now. @returns whether there was */
  enterNow(organization: string): boolean {
    if (!this.#isOpen(organization)) return false
    this.#free--
    this.#running.set(organization, (this.#running.get(organization) ?? 0) + 1)
    return true
  }

  /** Waits for a place of that organization. @returns whether there was one within the time */
  async enter(organization: string, timeoutMs?: number): Promise<boolean> {
    if (this.enterNow(organization)) return true
    return await new Promise<boolean>((resolve) => {
      const waiting = { order: this.#came++, begin: () => { clearTimeout(timer); resolve(true) } }
      const giveUp = () => {
        this.#forget(organization, waiting)
        resolve(false)
      }
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs)
      const line = this.#waiting.get(organization) ?? new Set()
      this.#waiting.set(organization, line.add(waiting))
    })
  }

  leave(organization: string): void {
    const running = (this.#running.get(organization) ?? 0) - 1
    if (running > 0) this.#running.set(organization, running)
    else this.#running.delete(organization)
    this.#free++
    this.#admit()
  }

  /** Waits until one is free that nobody waits for, without taking it. */
  async vacancy(): Promise<void> {
    if (this.#free > 0) return
    await new Promise<void>((heard) => this.#listeners.push(heard))
  }

  #isOpen(organization: string): boolean {
    return this.#free > 0 && (this.#running.get(organization) ?? 0) < this.#maxRunning()
  }

  #forget(organization: string, waiting: Waiting): void {
    const line = this.#waiting.get(organization)
    line?.delete(waiting)
    if (line?.size === 0) this.#waiting.delete(organization)
  }

  #admit(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [organization, waiting] = next
      this.#forget(organization, waiting)
      this.enterNow(organization)
      waiting.begin()
    }
    if (this.#free === 0) return
    for (const heard of this.#listeners.splice(0)) heard()
  }

  /** Whose turn it is: of the organizations that may have a place now, the one of which somebody has waited longest. */
  #next(): [organization: string, waiting: Waiting] | undefined {
    let found: [string, Waiting] | undefined
    for (const [organization, line] of this.#waiting) {
      const [first] = line
      if (first && (!found || first.order < found[1].order) && this.#isOpen(organization)) found = [organization, first]
    }
    return found
  }
}
