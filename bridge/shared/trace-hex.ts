import { randomFillSync } from 'node:crypto'

/** Random bytes that are drawn at once: drawing them one by one costs each request more than everything else of its ids. */
const pool = Buffer.alloc(4_096)
let next = pool.length

/**
 * Creates a random id of a trace or of a request in it: lower-case hexadecimal digits that are never only zeros. Source:
 * W3C Trace Context, trace-id and parent-id.
 * @param byteCount half the number of digits, at most 64
 */
export function createTraceHex(byteCount: number): string {
  if (next + byteCount > pool.length) {
    randomFillSync(pool)
    next = 0
  }
  next += byteCount
  return `1${pool.toString('hex', next - byteCount, next).slice(1)}`
}
