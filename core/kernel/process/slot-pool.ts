/** Maximum number of slots that one organization may use at the same time in one process. */
export const maxSlotsPerOrganization = 4

/** Something that waits for a slot, with its number in the order of arrival. */
interface SlotWaiter {
  order: number
  resume(): void
}

/**
 * The slots for jobs in this process. The number of slots is limited, and each organization may use only a few of them,
 * so that a job of another organization finds a slot. Waiters are served in order of arrival, except those whose
 * organization already uses its maximum.
 */
export class SlotPool {
  readonly #getMaxSlots: () => number
  #free: number
  readonly #usedByOwner = new Map<string, number>()
  /** The waiters of each organization in order of arrival. */
  readonly #waitersByOwner = new Map<string, Set<SlotWaiter>>()
  #arrivalCount = 0
  #freeListeners: (() => void)[] = []

  /** @param getMaxSlots returns how many slots one organization may use now */
  constructor(slotCount: number, getMaxSlots = () => maxSlotsPerOrganization) {
    this.#free = slotCount
    this.#getMaxSlots = getMaxSlots
  }

  get freeCount(): number {
    return this.#free
  }

  /** Takes a slot for the organization if one is free now. @returns whether a slot was taken */
  tryAcquire(organization: string): boolean {
    if (!this.#hasFreeSlot(organization)) return false
    this.#free--
    this.#usedByOwner.set(organization, (this.#usedByOwner.get(organization) ?? 0) + 1)
    return true
  }

  /** Waits for a slot for the organization. @returns whether a slot was taken before the timeout */
  async acquire(organization: string, timeoutMs?: number): Promise<boolean> {
    if (this.tryAcquire(organization)) return true
    return await new Promise<boolean>((resolve) => {
      const waiter = {
        order: this.#arrivalCount++,
        resume: () => {
          clearTimeout(timer)
          resolve(true)
        },
      }
      const giveUp = () => {
        this.#removeWaiter(organization, waiter)
        resolve(false)
      }
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs)
      const waiters = this.#waitersByOwner.get(organization) ?? new Set()
      this.#waitersByOwner.set(organization, waiters.add(waiter))
    })
  }

  release(organization: string): void {
    const running = (this.#usedByOwner.get(organization) ?? 0) - 1
    if (running > 0) this.#usedByOwner.set(organization, running)
    else this.#usedByOwner.delete(organization)
    this.#free++
    this.#resumeWaiters()
  }

  /** Waits until a slot is free that no waiter takes. Does not take the slot itself. */
  async waitForFreeSlot(): Promise<void> {
    if (this.#free > 0) return
    await new Promise<void>((onFree) => this.#freeListeners.push(onFree))
  }

  #hasFreeSlot(organization: string): boolean {
    return this.#free > 0 && (this.#usedByOwner.get(organization) ?? 0) < this.#getMaxSlots()
  }

  #removeWaiter(organization: string, waiting: SlotWaiter): void {
    const line = this.#waitersByOwner.get(organization)
    line?.delete(waiting)
    if (line?.size === 0) this.#waitersByOwner.delete(organization)
  }

  #resumeWaiters(): void {
    for (let next = this.#findNextWaiter(); next !== undefined; next = this.#findNextWaiter()) {
      const [organization, waiting] = next
      this.#removeWaiter(organization, waiting)
      this.tryAcquire(organization)
      waiting.resume()
    }
    if (this.#free === 0) return
    for (const heard of this.#freeListeners.splice(0)) heard()
  }

  /** Finds the waiter that has waited longest among the organizations that may take a slot now. */
  #findNextWaiter(): [organization: string, waiting: SlotWaiter] | undefined {
    let nextWaiter: [string, SlotWaiter] | undefined
    for (const [organization, line] of this.#waitersByOwner) {
      const [first] = line
      if (first && (!nextWaiter || first.order < nextWaiter[1].order) && this.#hasFreeSlot(organization))
        nextWaiter = [organization, first]
    }
    return nextWaiter
  }
}
