import { randomFillSync } from 'node:crypto'
import { Model as ObjectionModel, snakeCaseMappers, type Pojo } from 'objection'
import { v7 } from 'uuid'

/** Random bytes for many identifiers: drawing them for each identifier would take longer than all its other work. */
const randomPool = Buffer.alloc(4_096)
let usedBytes = randomPool.length
/** Milliseconds and counter of the newest identifier. */
let newestMs = 0
let counter = 0

/**
 * Creates an identifier that sorts by creation, also among those of this process in the same millisecond: a 32-bit
 * counter starts at a random value in each millisecond. Source: RFC 9562, version 7; section 6.2, method 1.
 */
export function newId(): string {
  if (usedBytes >= randomPool.length) {
    randomFillSync(randomPool)
    usedBytes = 0
  }
  const random = randomPool.subarray(usedBytes, usedBytes + 16)
  usedBytes += 16
  const now = Date.now()
  if (now > newestMs) {
    newestMs = now
    counter = random.readUInt32LE() >>> 1
  } else if (++counter > 0xffff_ffff) {
    newestMs++
    counter = 0
  }
  return v7({ random, msecs: newestMs, seq: counter })
}

/**
 * Base class of all models: columns in snake case, instants as RFC 3339 text with milliseconds. Subclasses `declare`
 * their columns, because an initialized field would be written with every patch.
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
