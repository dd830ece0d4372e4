import { setTimeout as sleep } from 'node:timers/promises'
import { networkNames } from './chains/networks.ts'
import { connectDirectly } from './database/connection.ts'
import type { Limits } from './http/limit.ts'
import type { HealthReport } from './http/system.ts'
import type { Context } from './kernel/work.ts'

/** Milliseconds that a part has for its answer, so that whoever asks has ours within 500. */
const maxWaitMs = 400

/** SQLSTATE of a server that answers and cannot store: its disk is full or broken, or it is a copy that is only read. */
const unwritable = new Set(['53100', '58030', '25006'])

/** Needs new pages, and a place in the log that is flushed: a small change may find room that was there before. */
const writeProbe = `create temp table write_probe on commit drop as
  select md5(n::text) || md5((-n)::text) as filler from generate_series(1, 500) n`

interface WatchOptions {
  /** Milliseconds for which an outcome is not asked for again. */
  rest: { good: number; bad: number }
  /** Milliseconds for which the last outcome counts while the next one is waited for. */
  trust: number
}

/** What was last known of a part, and how to ask it. */
class Watch {
  #outcome = false
  #at = Number.NEGATIVE_INFINITY
  #asking: Promise<boolean> | undefined
  readonly #ask: () => Promise<boolean>
  readonly #options: WatchOptions

  constructor(ask: () => Promise<boolean>, options: WatchOptions) {
    this.#ask = ask
    this.#options = options
  }

  note(outcome: boolean): boolean {
    this.#outcome = outcome
    this.#at = performance.now()
    return outcome
  }

  /** The outcome, in time. */
  async look(): Promise<boolean> {
    const { rest, trust } = this.#options
    if (this.#age() < (this.#outcome ? rest.good : rest.bad)) return this.#outcome
    this.#asking ??= this.#ask().catch(() => false).then((outcome) => this.note(outcome)).finally(() => { this.#asking = undefined })
    const late = sleep(maxWaitMs, undefined, { ref: false }).then(() => this.#age() < trust && this.#outcome)
    return Promise.race([this.#asking, late])
  }

  #age = () => performance.now() - this.#at
}

/**
 * Looks at the parts of the platform when someone asks, over a connection of its own, so that a busy pool is not taken
 * for a database that is away.
 */
export class Health {
  readonly #context: Context
  readonly #limits: Limits
  readonly #direct
  readonly #database: Watch
  readonly #writes: Watch
  readonly #chains: readonly { part: string; watch: Watch }[]

  constructor(context: Context, limits: Limits) {
    const { db, settings: { databaseUrl = '' }, chains } = context
    this.#context = context
    this.#limits = limits
    this.#direct = connectDirectly({ url: databaseUrl, name: 'tessera-health', max: 1, quick: true })
    this.#database = new Watch(async () => this.#asked('select 1'), { rest: { good: 0, bad: 0 }, trust: 0 })
    this.#writes = new Watch(async () => this.#asked(writeProbe), { rest: { good: 10_000, bad: 1_000 }, trust: 15_000 })
    this.#chains = networkNames.filter((network) => chains.usable(network)).map((network) => ({
      part: `chain:${network}`,
      watch: new Watch(() => chains.answers(network), { rest: { good: 1_000, bad: 0 }, trust: 30_000 }),
    }))
    // What a caller's write came to is known without asking.
    db.on('query-error', (cause: unknown) => { if (isUnwritable(cause)) this.#writes.note(false) })
  }

  /** Parts that are away: `postgresql` alone is what nothing goes without. */
  async report(): Promise<HealthReport> {
    const chains = Promise.all(this.#chains.map(async ({ part, watch }) => (await watch.look() ? null : part)))
    if (!await this.#database.look()) return { status: 'down', parts: ['postgresql'] }
    const stores = await this.#writes.look()
    const isCounting = this.#limits.ready() && this.#context.queue.ready()
    const parts = [stores ? null : 'postgresql:writes', isCounting ? null : 'redis', ...await chains]
    const missing = parts.filter((part) => part !== null)
    return missing.length > 0 ? { status: 'degraded', parts: missing } : { status: 'ok' }
  }

  close(): Promise<void> {
    return this.#direct.close()
  }

  /** Whether the server does it. What it refuses for another reason than room, as a missing right, says nothing. */
  async #asked(text: string): Promise<boolean> {
    try {
      await this.#direct.rows({ text }, [])
      return true
    } catch (cause) {
      const isAnswer = typeof (cause as { severity?: unknown }).severity === 'string'
      this.#context.log.warn({ err: cause }, 'PostgreSQL was asked for its health')
      return isAnswer && text === writeProbe && !isUnwritable(cause)
    }
  }
}

const isUnwritable = (cause: unknown) => unwritable.has((cause as { code?: string } | undefined)?.code ?? '')
