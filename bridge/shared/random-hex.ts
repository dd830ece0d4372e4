import { randomFillSync } from 'node:crypto'

/** Random bytes that are drawn at once: drawing them one by one costs each request more than everything else of its ids. */
const pool = Buffer.alloc(4_096)
let next = pool.length

/** Creates random lower-case hexadecimal digits. @param byteCount half their number, at most 64 */
export function createRandomHex(byteCount: number): string {
  if (next + byteCount > pool.length) {
    randomFillSync(pool)
    next = 0
  }
  next += byteCount
  return pool.toString('hex', next - byteCount, next)
}
