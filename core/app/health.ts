import { setTimeout as sleep } from 'node:timers/promises'
import { networkNames } from '../chains/networks.ts'
import { connectDatabase, createDirectDatabase } from '../database/connection.ts'
import type { RateLimits } from '../http/limits/rate-limits.ts'
import type { HealthReport } from '../http/serve/system.ts'
import type { Context } from '../kernel/work.ts'

/** Milliseconds to wait for the check of one part, so that the report is answered within 500. */
const maxWaitMs = 400

/**
 * SQLSTATE codes of a server that answers but cannot store: its disk is full or broken, or it is a read-only replica.
 */
const unwritableSqlStates = new Set(['53100', '58030', '25006'])

/**
 * SQL that needs new pages and space in the write-ahead log. A smaller write might fit into space that is already
 * allocated.
 */
const writeProbeSql = `create temp table write_probe on commit drop as
  select md5(n::text) || md5((-n)::text) as filler from generate_series(1, 500) n`

interface HealthProbeOptions {
  /** Milliseconds for which an outcome is reused without a new check. */
  freshMs: { good: number; bad: number }
  /** Milliseconds for which the last outcome counts if a new check does not end in time. */
  trustMs: number
}

/** The last known state of a part, and how to check it. */
class HealthProbe {
  #outcome = false
  #checkedAtMs = Number.NEGATIVE_INFINITY
  #runningCheck: Promise<boolean> | undefined
  readonly #checkPart: () => Promise<boolean>
  readonly #options: HealthProbeOptions

  constructor(checkPart: () => Promise<boolean>, options: HealthProbeOptions) {
    this.#checkPart = checkPart
    this.#options = options
  }

  recordOutcome(outcome: boolean): boolean {
    this.#outcome = outcome
    this.#checkedAtMs = performance.now()
    return outcome
  }

  /** Returns the outcome of a check, or the last outcome if the check takes longer than `maxWaitMs`. */
  async checkHealth(): Promise<boolean> {
    const { freshMs, trustMs } = this.#options
    if (this.#getAgeMs() < (this.#outcome ? freshMs.good : freshMs.bad)) return this.#outcome
    this.#runningCheck ??= this.#checkPart()
      .catch(() => false)
      .then((outcome) => this.recordOutcome(outcome))
      .finally(() => {
        this.#runningCheck = undefined
      })
    const lastOutcome = sleep(maxWaitMs, undefined, { ref: false }).then(
      () => this.#getAgeMs() < trustMs && this.#outcome,
    )
    return Promise.race([this.#runningCheck, lastOutcome])
  }

  #getAgeMs = () => performance.now() - this.#checkedAtMs
}

/**
 * The health checks of the platform. They run on request, with a separate database connection, so that a busy pool is
 * not mistaken for a database that is away.
 */
export class Health {
  readonly #context: Context
  readonly #limits: RateLimits
  readonly #connection
  readonly #direct
  readonly #database: HealthProbe
  readonly #writes: HealthProbe
  readonly #chains: readonly { part: string; watch: HealthProbe }[]

  constructor(context: Context, limits: RateLimits) {
    const {
      db,
      settings: { databaseUrl = '' },
      chains,
    } = context
    this.#context = context
    this.#limits = limits
    this.#connection = connectDatabase({
      url: databaseUrl,
      name: 'tessera-health',
      maxConnections: 1,
      hasShortTimeouts: true,
      failsAtOnce: true,
    })
    this.#direct = createDirectDatabase(this.#connection)
    this.#database = new HealthProbe(async () => this.#checkStatement('select 1'), {
      freshMs: { good: 0, bad: 0 },
      trustMs: 0,
    })
    this.#writes = new HealthProbe(async () => this.#checkStatement(writeProbeSql), {
      freshMs: { good: 10_000, bad: 1_000 },
      trustMs: 15_000,
    })
    this.#chains = networkNames
      .filter((network) => chains.canSend(network))
      .map((network) => ({
        part: `chain:${network}`,
        watch: new HealthProbe(() => chains.isReachable(network), {
          freshMs: { good: 1_000, bad: 0 },
          trustMs: 30_000,
        }),
      }))
    // A failed write of any request is evidence too, without another check.
    db.on('query-error', (cause: unknown) => {
      if (isUnwritable(cause)) this.#writes.recordOutcome(false)
    })
  }

  /** Reports which parts are away. Only without `postgresql` is the status `down`. */
  async createReport(): Promise<HealthReport> {
    const chains = Promise.all(this.#chains.map(async ({ part, watch }) => ((await watch.checkHealth()) ? null : part)))
    if (!(await this.#database.checkHealth())) return { status: 'down', parts: ['postgresql'] }
    const storesRows = await this.#writes.checkHealth()
    const isCounting = this.#limits.isReady() && this.#context.queue.isReady()
    const parts = [storesRows ? null : 'postgresql:writes', isCounting ? null : 'redis', ...(await chains)]
    const missing = parts.filter((part) => part !== null)
    return missing.length > 0 ? { status: 'degraded', parts: missing } : { status: 'ok' }
  }

  close(): Promise<void> {
    return this.#connection.destroy()
  }

  /**
   * Runs a statement and returns whether the server can do it. The write probe only fails for a lack of space or a
   * read-only server; another error of the server, such as a missing permission, does not count.
   */
  async #checkStatement(text: string): Promise<boolean> {
    try {
      await this.#direct.queryRows({ text }, [])
      return true
    } catch (cause) {
      const isServerAnswer = typeof (cause as { severity?: unknown }).severity === 'string'
      this.#context.log.warn({ err: cause }, 'PostgreSQL was asked for its health')
      return isServerAnswer && text === writeProbeSql && !isUnwritable(cause)
    }
  }
}

const isUnwritable = (cause: unknown) => unwritableSqlStates.has((cause as { code?: string } | undefined)?.code ?? '')
