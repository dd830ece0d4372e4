import { createHash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible'
import type { createClient } from 'redis'
import type { Logger } from 'pino'
import type { Caller } from '../../kernel/caller.ts'
import { toIpNetwork } from '../../kernel/request/ip-network.ts'
import { createProblem } from '../../kernel/problem.ts'

export interface RateLimitSettings {
  redisUrl?: string | undefined
  maxPerKey: number
  maxPerAddress: number
  log: Logger
}

/** The rate limits: requests per minute, counted over all processes. */
export interface RateLimits {
  /**
   * Counts a request and returns the headers to send. @param getAddress called only if the address counts
   * @throws RATE_LIMITED
   */
  countRequest(caller: Caller, getAddress: () => string): Promise<Record<string, string>>
  isReady(): boolean
  close(): Promise<void>
}

/** Length of the counting window in seconds. */
const windowSeconds = 60
/** Milliseconds to wait for an answer of Redis, and for which Redis is not asked again after a timeout. */
const redisTimeoutMs = 250
const redisRetryDelayMs = 2_000

/**
 * Creates rate limits per credential, or per address (IPv6: per /64) for anonymous callers; 0 turns a limit off.
 * Requests are counted in Redis. While Redis is away or does not answer, each process counts alone, so that requests
 * still succeed (they fail open). Source: IETF draft ratelimit-headers.
 */
export async function createRateLimits({
  redisUrl,
  maxPerKey,
  maxPerAddress,
  log,
}: RateLimitSettings): Promise<RateLimits> {
  const redis =
    redisUrl === undefined || (maxPerKey === 0 && maxPerAddress === 0) ? null : new RedisConnection(redisUrl, log)
  const countByKey = createCounter('key', maxPerKey, redis, log)
  const countByAddress = createCounter('address', maxPerAddress, redis, log)
  return {
    countRequest: (caller, getAddress) =>
      caller.kind === 'anonymous'
        ? countByAddress(() => toIpNetwork(getAddress()))
        : countByKey(() => getCounterName(caller)),
    isReady: () => redis === null || redis.client?.isReady === true,
    close: async () => redis?.close(),
  }
}

type RedisClient = ReturnType<typeof createClient>

/** The connection to Redis. Its driver is loaded while the process starts; until then the process counts alone. */
class RedisConnection {
  client: RedisClient | undefined
  readonly #connecting: Promise<void>

  constructor(url: string, log: Logger) {
    this.#connecting = this.#connectRedis(url, log)
  }

  async #connectRedis(url: string, log: Logger): Promise<void> {
    const { createClient } = await import('redis')
    const client: RedisClient = createClient({
      url,
      disableOfflineQueue: true,
      socket: { reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 2_000) },
    })
    let isReported = false
    client.on('error', (error: Error) => {
      if (!isReported) log.warn({ err: error }, 'Redis is away: each process counts requests alone')
      isReported = true
    })
    client.on('ready', () => {
      isReported = false
    })
    this.client = client
    client.connect().catch((error: unknown) => log.warn({ err: error }, 'Redis did not answer'))
  }

  async close(): Promise<void> {
    await this.#connecting
    if (this.client?.isOpen) this.client.destroy()
  }
}

/** A function that counts one request under a name. @returns the headers to send @throws RATE_LIMITED */
type RequestCounter = (getName: () => string) => Promise<Record<string, string>>

/** The headers of a request that is not counted. */
const noHeaders = Promise.resolve({})

function createCounter(kind: string, maxRequests: number, redis: RedisConnection | null, log: Logger): RequestCounter {
  if (maxRequests === 0) return () => noHeaders
  const memoryLimiter = new RateLimiterMemory({ points: maxRequests, duration: windowSeconds, keyPrefix: kind })
  const consume = redis
    ? createSharedConsumer(kind, maxRequests, redis, memoryLimiter, log)
    : (name: string) => consumePoint(memoryLimiter, name)
  return async (getName) => {
    try {
      return createLimitHeaders(maxRequests, await consume(getName()))
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
      throw createProblem('RATE_LIMITED', `More than ${maxRequests} requests in a minute. Try again in ${seconds} s.`, {
        headers: { ...createLimitHeaders(maxRequests, error), 'Retry-After': String(seconds) },
      })
    }
  }
}

/** Maximum difference in seconds between the clocks of two machines. */
const maxClockDifferenceSeconds = 5

/**
 * Counts one request. A window that ends later than a new one would has begun before the clock was set back; it is
 * replaced.
 * @throws RateLimiterRes above the limit
 */
async function consumePoint(limiter: RateLimiterAbstract, name: string): Promise<RateLimiterRes> {
  const isOver = ({ msBeforeNext }: RateLimiterRes) => msBeforeNext > (windowSeconds + maxClockDifferenceSeconds) * 1000
  try {
    const result = await limiter.consume(name)
    if (!isOver(result)) return result
  } catch (cause) {
    if (!(cause instanceof RateLimiterRes) || !isOver(cause)) throw cause
  }
  await limiter.delete(name)
  return limiter.consume(name)
}

/** Creates a function that counts in Redis, or in memory while Redis does not answer. */
function createSharedConsumer(
  kind: string,
  maxRequests: number,
  redis: RedisConnection,
  memoryLimiter: RateLimiterMemory,
  log: Logger,
) {
  const createRedisLimiter = (storeClient: RedisClient): RateLimiterAbstract =>
    new RateLimiterRedis({
      storeClient,
      useRedisPackage: true,
      points: maxRequests,
      duration: windowSeconds,
      keyPrefix: `limit:${kind}`,
      rejectIfRedisNotReady: true,
    })
  let redisLimiter: RateLimiterAbstract | undefined
  let silentUntil = 0
  return async (name: string): Promise<RateLimiterRes> => {
    const { client } = redis
    if (!client?.isReady || performance.now() < silentUntil) return consumePoint(memoryLimiter, name)
    redisLimiter ??= createRedisLimiter(client)
    const answer = await waitForResult(consumePoint(redisLimiter, name))
    if (answer !== null) return answer
    if (client.isReady) {
      log.warn('Redis did not count a request in time: this process counts alone for a while')
      silentUntil = performance.now() + redisRetryDelayMs
    }
    return consumePoint(memoryLimiter, name)
  }
}

/**
 * Waits for a result of Redis. @returns the result, or null after a timeout or an error @throws RateLimiterRes above
 * the limit
 */
async function waitForResult(consuming: Promise<RateLimiterRes>): Promise<RateLimiterRes | null> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<null>((resolve) => {
    // If this process itself was busy, an answer that has already arrived is read before it counts as late.
    timer = setTimeout(() => setImmediate(() => setImmediate(resolve, null)), redisTimeoutMs)
  })
  const result = consuming.catch((cause: unknown) => {
    if (cause instanceof RateLimiterRes) throw cause
    return null
  })
  try {
    return await Promise.race([result, timeout])
  } finally {
    clearTimeout(timer)
    // A late rejection must not become an unhandled one.
    result.catch(() => undefined)
  }
}

function getCounterName(caller: Exclude<Caller, { kind: 'anonymous' }>): string {
  return caller.kind === 'key' ? caller.id : createHash('sha256').update(caller.session).digest('base64url')
}

function createLimitHeaders(
  maxRequests: number,
  { remainingPoints, msBeforeNext }: RateLimiterRes,
): Record<string, string> {
  return {
    'RateLimit-Policy': `"default";q=${maxRequests};w=${windowSeconds}`,
    RateLimit: `"default";r=${Math.max(0, remainingPoints)};t=${Math.ceil(msBeforeNext / 1000)}`,
  }
}
