/** The most bytes of all bodies together, of those without credentials, and of those that come from one network. */
export interface BodyLimits {
  readonly maxBytes: number
  readonly maxAnonymousBytes: number
  readonly maxBytesOfNetwork: number
}

/** The bytes that all bodies share while their requests are open. Made-up credentials do not avoid its limits. */
export class BodyBudget {
  readonly #limits: BodyLimits
  #usedBytes = 0
  #anonymousBytes = 0
  /** The used bytes of each network that uses any. */
  readonly #bytesByNetwork = new Map<string, number>()

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  /** Begins to count a body. */
  open(network: string, isAnonymous: boolean): BodyShare {
    let bytes = 0
    return {
      take: (more) => {
        if (!this.#hasRoom(network, isAnonymous, more)) return false
        bytes += more
        this.#add(network, isAnonymous, more)
        return true
      },
      release: () => {
        this.#add(network, isAnonymous, -bytes)
        bytes = 0
      },
    }
  }

  #hasRoom(network: string, isAnonymous: boolean, more: number): boolean {
    const { maxBytes, maxAnonymousBytes, maxBytesOfNetwork } = this.#limits
    if (this.#usedBytes + more > maxBytes) return false
    if (isAnonymous && this.#anonymousBytes + more > maxAnonymousBytes) return false
    return (this.#bytesByNetwork.get(network) ?? 0) + more <= maxBytesOfNetwork
  }

  #add(network: string, isAnonymous: boolean, more: number): void {
    this.#usedBytes += more
    if (isAnonymous) this.#anonymousBytes += more
    const ofNetwork = (this.#bytesByNetwork.get(network) ?? 0) + more
    if (ofNetwork > 0) this.#bytesByNetwork.set(network, ofNetwork)
    else this.#bytesByNetwork.delete(network)
  }
}

/** What one body has taken of a budget. */
export interface BodyShare {
  /** Takes bytes; returns false, and takes nothing, if so many are not left. */
  take(bytes: number): boolean
  /** Gives back all that was taken. */
  release(): void
}
