import { createHash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible'
import type { createClient } from 'redis'
import type { Logger } from 'pino'
import type { Caller } from '../kernel/caller.ts'
import { networkOf } from '../kernel/network.ts'
import { problem } from '../kernel/problem.ts'

export interface LimitSettings {
  redisUrl?: string | undefined
  perKey: number
  perAddress: number
  log: Logger
}

/** Counts requests a minute over all processes. `count` answers the headers to send and throws past the limit. */
export interface Limits {
  /** @param addressOf is asked only where the address counts */
  count(caller: Caller, addressOf: () => string): Promise<Record<string, string>>
  ready(): boolean
  close(): Promise<void>
}

/** Seconds over which requests are counted. */
const window = 60
/** Milliseconds that Redis has for its answer, and for which it is left alone after it had none. */
const patience = 250
const pause = 2_000

/**
 * Limits per credential, or per address (of IPv6 its /64) for anonymous callers; 0 turns one off. Counted in Redis; while Redis is away or
 * says nothing each process counts alone, so requests go on (they fail open). Headers: IETF draft ratelimit-headers.
 */
export async function limitsOf({ redisUrl, perKey, perAddress, log }: LimitSettings): Promise<Limits> {
  const shared = redisUrl === undefined || (perKey === 0 && perAddress === 0) ? null : new SharedCounts(redisUrl, log)
  const byKey = counterOf('key', perKey, shared, log)
  const byAddress = counterOf('address', perAddress, shared, log)
  return {
    count: (caller, addressOf) => (caller.kind === 'anonymous' ? byAddress(() => networkOf(addressOf())) : byKey(() => nameOf(caller))),
    ready: () => shared === null || shared.client?.isReady === true,
    close: async () => shared?.close(),
  }
}

type Redis = ReturnType<typeof createClient>

/** The connection to Redis. Its driver is loaded beside the start of the process, which counts alone until then. */
class SharedCounts {
  client: Redis | undefined
  readonly #connecting: Promise<void>

  constructor(url: string, log: Logger) {
    this.#connecting = this.#connect(url, log)
  }

  async #connect(url: string, log: Logger): Promise<void> {
    const { createClient } = await import('redis')
    const client: Redis = createClient({
      url,
      disableOfflineQueue: true,
      socket: { reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 2_000) },
    })
    let told = false
    client.on('error', (error: Error) => {
      if (!told) log.warn({ err: error }, 'Redis is away: each process counts requests alone')
      told = true
    })
    client.on('ready', () => {
      told = false
    })
    this.client = client
    client.connect().catch((error: unknown) => log.warn({ err: error }, 'Redis did not answer'))
  }

  async close(): Promise<void> {
    await this.#connecting
    if (this.client?.isOpen) this.client.destroy()
  }
}

/** Counts one request of a name. @returns the headers to send. @throws RATE_LIMITED */
type Counter = (nameOf: () => string) => Promise<Record<string, string>>

/** What there is to send where nothing is counted. */
const uncounted = Promise.resolve({})

function counterOf(kind: string, points: number, shared: SharedCounts | null, log: Logger): Counter {
  if (points === 0) return () => uncounted
  const alone = new RateLimiterMemory({ points, duration: window, keyPrefix: kind })
  const consume = shared ? sharedConsume(kind, points, shared, alone, log) : (name: string) => consumeIn(alone, name)
  return async (nameOf) => {
    try {
      return headersOf(points, await consume(nameOf()))
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
      throw problem('RATE_LIMITED', `More than ${points} requests in a minute. Try again in ${seconds} s.`, {
        headers: { ...headersOf(points, error), 'Retry-After': String(seconds) },
      })
    }
  }
}

/** Seconds by which two machines' clocks may differ. */
const clockSeconds = 5

/**
 * Counts. A window that has longer to go than it is long began before the clock was put back: another one begins.
 * @throws RateLimiterRes past the limit
 */
async function consumeIn(limiter: RateLimiterAbstract, name: string): Promise<RateLimiterRes> {
  const isOver = ({ msBeforeNext }: RateLimiterRes) => msBeforeNext > (window + clockSeconds) * 1000
  try {
    const verdict = await limiter.consume(name)
    if (!isOver(verdict)) return verdict
  } catch (cause) {
    if (!(cause instanceof RateLimiterRes) || !isOver(cause)) throw cause
  }
  await limiter.delete(name)
  return limiter.consume(name)
}

/** In Redis, or alone while that does not answer. */
function sharedConsume(kind: string, points: number, counts: SharedCounts, alone: RateLimiterMemory, log: Logger) {
  const limiterOf = (storeClient: Redis): RateLimiterAbstract => new RateLimiterRedis({
    storeClient,
    useRedisPackage: true,
    points,
    duration: window,
    keyPrefix: `limit:${kind}`,
    rejectIfRedisNotReady: true,
  })
  let shared: RateLimiterAbstract | undefined
  let silentUntil = 0
  return async (name: string): Promise<RateLimiterRes> => {
    const { client } = counts
    if (!client?.isReady || performance.now() < silentUntil) return consumeIn(alone, name)
    shared ??= limiterOf(client)
    const answer = await inTime(consumeIn(shared, name))
    if (answer !== null) return answer
    if (client.isReady) {
      log.warn('Redis did not count a request in time: this process counts alone for a while')
      silentUntil = performance.now() + pause
    }
    return consumeIn(alone, name)
  }
}

/** The verdict, or null where there is none in time. @throws RateLimiterRes past the limit */
async function inTime(consuming: Promise<RateLimiterRes>): Promise<RateLimiterRes | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    // When it is this process that was busy, the answer may have come: what has arrived is read before it counts as late.
    timer = setTimeout(() => setImmediate(() => setImmediate(resolve, null)), patience)
  })
  const verdict = consuming.catch((cause: unknown) => {
    if (cause instanceof RateLimiterRes) throw cause
    return null
  })
  try {
    return await Promise.race([verdict, late])
  } finally {
    clearTimeout(timer)
    // A verdict that comes later interests nobody any more.
    verdict.catch(() => undefined)
  }
}

function nameOf(caller: Exclude<Caller, { kind: 'anonymous' }>): string {
  return caller.kind === 'key' ? caller.id : createHash('sha256').update(caller.session).digest('base64url')
}

function headersOf(points: number, { remainingPoints, msBeforeNext }: RateLimiterRes): Record<string, string> {
  return {
    'RateLimit-Policy': `"default";q=${points};w=${window}`,
    RateLimit: `"default";r=${Math.max(0, remainingPoints)};t=${Math.ceil(msBeforeNext / 1000)}`,
  }
}
