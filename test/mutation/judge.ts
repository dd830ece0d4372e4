import type { Mutant } from './mutants/instrument.ts'
import type { Lane } from './lane.ts'
import type { FileReach, ReachRecord } from './reach.ts'

/** What the tests said of a mutant. */
export interface Verdict {
  id: number
  outcome: 'killed' | 'survived' | 'unreached'
  /** The test that failed, or why the product did not start. */
  killer?: string
  /** How many test files ran, and how many reach the mutant. */
  ran: number
  reaching: number
  milliseconds: number
}

/** In fresh processes the tests of a mutant may take so many times as long as in running ones. */
const freshBudgetFactor = 2.5

/** A test may take several times as long as usual, and an unusually quick one a while, before it counts as hanging. */
const getTimeoutMs = ({ milliseconds }: FileReach) => 15_000 + 4 * milliseconds

/** Judges mutants on one lane. */
export class MutantJudge {
  readonly #lane: Lane
  readonly #reach: ReachRecord
  readonly #budgetMs: number

  /** @param budgetMs how long the tests of one mutant may take in running processes, by their usual times */
  constructor(lane: Lane, reach: ReachRecord, budgetMs: number) {
    this.#lane = lane
    this.#reach = reach
    this.#budgetMs = budgetMs
  }

  /**
   * Runs the tests that reach the mutant until one fails: first in running processes; and if all pass, or if processes
   * reach it while they start, in processes that start with it. A failure counts if the test passes without the mutant.
   */
  async judge(mutant: Mutant): Promise<Verdict> {
    const start = Date.now()
    const { id, isStatic } = mutant
    const reaching = this.#reach.listReaching(mutant)
    const ran = new Set<string>()
    const finish = (outcome: Verdict['outcome'], killer?: string): Verdict => ({
      id,
      outcome,
      ...(killer === undefined ? {} : { killer }),
      ran: ran.size,
      reaching: reaching.length,
      milliseconds: Date.now() - start,
    })
    if (reaching.length === 0) return finish('unreached')
    if (!isStatic && !this.#reach.startup.has(id)) {
      await this.#lane.switchTo(id)
      const killer = await this.#findKiller(id, takeWithin(reaching, this.#budgetMs), ran, false)
      if (killer !== undefined) return finish('killed', killer)
    }
    if (!(await this.#lane.restart(id))) {
      await this.#lane.start()
      return finish('killed', 'the product does not start')
    }
    const killer = await this.#findKiller(id, takeWithin(reaching, this.#budgetMs * freshBudgetFactor), ran, true)
    return killer === undefined ? finish('survived') : finish('killed', killer)
  }

  async #findKiller(id: number, files: readonly FileReach[], ran: Set<string>, isFresh: boolean) {
    for (const reach of files) {
      ran.add(reach.file)
      const { failure } = await this.#lane.run(reach.file, getTimeoutMs(reach))
      if (failure !== undefined && (await this.#isCausedBy(id, reach))) return `${reach.file}: ${failure}`
      if (failure !== undefined) await this.#activate(id, isFresh)
    }
    return undefined
  }

  async #activate(id: number, isFresh: boolean): Promise<void> {
    if (isFresh) await this.#lane.restart(id)
    else await this.#lane.switchTo(id)
  }

  /** Returns whether a test fails because of the mutant, and not because of what the mutant or the test left behind. */
  async #isCausedBy(id: number, reach: FileReach): Promise<boolean> {
    await this.#lane.switchTo(0)
    if (!this.#lane.hasGivenUp && (await this.#passes(reach))) return true
    await this.#lane.start()
    if (!(await this.#passes(reach))) {
      this.#reach.exclude(reach.file)
      return false
    }
    await this.#lane.restart(id)
    const fails = !(await this.#passes(reach))
    await this.#lane.start()
    return fails
  }

  async #passes(reach: FileReach): Promise<boolean> {
    return (await this.#lane.run(reach.file, getTimeoutMs(reach))).failure === undefined
  }
}

/** Takes the first files whose usual times fit into the budget, and the very first whatever it takes. */
function takeWithin(files: readonly FileReach[], budgetMs: number): FileReach[] {
  let left = budgetMs
  return files.filter(({ milliseconds }, at) => {
    if (milliseconds > left && at > 0) return false
    left -= milliseconds
    return true
  })
}
