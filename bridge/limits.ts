import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Exchange } from './exchange.ts'
import type { Log } from './log.ts'
import { networkOf } from './network.ts'
import type { Shared } from './shared.ts'

/** How many calls a caller may make, all in all and of one operation. */
export interface CallLimits {
  readonly perMinute: number
  /**
   * @param caller as `callerOf` names it
   * @param operation null: all of them together
   * @param calls how many at once
   * @returns null: go on; else the seconds after which to try again
   */
  take(caller: string, operation: string | null, calls?: number): Promise<{ retryAfter: number } | null>
  /** The same of an address, or of the IPv6 network it is in, whose callers may be many, or one who makes up credentials. */
  takeOf(address: string, calls: number): Promise<{ retryAfter: number } | null>
  close(): void
}

const goOn = Promise.resolve(null)

export const noLimits: CallLimits = { perMinute: 0, take: () => goOn, takeOf: () => goOn, close: () => undefined }

/** Of one operation that cannot be undone, for one caller, in a minute. */
export const confirmedPerMinute = 60

/** So many callers may be busy behind one address. */
const callersOfAddress = 100

/** Names whose counts wait to be told to others; past it they count here alone. */
const mostUntold = 10_000

/** Seconds over which calls are counted. */
const window = 60

/** Milliseconds between two joins of what several processes counted. */
const usualPause = 1_000

/** Who is counted: the credentials, or the network of who has none. */
export const callerOf = ({ anonymous, owner, address }: Exchange) => (anonymous ? `address ${networkOf(address)}` : owner)

/**
 * Counts calls of a minute, at most `perMinute` of a caller; 0 turns it off. Each process counts for itself and answers
 * at once; where several share a Redis, they add up what they counted every second, so that a caller gets no more than
 * the limit and what all of them let through in that second. While Redis is away each counts alone.
 * @param pause between two such additions, in milliseconds
 */
export function callLimits(perMinute: number, shared: Shared, log: Log, pause = usualPause): CallLimits {
  if (perMinute === 0) return noLimits
  const ofCallers = new Count('calls', perMinute, shared)
  const ofAddresses = new Count('addresses', perMinute * callersOfAddress, shared)
  const ofOperations = new Count('confirmed', Math.min(confirmedPerMinute, perMinute), shared)
  const counts = [ofCallers, ofAddresses, ofOperations]
  let told = false
  let joining = false
  const join = async () => {
    if (joining) {
      // Redis is slow: what is counted meanwhile must not fall into one later minute.
      for (const one of counts) one.forget()
      if (!told) log.warn('Redis did not count calls: each process counts alone')
      told = true
      return
    }
    joining = true
    try {
      await Promise.all(counts.map((one) => one.join()))
      told = false
    } catch (cause) {
      if (!told) log.warn({ err: cause }, 'Redis did not count calls: each process counts alone')
      told = true
    } finally {
      joining = false
    }
  }
  const timer = shared.alone ? null : setInterval(() => void join(), pause).unref()
  return {
    perMinute,
    take: (caller, operation, calls = 1) =>
      operation === null ? ofCallers.take(caller, calls) : ofOperations.take(`${caller} ${operation}`, calls),
    takeOf: (address, calls) => ofAddresses.take(networkOf(address), calls),
    close: () => {
      if (timer) clearInterval(timer)
    },
  }
}

/** One kind of limit: counted here, and joined with the counts of other processes. */
class Count {
  readonly #points: number
  readonly #name: string
  readonly #shared: Shared
  readonly #here: RateLimiterMemory
  /** What others do not know yet, by name. */
  #untold = new Map<string, number>()
  #everywhere: RateLimiterRedis | null = null

  constructor(name: string, points: number, shared: Shared) {
    this.#name = name
    this.#points = points
    this.#shared = shared
    this.#here = new RateLimiterMemory({ points, duration: window, keyPrefix: name })
  }

  async take(name: string, calls: number): Promise<{ retryAfter: number } | null> {
    try {
      await this.#here.consume(name, calls)
    } catch (found) {
      if (!(found instanceof RateLimiterRes)) throw found
      return { retryAfter: Math.max(1, Math.ceil(found.msBeforeNext / 1000)) }
    }
    if (!this.#shared.alone && this.#untold.size < mostUntold) this.#untold.set(name, (this.#untold.get(name) ?? 0) + calls)
    return null
  }

  forget(): void {
    this.#untold.clear()
  }

  /** Rejects when Redis does not count; what was to be told then is told later, or forgotten with its minute. */
  async join(): Promise<void> {
    const storeClient = this.#shared.redis()
    const telling = this.#untold
    this.#untold = new Map()
    if (!storeClient || telling.size === 0) return
    this.#everywhere ??= new RateLimiterRedis({
      storeClient,
      useRedisPackage: true,
      points: this.#points,
      duration: window,
      keyPrefix: `mcp:limit:${this.#name}`,
      rejectIfRedisNotReady: true,
    })
    const everywhere = this.#everywhere
    const begun = performance.now()
    await Promise.all(
      [...telling].map(async ([name, calls]) => {
        const { consumedPoints, msBeforeNext } = await everywhere.penalty(name, calls)
        if (performance.now() - begun > usualPause) return
        const sinceThen = this.#untold.get(name) ?? 0
        await this.#here.set(name, consumedPoints + sinceThen, Math.max(1, Math.ceil(msBeforeNext / 1000)))
      }),
    )
  }
}
