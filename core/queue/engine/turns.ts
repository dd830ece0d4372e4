import { maxSlotsPerOrganization } from '../../kernel/process/slot-pool.ts'

/** Mean duration in milliseconds below which runs count as quick. */
const maxQuickMs = 5
/** Number of jobs that are taken for each slot while runs are quick. */
const maxJobsPerPlace = 8
/** Weight of each new run in the moving mean of durations. */
const meanShare = 0.1

/** A recently served organization: the start of its next turn, and how many more jobs it may get. */
export interface OrganizationStanding {
  organization: string
  begins: number
  room: number
}

/** The state of the turns, for the statement that takes jobs. */
export interface Standings {
  /** Start of the next turn of an organization that is not in `known`. */
  now: number
  /** Expected cost of a job in milliseconds. */
  cost: number
  known: readonly OrganizationStanding[]
  /** Number of jobs that each organization outside `known` may get. */
  room: number
  /** Number of jobs that may be taken in total. */
  wanted: number
}

interface ServedOrganization {
  begins: number
  held: number
}

/**
 * The turns of organizations, which decide whose job runs next, by start-time fair queueing. A job costs the
 * milliseconds that it occupied its slot, divided by the weight of its organization, and the organization with the
 * lowest cost so far comes first. An organization that was idle starts at the level of the others, so that it cannot
 * save up time. Each process counts for itself: several processes that are fair are also fair together.
 * Source: Goyal, Vin, Cheng, Start-time Fair Queueing, SIGCOMM 1996.
 */
export class JobTurns {
  readonly #slots: number
  readonly #served = new Map<string, ServedOrganization>()
  /** Organizations that may have more jobs than they had room for. */
  readonly #maybeMore = new Set<string>()
  #now = 0
  #held = 0
  #isFull = false
  #meanMs: number | null = null

  /** @param places number of jobs that this process runs at the same time */
  constructor(places: number) {
    this.#slots = places
  }

  /**
   * Returns what may be taken now: one job per slot, so that no job waits here while another worker is free. More jobs
   * are taken while runs are so quick that asking for the next ones would take longer than running them.
   */
  getStandings(): Standings {
    this.#forgetIdle()
    const known = [...this.#served].map(([organization, { begins, held }]) => ({
      organization,
      begins,
      room: this.#getRoom(held),
    }))
    const wanted = Math.max(
      0,
      this.#isQuick ? this.#slots * maxJobsPerPlace - this.#held : this.#slots - this.#occupied,
    )
    this.#isFull = wanted === 0
    for (const { organization, room } of known) if (room === 0) this.#maybeMore.add(organization)
    return { now: this.#now, cost: this.#cost, known, room: this.#getRoom(0), wanted }
  }

  /** Records that jobs of these organizations were taken, in this order. */
  recordTaken(taken: readonly { organization: string; weight: number }[], { wanted, known, room }: Standings): void {
    this.#isFull = taken.length >= wanted
    const rooms = new Map(known.map((each) => [each.organization, each.room]))
    for (const [organization, jobs] of Map.groupBy(taken, (each) => each.organization)) {
      if (jobs.length >= (rooms.get(organization) ?? room)) this.#maybeMore.add(organization)
      else this.#maybeMore.delete(organization)
    }
    for (const { organization, weight } of taken) {
      const served = this.#served.get(organization) ?? { begins: this.#now, held: 0 }
      const begins = Math.max(served.begins, this.#now)
      this.#now = Math.max(this.#now, Math.min(begins, this.#getLowestPosition()))
      this.#served.set(organization, { begins: begins + this.#cost / weight, held: served.held + 1 })
      this.#held++
    }
  }

  /** Records the end of a job and charges its real duration. @returns whether there may be more jobs to take */
  recordEnded(
    { organization, weight }: { organization: string; weight: number },
    elapsedMs: number,
    expectedMs: number,
  ): boolean {
    this.#meanMs = this.#meanMs === null ? elapsedMs : this.#meanMs + meanShare * (elapsedMs - this.#meanMs)
    this.#held--
    const served = this.#served.get(organization)
    if (!served) return this.#isFull
    served.held--
    served.begins += (Math.max(1, elapsedMs) - expectedMs) / weight
    const isOpen = this.#maybeMore.has(organization) && this.#getRoom(served.held) > 0
    if (isOpen) this.#maybeMore.delete(organization)
    return isOpen || (this.#isFull && (!this.#isQuick || this.#held <= this.#slots))
  }

  /**
   * Forgets organizations that hold no job and whose next turn begins no later than that of an unknown organization. If
   * no organization holds or awaits jobs, all of them are forgotten.
   */
  #forgetIdle(): void {
    const isIdle = this.#held === 0 && !this.#isFull && this.#maybeMore.size === 0
    for (const [organization, { begins, held }] of this.#served) {
      if (held === 0 && (isIdle || begins <= this.#now)) this.#served.delete(organization)
    }
  }

  get #isQuick(): boolean {
    return this.#meanMs !== null && this.#meanMs < maxQuickMs
  }

  get #cost(): number {
    return Math.max(1, this.#meanMs ?? 1)
  }

  /**
   * Returns the number of slots that the held jobs occupy. An organization that got many jobs while runs were quick
   * uses at most its maximum of slots at a time, so the others need not wait until all of these jobs have run.
   */
  get #occupied(): number {
    let occupied = 0
    for (const { held } of this.#served.values()) occupied += Math.min(held, maxSlotsPerOrganization)
    return occupied
  }

  /**
   * Returns how many more jobs an organization may get. Quick jobs are taken again only when most of the held ones are
   * done, not one by one.
   */
  #getRoom(held: number): number {
    if (!this.#isQuick) return Math.max(0, maxSlotsPerOrganization - held)
    return held <= maxSlotsPerOrganization ? maxSlotsPerOrganization * maxJobsPerPlace - held : 0
  }

  /** Returns the earliest start of a next turn among the organizations that hold a job. */
  #getLowestPosition(): number {
    let earliestBegin = Infinity
    for (const { begins, held } of this.#served.values()) if (held > 0 && begins < earliestBegin) earliestBegin = begins
    return earliestBegin
  }
}
