import type { Client } from 'pg'
import type { Term } from './person.ts'
import { blankTerms } from './search.ts'

/**
 * Bytes to search on each side of the border of two pieces. No address is longer, even with the zero bytes of UTF-16.
 */
const borderBytes = 1_000

interface PieceBorder {
  upload: string
  place: number
  size: number
  tail: Buffer
  head: Buffer
}

/** Blanks terms of staged files that cross the border of two pieces. @returns number of changed pieces */
export async function erasePieces(client: Client, terms: readonly Term[]): Promise<number> {
  if (terms.length === 0) return 0
  const { rows } = await client.query<PieceBorder>(
    `select one.upload, one.place, length(one.bytes) as size,
       substring(one.bytes from greatest(1, length(one.bytes) - ${borderBytes} + 1)) as tail, substring(next.bytes from 1 for ${borderBytes}) as head
     from import_pieces one join import_pieces next on next.upload = one.upload and next.place = one.place + 1
     where encode(substring(one.bytes from greatest(1, length(one.bytes) - ${borderBytes} + 1)) || substring(next.bytes from 1 for ${borderBytes}),
       'escape') ~* $1`,
    [terms.map(({ sqlPattern }) => sqlPattern).join('|')],
  )
  let changed = 0
  for (const { upload, place, size, tail, head } of rows) {
    const before = Buffer.concat([tail, head]).toString('latin1')
    const after = Buffer.from(blankTerms(before, terms), 'latin1')
    if (after.toString('latin1') === before) continue
    await client.query('begin')
    await client.query(
      'update import_pieces set bytes = overlay(bytes placing $3 from $4) where upload = $1 and place = $2',
      [upload, place, after.subarray(0, tail.length), size - tail.length + 1],
    )
    await client.query(
      'update import_pieces set bytes = overlay(bytes placing $3 from 1) where upload = $1 and place = $2',
      [upload, place + 1, after.subarray(tail.length)],
    )
    await client.query('commit')
    changed += 2
  }
  return changed
}
