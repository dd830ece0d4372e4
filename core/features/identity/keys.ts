import { hash, randomBytes } from 'node:crypto'
import type { KeyCaller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/work.ts'
import { readKey, type KeyRow } from './identity.reads.ts'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A new key: `tsr_live_` or `tsr_test_` and 40 letters or digits, 238 random bits. */
export function newSecret(kind: 'live' | 'test'): string {
  let text = ''
  while (text.length < 40) {
    const [byte = 255] = randomBytes(1)
    // Bytes past the last whole round of 62 are drawn again, so that each letter is equally likely.
    if (byte < 248) text += letters[byte % 62]
  }
  return `tsr_${kind}_${text}`
}

/** What is kept of a key: SHA-256 in base64url without padding, as the library stores it. */
export const hashOf = (key: string) => hash('sha256', key, 'base64url')

/** Where PostgreSQL says that a key's row was changed or deleted; the payload is the key's hash. */
export const keyNotices = 'api_keys'

/** How long a verdict is believed without looking again, in milliseconds: the latest a revocation can take hold. */
const verdictLife = 5_000
/** Keys in use at a time that are remembered; past it, all are looked up again. */
const remembered = 10_000

interface Verdict { row: KeyRow; until: number }

/**
 * Tells whose a key is. Only valid keys are remembered, so guessing fills nothing and a new key works at once. Expiry
 * is judged at every request, remembered or not.
 */
export class Keys {
  readonly #verdicts = new Map<string, Verdict>()
  readonly #parts: Pick<Context, 'db' | 'clock'>
  /** Grows with every change heard of: what was read before it is not remembered after it. */
  #changes = 0

  constructor(parts: Pick<Context, 'db' | 'clock' | 'notices'>) {
    this.#parts = parts
    parts.notices.on(keyNotices, (hash) => this.#forget(hash))
  }

  /** The caller behind the key, or null when it is unknown, revoked or expired. */
  async callerOf(key: string): Promise<KeyCaller | null> {
    const hash = hashOf(key)
    const now = this.#parts.clock.now().getTime()
    const row = this.#recall(hash) ?? await this.#look(hash)
    if (!row || (row.expiresAt !== null && row.expiresAt <= now)) return null
    return { kind: 'key', id: row.id, organization: row.organization, permissions: row.permissions }
  }

  #recall(hash: string): KeyRow | undefined {
    const verdict = this.#verdicts.get(hash)
    return verdict && verdict.until > performance.now() ? verdict.row : undefined
  }

  async #look(hash: string): Promise<KeyRow | undefined> {
    const changes = this.#changes
    const row = await readKey(this.#parts.db, hash)
    if (row && changes === this.#changes) {
      if (this.#verdicts.size >= remembered) this.#verdicts.clear()
      this.#verdicts.set(hash, { row, until: performance.now() + verdictLife })
    }
    return row
  }

  /** An empty payload: the connection was away, so anything may have changed. */
  #forget(hash: string): void {
    this.#changes++
    if (hash === '') this.#verdicts.clear()
    else this.#verdicts.delete(hash)
  }
}
