import { createRecentCache, type RecentCache } from '../../../kernel/process/recent-cache.ts'
import type { Context } from '../../../kernel/work.ts'
import { updateLastUse } from '../identity.reads.ts'

/** Milliseconds for which the use of a key is not noted again by this process. */
const noteIntervalMs = 60_000
/** Maximum number of keys whose last note is remembered. */
const maxNotedKeys = 10_000

/** Notes when and from where keys are used, once a minute for each key. */
export class KeyUses {
  readonly #noted: RecentCache<object> = createRecentCache(maxNotedKeys, noteIntervalMs)
  readonly #parts: Pick<Context, 'db' | 'log'>

  constructor(parts: Pick<Context, 'db' | 'log'>) {
    this.#parts = parts
  }

  /** Notes a use. The request does not wait for it, so that a read-only database still serves requests. */
  note(key: string, getAddress: () => string): void {
    if (this.#noted.get(key)) return
    this.#noted.set(key, {})
    updateLastUse(this.#parts.db, key, getAddress()).catch((err: unknown) =>
      this.#parts.log.warn({ err }, 'the use of a key was not noted'),
    )
  }
}
