/**
 * The ledger as plain TypeScript that imports nothing: lists of lots for each owner, and what is left of them after each
 * operation. Times are milliseconds.
 */
interface Lot {
  remaining: bigint
  state: 'pending' | 'active' | 'expired'
  activatesAt: number
  /** Infinity: never. */
  expiresAt: number
}

interface Owner {
  /** In the order in which they were made. */
  lots: Lot[]
  debt: bigint
  settled: bigint
  holds: Map<string, { amount: bigint; status: 'open' | 'committed' | 'released'; expiresAt: number }>
}

interface KnownOperation {
  owner: string
  /** Signed. */
  amount: bigint
  isFinal: boolean
  /** What it took of lots, and others have not given back. */
  draws: Map<Lot, bigint>
  /** The lot that it made. */
  lot: Lot | null
  isReversal: boolean
  /** How much of it was taken back. */
  takenBack: bigint
}

const min = (one: bigint, other: bigint) => (one < other ? one : other)
const sum = (lots: readonly Lot[]) => lots.reduce((total, { remaining }) => total + remaining, 0n)

export class LedgerModel {
  readonly operations = new Map<string, KnownOperation>()
  readonly #owners = new Map<string, Owner>()

  getAmount = (owner: string): bigint => sum(this.#listActive(owner)) - this.#getOwner(owner).debt
  getPending = (owner: string): bigint => sum(this.#getOwner(owner).lots.filter(({ state }) => state === 'pending'))
  getDebt = (owner: string): bigint => this.#getOwner(owner).debt
  getSettled = (owner: string): bigint => this.#getOwner(owner).settled
  getHeld = (owner: string): bigint =>
    [...this.#getOwner(owner).holds.values()]
      .filter(({ status }) => status === 'open')
      .reduce((total, { amount }) => total + amount, 0n)
  getLots = (owner: string): readonly string[] =>
    this.#getOwner(owner).lots.map(({ remaining, state }) => `${state} ${remaining}`)
  listHolds = (owner: string): string[] => [...this.#getOwner(owner).holds.keys()]

  /** How much of an operation can be taken back. */
  getLeft(operation: string): bigint {
    const known = this.operations.get(operation)
    if (!known || known.isReversal) return 0n
    return (known.amount < 0n ? -known.amount : known.amount) - known.takenBack
  }

  credit(
    operation: string,
    name: string,
    { amount, now, activatesAt, expiresAt }: { amount: bigint; now: number; activatesAt: number; expiresAt: number },
  ): string {
    if (this.operations.has(operation)) return this.#formatKnown(operation)
    const owner = this.#getOwner(name)
    const waits = activatesAt > now
    const paid = waits ? 0n : min(owner.debt, amount)
    owner.debt -= paid
    const lot: Lot = { remaining: amount - paid, state: waits ? 'pending' : 'active', activatesAt, expiresAt }
    owner.lots.push(lot)
    return this.#post(operation, name, amount, { lot })
  }

  debit(operation: string, name: string, amount: bigint, mayGoBelowZero: boolean): string {
    if (this.operations.has(operation)) return this.#formatKnown(operation)
    const available = this.getAmount(name) - this.getHeld(name)
    if (amount > available && !mayGoBelowZero) return `refused ${available}`
    return this.#post(operation, name, -amount, { draws: this.#take(name, amount, this.#listActive(name)) })
  }

  /** Makes active what is due, and expires what is over. @returns what expired, the first before the others */
  workOff(name: string, now: number): { amount: bigint; lot: Lot }[] {
    this.activate(name, now)
    const over = this.#listActive(name).filter(({ expiresAt, remaining }) => expiresAt <= now && remaining > 0n)
    return over.map((lot) => ({ amount: lot.remaining, lot }))
  }

  activate(name: string, now: number): void {
    const owner = this.#getOwner(name)
    const waiting = owner.lots.filter(({ state, activatesAt }) => state === 'pending' && activatesAt <= now)
    for (const lot of waiting.toSorted((one, other) => one.activatesAt - other.activatesAt)) {
      const paid = min(owner.debt, lot.remaining)
      owner.debt -= paid
      lot.remaining -= paid
      lot.state = 'active'
    }
  }

  expire(operation: string, name: string, lot: Lot): void {
    const amount = lot.remaining
    lot.remaining = 0n
    lot.state = 'expired'
    this.#post(operation, name, -amount, { draws: new Map([[lot, amount]]) })
  }

  reverse(operation: string, reversed: string, amount: bigint): string {
    if (this.operations.has(operation)) return this.#formatKnown(operation)
    const known = this.operations.get(reversed)
    if (!known || amount > this.getLeft(reversed)) return 'too much'
    known.takenBack += amount
    return known.amount > 0n ? this.#takeBack(operation, known, amount) : this.#giveBack(operation, known, amount)
  }

  reserve(operation: string, name: string, amount: bigint, expiresAt: number): string {
    const { holds } = this.#getOwner(name)
    const known = holds.get(operation)
    if (known) return `known ${known.amount}`
    const available = this.getAmount(name) - this.getHeld(name)
    if (amount > available) return `refused ${available}`
    holds.set(operation, { amount, status: 'open', expiresAt })
    return `held ${amount}`
  }

  commit(hold: string, operation: string, name: string, now: number): string {
    const found = this.#getOwner(name).holds.get(hold)
    if (found?.status !== 'open' || found.expiresAt <= now) return 'ended'
    found.status = 'committed'
    return this.debit(operation, name, found.amount, true)
  }

  release(hold: string, name: string): boolean {
    const found = this.#getOwner(name).holds.get(hold)
    if (found?.status !== 'open') return false
    found.status = 'released'
    return true
  }

  releaseExpired(now: number): number {
    let released = 0
    for (const { holds } of this.#owners.values())
      for (const hold of holds.values())
        if (hold.status === 'open' && hold.expiresAt <= now) {
          hold.status = 'released'
          released++
        }
    return released
  }

  settle(operation: string, status: 'final' | 'failed' | 'undone'): void {
    const known = this.operations.get(operation)
    if (!known) return
    const isFinal = status === 'final'
    const owner = this.#getOwner(known.owner)
    if (isFinal && !known.isFinal) owner.settled += known.amount
    if (!isFinal && known.isFinal) owner.settled -= known.amount
    known.isFinal = isFinal
  }

  #takeBack(operation: string, { owner, lot }: KnownOperation, amount: bigint): string {
    const own = lot && lot.state !== 'expired' ? [lot] : []
    const others = this.#listActive(owner).filter((one) => one !== lot)
    return this.#post(operation, owner, -amount, {
      draws: this.#take(owner, amount, [...own, ...others]),
      isReversal: true,
    })
  }

  #giveBack(operation: string, known: KnownOperation, amount: bigint): string {
    const owner = this.#getOwner(known.owner)
    const paid = min(owner.debt, amount)
    owner.debt -= paid
    let left = amount - paid
    const order = (lot: Lot) => owner.lots.indexOf(lot)
    const lots = [...known.draws.keys()].sort(
      (one, other) => compare(other.expiresAt, one.expiresAt) || order(other) - order(one),
    )
    for (const lot of lots) {
      const given = min(known.draws.get(lot)!, left)
      if (given === 0n) continue
      left -= given
      lot.remaining += given
      lot.state = 'active'
      known.draws.set(lot, known.draws.get(lot)! - given)
    }
    if (left > 0n) owner.lots.push({ remaining: left, state: 'active', activatesAt: 0, expiresAt: Infinity })
    return this.#post(operation, known.owner, amount, { isReversal: true })
  }

  /** Takes out of lots in their order; what they do not have becomes debt. */
  #take(name: string, amount: bigint, lots: readonly Lot[]): Map<Lot, bigint> {
    const draws = new Map<Lot, bigint>()
    let missing = amount
    for (const lot of lots) {
      const taken = min(lot.remaining, missing)
      if (taken === 0n) continue
      lot.remaining -= taken
      missing -= taken
      draws.set(lot, taken)
    }
    this.#getOwner(name).debt += missing
    return draws
  }

  /** The lots that can be spent, those first that expire first. */
  #listActive = (name: string): Lot[] =>
    this.#getOwner(name)
      .lots.filter(({ state }) => state === 'active')
      .toSorted((one, other) => compare(one.expiresAt, other.expiresAt))

  #getOwner(name: string): Owner {
    const owner = this.#owners.get(name) ?? { lots: [], debt: 0n, settled: 0n, holds: new Map() }
    this.#owners.set(name, owner)
    return owner
  }

  #post(operation: string, owner: string, amount: bigint, more: Partial<KnownOperation>): string {
    const made = { draws: new Map(), lot: null, isReversal: false, takenBack: 0n, ...more }
    this.operations.set(operation, { owner, amount, isFinal: false, ...made })
    return `posted ${amount} ${this.getAmount(owner)} debt ${this.getDebt(owner)}`
  }

  #formatKnown(operation: string): string {
    const { owner = '', amount = 0n } = this.operations.get(operation) ?? {}
    return `known ${amount} ${this.getAmount(owner)} debt ${this.getDebt(owner)}`
  }
}

/** Compares numbers, also infinite ones. */
const compare = (one: number, other: number): number => (one < other ? -1 : Number(one > other))
