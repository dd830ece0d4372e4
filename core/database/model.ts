import { randomFillSync } from 'node:crypto'
import { Model as ObjectionModel, snakeCaseMappers, type Pojo } from 'objection'
import { v7 } from 'uuid'

/** Random bytes are drawn for many identifiers at once: a draw for each would take longer than all else of it. */
const pool = Buffer.alloc(4_096)
let used = pool.length
/** Milliseconds and counter of the newest identifier. */
let last = 0
let counter = 0

/**
 * A new identifier that sorts by creation, also among those of this process in one millisecond: a counter of 32 bits
 * begins anew, at random, with each millisecond. Source: RFC 9562, version 7; section 6.2, method 1.
 */
export function newId(): string {
  if (used >= pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.subarray(used, used + 16)
  used += 16
  const now = Date.now()
  if (now > last) {
    last = now
    counter = random.readUInt32LE() >>> 1
  } else if (++counter > 0xffff_ffff) {
    last++
    counter = 0
  }
  return v7({ random, msecs: last, seq: counter })
}

/**
 * Base of every model: columns in snake case, instants as RFC 3339 text with milliseconds.
 * Subclasses `declare` their columns: an initialized field would be written into every patch.
 */
export class Model extends ObjectionModel {
  declare id: string
  declare createdAt: string
  declare updatedAt: string

  static override columnNameMappers = snakeCaseMappers()
  static override useLimitInFirst = true

  override $parseDatabaseJson(json: Pojo): Pojo {
    const parsed = super.$parseDatabaseJson(json)
    for (const [name, value] of Object.entries(parsed)) {
      if (value instanceof Date) parsed[name] = value.toISOString()
    }
    return parsed
  }
}
