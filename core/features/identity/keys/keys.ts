import { hash } from 'node:crypto'
import { createRandomStringGenerator } from '@better-auth/utils/random'
import type { KeyCaller } from '../../../kernel/caller.ts'
import { createRecentCache, type RecentCache } from '../../../kernel/process/recent-cache.ts'
import type { Context } from '../../../kernel/work.ts'
import { findApiKey, type ApiKeyRow } from '../identity.reads.ts'

const createRandomText = createRandomStringGenerator('A-Z', 'a-z', '0-9')

/** Creates a new key: `tsr_live_` or `tsr_test_` followed by 40 letters or digits, which hold 238 random bits. */
export const createApiKeySecret = (kind: 'live' | 'test'): string => `tsr_${kind}_${createRandomText(40)}`

/** Returns the stored form of a key: SHA-256 in base64url without padding, as the library stores it. */
export const hashSecret = (key: string) => hash('sha256', key, 'base64url')

/** The channel on which PostgreSQL announces that a key's row was changed or deleted; the payload is the key's hash. */
export const keyNoticeChannel = 'api_keys'

/** Lifetime of a cached key in milliseconds: a revocation takes effect at the latest after this time. */
const cacheLifetimeMs = 5_000
/** Maximum number of cached keys. */
const maxCachedKeys = 10_000

/**
 * Finds the caller that a key belongs to. Only valid keys are cached, so guesses do not fill the cache and a new key
 * works at once. The expiry is checked at every request, also for a cached key.
 */
export class ApiKeyCache {
  readonly #rows: RecentCache<ApiKeyRow> = createRecentCache(maxCachedKeys, cacheLifetimeMs)
  readonly #parts: Pick<Context, 'db' | 'clock'>
  /** Number of changes so far. A row that was read before the latest change is not cached. */
  #changes = 0

  constructor(parts: Pick<Context, 'db' | 'clock' | 'notices'>) {
    this.#parts = parts
    parts.notices.subscribe(keyNoticeChannel, (hash) => this.#forgetKey(hash))
  }

  /** Returns the caller of a key, or null if the key is unknown, revoked or expired. */
  async findCaller(key: string): Promise<KeyCaller | null> {
    const hash = hashSecret(key)
    const now = this.#parts.clock.now().getTime()
    const row = this.#rows.get(hash) ?? (await this.#findKey(hash))
    if (!row || (row.expiresAt !== null && row.expiresAt <= now)) return null
    const { id, organization, application, permissions } = row
    return { kind: 'key', id, organization, application, permissions }
  }

  async #findKey(hash: string): Promise<ApiKeyRow | undefined> {
    const changes = this.#changes
    const row = await findApiKey(this.#parts.db, hash)
    if (row && changes === this.#changes) this.#rows.set(hash, row)
    return row
  }

  /**
   * Removes a key from the cache. An empty hash clears the cache: the connection was lost, so any key may have changed.
   */
  #forgetKey(hash: string): void {
    this.#changes++
    if (hash === '') this.#rows.clear()
    else this.#rows.delete(hash)
  }
}
