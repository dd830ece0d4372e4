import { maxRunning } from '../kernel/places.ts'

/** Milliseconds that quick runs take in the middle. */
const quick = 5
/** Jobs that are taken for each place, where runs are quick. */
const ahead = 8
/** How much of the mean each run is. */
const share = 0.1

/** What is known of an organization that was served lately: where its next turn begins, and how many jobs it may get. */
export interface Standing { organization: string; begins: number; room: number }

/** The state of the turns, for the statement that takes jobs. */
export interface Standings {
  /** Where the turn of an organization begins that is not among them. */
  now: number
  /** How much a job is expected to cost. */
  cost: number
  known: readonly Standing[]
  /** How many jobs each of the other organizations may get. */
  room: number
  /** How many jobs all may get. */
  wanted: number
}

interface Served { begins: number; held: number }

/**
 * Whose job runs next: start-time fair queueing over organizations. Each job costs the milliseconds that it occupied
 * its place, divided by the weight of its organization, and the organization that has had least comes first; one that
 * was idle begins where the others are, so that nothing is saved up. The figures are this process's own, as several
 * processes that are fair each are fair together.
 * Source: Goyal, Vin, Cheng, Start-time Fair Queueing, SIGCOMM 1996.
 */
export class Turns {
  readonly #places: number
  readonly #served = new Map<string, Served>()
  /** Organizations that may have more jobs than they were given room for. */
  readonly #more = new Set<string>()
  #now = 0
  #held = 0
  #full = false
  #mean: number | null = null

  /** @param places jobs that this process runs at once */
  constructor(places: number) {
    this.#places = places
  }

  /**
   * What may be taken now. One job a place, so that no job waits here while another worker is free; more where runs are
   * so quick that asking for the next ones would take longer than doing them.
   */
  standings(): Standings {
    this.#forget()
    const known = [...this.#served].map(([organization, { begins, held }]) => ({ organization, begins, room: this.#room(held) }))
    const wanted = Math.max(0, this.#isQuick ? this.#places * ahead - this.#held : this.#places - this.#occupied)
    this.#full = wanted === 0
    for (const { organization, room } of known) if (room === 0) this.#more.add(organization)
    return { now: this.#now, cost: this.#cost, known, room: this.#room(0), wanted }
  }

  /** Jobs of these organizations were taken, in this order. */
  take(taken: readonly { organization: string; weight: number }[], { wanted, known, room }: Standings): void {
    this.#full = taken.length >= wanted
    const rooms = new Map(known.map((each) => [each.organization, each.room]))
    for (const [organization, jobs] of Map.groupBy(taken, (each) => each.organization)) {
      if (jobs.length >= (rooms.get(organization) ?? room)) this.#more.add(organization)
      else this.#more.delete(organization)
    }
    for (const { organization, weight } of taken) {
      const served = this.#served.get(organization) ?? { begins: this.#now, held: 0 }
      const begins = Math.max(served.begins, this.#now)
      this.#now = Math.max(this.#now, Math.min(begins, this.#least()))
      this.#served.set(organization, { begins: begins + this.#cost / weight, held: served.held + 1 })
      this.#held++
    }
  }

  /** A job ended: its cost is what it took. @returns whether there may be more to take */
  end({ organization, weight }: { organization: string; weight: number }, milliseconds: number, expected: number): boolean {
    this.#mean = this.#mean === null ? milliseconds : this.#mean + share * (milliseconds - this.#mean)
    this.#held--
    const served = this.#served.get(organization)
    if (!served) return this.#full
    served.held--
    served.begins += (Math.max(1, milliseconds) - expected) / weight
    const isOpen = this.#more.has(organization) && this.#room(served.held) > 0
    if (isOpen) this.#more.delete(organization)
    return isOpen || (this.#full && (!this.#isQuick || this.#held <= this.#places))
  }

  /**
   * Forgets who has nothing in hand and begins no later than somebody unknown would. When nobody has anything in hand and
   * nobody waits, all begin anew.
   */
  #forget(): void {
    const isIdle = this.#held === 0 && !this.#full && this.#more.size === 0
    for (const [organization, { begins, held }] of this.#served) {
      if (held === 0 && (isIdle || begins <= this.#now)) this.#served.delete(organization)
    }
  }

  get #isQuick(): boolean {
    return this.#mean !== null && this.#mean < quick
  }

  get #cost(): number {
    return Math.max(1, this.#mean ?? 1)
  }

  /**
   * Places that the jobs in hand take: an organization that got many while runs were quick has no more than its few of
   * them at once, and the others are not kept waiting until all of them have run.
   */
  get #occupied(): number {
    let occupied = 0
    for (const { held } of this.#served.values()) occupied += Math.min(held, maxRunning)
    return occupied
  }

  /** Those that are quick are taken anew when most of what was held is done, not one by one. */
  #room(held: number): number {
    if (!this.#isQuick) return Math.max(0, maxRunning - held)
    return held <= maxRunning ? maxRunning * ahead - held : 0
  }

  /** Where the organization stands that has had least of those with a job in hand. */
  #least(): number {
    let least = Infinity
    for (const { begins, held } of this.#served.values()) if (held > 0 && begins < least) least = begins
    return least
  }
}
