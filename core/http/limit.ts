import { createHash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible'
import { createClient } from 'redis'
import type { Logger } from 'pino'
import type { Caller } from '../kernel/caller.ts'
import { problem } from '../kernel/problem.ts'

export interface LimitSettings {
  redisUrl?: string | undefined
  perKey: number
  perAddress: number
  log: Logger
}

/** Counts requests a minute over all processes. `count` answers the headers to send and throws past the limit. */
export interface Limits {
  count(caller: Caller, address: string): Promise<Record<string, string>>
  ready(): boolean
  close(): Promise<void>
}

/** Seconds over which requests are counted. */
const window = 60
/** Milliseconds that Redis has for its answer, and for which it is left alone after it had none. */
const patience = 250
const pause = 2_000

/**
 * Limits per credential, or per address for anonymous callers; 0 turns one off. Counted in Redis; while Redis is away or
 * says nothing each process counts alone, so requests go on (they fail open). Headers: IETF draft ratelimit-headers.
 */
export async function limitsOf({ redisUrl, perKey, perAddress, log }: LimitSettings): Promise<Limits> {
  const client = redisUrl === undefined || (perKey === 0 && perAddress === 0) ? null : connectRedis(redisUrl, log)
  const byKey = counterOf('key', perKey, client, log)
  const byAddress = counterOf('address', perAddress, client, log)
  return {
    count: (caller, address) => (caller.kind === 'anonymous' ? byAddress(address) : byKey(nameOf(caller))),
    ready: () => client === null || client.isReady,
    close: async () => {
      if (client?.isOpen) client.destroy()
    },
  }
}

type Redis = ReturnType<typeof connectRedis>

function connectRedis(url: string, log: Logger) {
  const client = createClient({
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
  client.connect().catch((error: unknown) => log.warn({ err: error }, 'Redis did not answer'))
  return client
}

/** Counts one request of a name. @returns the headers to send. @throws RATE_LIMITED */
type Counter = (name: string) => Promise<Record<string, string>>

function counterOf(kind: string, points: number, client: Redis | null, log: Logger): Counter {
  if (points === 0) return async () => ({})
  const alone = new RateLimiterMemory({ points, duration: window, keyPrefix: kind })
  const consume = client ? sharedConsume(kind, points, client, alone, log) : (name: string) => alone.consume(name)
  return async (name) => {
    try {
      return headersOf(points, await consume(name))
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
      throw problem('RATE_LIMITED', `More than ${points} requests in a minute. Try again in ${seconds} s.`, {
        headers: { ...headersOf(points, error), 'Retry-After': String(seconds) },
      })
    }
  }
}

/** In Redis, or alone while that does not answer. */
function sharedConsume(kind: string, points: number, client: Redis, alone: RateLimiterMemory, log: Logger) {
  const shared: RateLimiterAbstract = new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: true,
    points,
    duration: window,
    keyPrefix: `limit:${kind}`,
    rejectIfRedisNotReady: true,
  })
  let silentUntil = 0
  return async (name: string): Promise<RateLimiterRes> => {
    if (!client.isReady || Date.now() < silentUntil) return alone.consume(name)
    const answer = await inTime(shared.consume(name))
    if (answer !== null) return answer
    if (client.isReady) {
      log.warn('Redis did not count a request in time: this process counts alone for a while')
      silentUntil = Date.now() + pause
    }
    return alone.consume(name)
  }
}

/** The verdict, or null where there is none in time. @throws RateLimiterRes past the limit */
async function inTime(consuming: Promise<RateLimiterRes>): Promise<RateLimiterRes | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, patience, null)
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
