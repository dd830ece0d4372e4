import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { RequestContext } from '../api/request-context.ts'
import type { Log } from '../shared/log.ts'
import { getNetwork } from './network.ts'
import type { SharedState } from '../shared/shared-state.ts'

/** Counts the calls of each caller and decides whether one more is allowed. */
export interface CallLimiter {
  readonly maxPerMinute: number
  /**
   * Counts calls of a caller, in total or of one operation.
   * @param caller the result of `getCallerKey`
   * @param operation the name of an operation; null counts against the caller's total limit
   * @param calls how many calls to add
   * @returns null when the calls are allowed; otherwise the seconds after which to try again
   */
  countCalls(caller: string, operation: string | null, calls?: number): Promise<{ retryAfter: number } | null>
  /**
   * Counts calls of an address against a limit for all its callers, so that made-up credentials do not avoid the limit.
   */
  countAddressCalls(address: string, calls: number): Promise<{ retryAfter: number } | null>
  close(): void
}

const allowed = Promise.resolve(null)

export const unlimitedCalls: CallLimiter = {
  maxPerMinute: 0,
  countCalls: () => allowed,
  countAddressCalls: () => allowed,
  close: () => undefined,
}

/** The highest number of calls per minute that one caller may make of one operation that needs a confirmation. */
export const maxConfirmedPerMinute = 60

/** How many times the limit of one caller an address (or its IPv6 /64 network) may use. */
const maxCallersPerAddress = 100

/** The highest number of names whose counts wait to be shared; further names are counted in this process only. */
const maxUnsharedNames = 10_000

/** The seconds over which calls are counted. */
const windowSeconds = 60

/** The milliseconds between two exchanges of the counts with other processes. */
const defaultShareIntervalMs = 1_000

/** Returns the key that calls are counted by: the hash of the credentials, or the network of an anonymous caller. */
export const getCallerKey = ({ isAnonymous, callerHash, clientAddress }: RequestContext) =>
  isAnonymous ? `address ${getNetwork(clientAddress)}` : callerHash

/**
 * Creates a limiter that allows at most `maxPerMinute` calls of a caller in a minute; 0 turns the limit off. Each
 * process counts for itself and decides at once. Processes that share a Redis add up their counts every second, so a
 * caller gets no more than the limit plus what all processes let through in that second. While Redis is away, each
 * process counts alone.
 * @param shareIntervalMs the milliseconds between two such additions
 */
export function createCallLimiter(
  maxPerMinute: number,
  shared: SharedState,
  log: Log,
  shareIntervalMs = defaultShareIntervalMs,
): CallLimiter {
  if (maxPerMinute === 0) return unlimitedCalls
  const callerCounter = new CallCounter('calls', maxPerMinute, shared)
  const addressCounter = new CallCounter('addresses', maxPerMinute * maxCallersPerAddress, shared)
  const operationCounter = new CallCounter('confirmed', Math.min(maxConfirmedPerMinute, maxPerMinute), shared)
  const counters = [callerCounter, addressCounter, operationCounter]
  let isReported = false
  let isSharing = false
  const shareCounts = async () => {
    if (isSharing) {
      // Redis is slow. These calls must not be added to a later minute.
      for (const one of counters) one.forget()
      if (!isReported) log.warn('Redis did not count calls: each process counts alone')
      isReported = true
      return
    }
    isSharing = true
    try {
      await Promise.all(counters.map((one) => one.shareCounts()))
      isReported = false
    } catch (cause) {
      if (!isReported) log.warn({ err: cause }, 'Redis did not count calls: each process counts alone')
      isReported = true
    } finally {
      isSharing = false
    }
  }
  const timer = shared.isAlone ? null : setInterval(() => void shareCounts(), shareIntervalMs).unref()
  return {
    maxPerMinute,
    countCalls: (caller, operation, calls = 1) =>
      operation === null
        ? callerCounter.countCalls(caller, calls)
        : operationCounter.countCalls(`${caller} ${operation}`, calls),
    countAddressCalls: (address, calls) => addressCounter.countCalls(getNetwork(address), calls),
    close: () => {
      if (timer) clearInterval(timer)
    },
  }
}

/** A counter for one kind of limit. It counts in this process and adds the counts of other processes. */
class CallCounter {
  readonly #maxCalls: number
  readonly #name: string
  readonly #shared: SharedState
  readonly #localLimiter: RateLimiterMemory
  /** The calls that Redis has not counted yet, by name. */
  #unshared = new Map<string, number>()
  #sharedLimiter: RateLimiterRedis | null = null

  constructor(name: string, maxCalls: number, shared: SharedState) {
    this.#name = name
    this.#maxCalls = maxCalls
    this.#shared = shared
    this.#localLimiter = new RateLimiterMemory({ points: maxCalls, duration: windowSeconds, keyPrefix: name })
  }

  async countCalls(name: string, calls: number): Promise<{ retryAfter: number } | null> {
    try {
      await this.#localLimiter.consume(name, calls)
    } catch (found) {
      if (!(found instanceof RateLimiterRes)) throw found
      return { retryAfter: Math.max(1, Math.ceil(found.msBeforeNext / 1000)) }
    }
    if (!this.#shared.isAlone && this.#unshared.size < maxUnsharedNames)
      this.#unshared.set(name, (this.#unshared.get(name) ?? 0) + calls)
    return null
  }

  forget(): void {
    this.#unshared.clear()
  }

  /**
   * Adds the unshared counts in Redis and takes over the totals. Rejects when Redis fails; those counts then stay local
   * to this process.
   */
  async shareCounts(): Promise<void> {
    const storeClient = this.#shared.getRedis()
    const unshared = this.#unshared
    this.#unshared = new Map()
    if (!storeClient || unshared.size === 0) return
    this.#sharedLimiter ??= new RateLimiterRedis({
      storeClient,
      useRedisPackage: true,
      points: this.#maxCalls,
      duration: windowSeconds,
      keyPrefix: `mcp:limit:${this.#name}`,
      rejectIfRedisNotReady: true,
    })
    const sharedLimiter = this.#sharedLimiter
    const startedAtMs = performance.now()
    await Promise.all(
      [...unshared].map(async ([name, calls]) => {
        const { consumedPoints, msBeforeNext } = await sharedLimiter.penalty(name, calls)
        if (performance.now() - startedAtMs > defaultShareIntervalMs) return
        const sinceThen = this.#unshared.get(name) ?? 0
        await this.#localLimiter.set(name, consumedPoints + sinceThen, Math.max(1, Math.ceil(msBeforeNext / 1000)))
      }),
    )
  }
}
