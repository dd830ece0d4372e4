import { createHash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible'
import { createClient } from 'redis'
import type { Logger } from 'pino'
import type { Caller } from '../kernel/caller.ts'
import { problem } from '../kernel/problem.ts'

export interface LimitSettings { redisUrl?: string | undefined; perKey: number; perAddress: number; log: Logger }

/** Counts requests a minute over all processes. `count` answers the headers to send and throws past the limit. */
export interface Limits {
  count(caller: Caller, address: string): Promise<Record<string, string>>
  ready(): boolean
  close(): Promise<void>
}

/**
 * Limits per credential, or per address for anonymous callers; 0 turns one off. Counted in Redis; while Redis is away
 * each process counts alone, so requests go on (they fail open). Headers: IETF draft ratelimit-headers.
 */
export async function limitsOf({ redisUrl, perKey, perAddress, log }: LimitSettings): Promise<Limits> {
  const client = redisUrl === undefined || (perKey === 0 && perAddress === 0) ? null : connectRedis(redisUrl, log)
  const make = (name: string, points: number): RateLimiterAbstract | null => {
    if (points === 0) return null
    const alone = new RateLimiterMemory({ points, duration: 60, keyPrefix: name })
    if (!client) return alone
    return new RateLimiterRedis({ storeClient: client, useRedisPackage: true, points, duration: 60, keyPrefix: `limit:${name}`,
      insuranceLimiter: alone, rejectIfRedisNotReady: true })
  }
  const byKey = make('key', perKey)
  const byAddress = make('address', perAddress)
  return {
    count: (caller, address) => {
      const anonymous = caller.kind === 'anonymous'
      const name = anonymous ? address : nameOf(caller)
      return consume(anonymous ? byAddress : byKey, anonymous ? perAddress : perKey, name)
    },
    ready: () => client === null || client.isReady,
    close: async () => { if (client?.isOpen) client.destroy() },
  }
}

function connectRedis(url: string, log: Logger) {
  const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 2_000) } })
  let told = false
  client.on('error', (error: Error) => {
    if (!told) log.warn({ err: error }, 'Redis is away: each process counts requests alone')
    told = true
  })
  client.on('ready', () => { told = false })
  client.connect().catch((error: unknown) => log.warn({ err: error }, 'Redis did not answer'))
  return client
}

function nameOf(caller: Caller): string {
  if (caller.kind === 'key') return caller.id
  return caller.kind === 'anonymous' ? '' : createHash('sha256').update(caller.session).digest('base64url')
}

async function consume(limiter: RateLimiterAbstract | null, points: number, name: string): Promise<Record<string, string>> {
  if (!limiter) return {}
  try {
    return headersOf(points, await limiter.consume(name))
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error
    const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
    throw problem('RATE_LIMITED', `More than ${points} requests in a minute. Try again in ${seconds} s.`, {
      headers: { ...headersOf(points, error), 'Retry-After': String(seconds) },
    })
  }
}

function headersOf(points: number, { remainingPoints, msBeforeNext }: RateLimiterRes): Record<string, string> {
  return {
    'RateLimit-Policy': `"default";q=${points};w=60`,
    RateLimit: `"default";r=${Math.max(0, remainingPoints)};t=${Math.ceil(msBeforeNext / 1000)}`,
  }
}
