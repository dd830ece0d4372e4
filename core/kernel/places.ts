/** Places of one organization at once, in one process. */
export const maxRunning = 4

interface Waiting { organization: string; begin(): void }

/**
 * Where jobs run in this process: so many at once, of which one organization has a few, so that the others find a place
 * whenever one of their jobs comes. Who waits is served in order, but for those whose organization has its few.
 */
export class Places {
  readonly #maxRunning: () => number
  #free: number
  readonly #running = new Map<string, number>()
  #waiting: Waiting[] = []
  #listeners: (() => void)[] = []

  /** @param running how many places one organization may have now */
  constructor(count: number, running = () => maxRunning) {
    this.#free = count
    this.#maxRunning = running
  }

  get free(): number {
    return this.#free
  }

  /** Waits for a place of that organization. @returns whether there was one within the time */
  async enter(organization: string, timeoutMs?: number): Promise<boolean> {
    if (this.#isOpen(organization)) {
      this.#occupy(organization)
      return true
    }
    return await new Promise<boolean>((resolve) => {
      const waiting = { organization, begin: () => { clearTimeout(timer); resolve(true) } }
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        resolve(false)
      }
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs)
      this.#waiting.push(waiting)
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

  #occupy(organization: string): void {
    this.#free--
    this.#running.set(organization, (this.#running.get(organization) ?? 0) + 1)
  }

  #admit(): void {
    this.#waiting = this.#waiting.filter(({ organization, begin }) => {
      if (!this.#isOpen(organization)) return true
      this.#occupy(organization)
      begin()
      return false
    })
    if (this.#free === 0) return
    for (const heard of this.#listeners.splice(0)) heard()
  }
}
