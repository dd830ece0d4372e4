import type { Knex } from 'knex'
import { listLength } from './status-lists.ts'

export type StatusPurpose = 'revocation' | 'suspension'

/** The position of a credential in a pair of lists. */
export interface StatusListPosition {
  pair: string
  index: number
}

/**
 * Sets or clears the bits of these positions in the lists of a purpose, in the caller's transaction. Locks the lists
 * until its end, in the same order as the allocation of positions, which avoids deadlocks. A list whose bits changed
 * gets a new version, so that its readers see the change.
 */
export async function updateStatusBits(
  trx: Knex,
  purpose: StatusPurpose,
  value: boolean,
  positions: readonly StatusListPosition[],
): Promise<void> {
  if (positions.length === 0) return
  const byPair = Map.groupBy(positions, ({ pair }) => pair)
  const { rows: lists } = await trx.raw<{ rows: { id: string; pair: string; bits: Buffer }[] }>(
    `select id, pair, bits from status_lists where pair = any(?::uuid[]) and purpose = ?
     order by created_at, id for update`,
    [[...byPair.keys()], purpose],
  )
  const changed = lists.flatMap(({ id, pair, bits }) => {
    const before = Buffer.from(bits)
    for (const { index } of byPair.get(pair) ?? []) setBit(bits, index, value)
    return bits.equals(before) ? [] : [{ id, bits }]
  })
  if (changed.length === 0) return
  await trx.raw(
    `update status_lists l set bits = changed.bits, version = version + 1, updated_at = clock_timestamp()
     from unnest(?::uuid[], ?::bytea[]) as changed (id, bits) where l.id = changed.id`,
    [changed.map(({ id }) => id), changed.map(({ bits }) => bits)] as Knex.RawBinding[],
  )
}

/**
 * Sets the bit of an entry. Entry 0 is the leftmost bit of the first byte. Source: W3C Bitstring Status List 1.0,
 * section 3.1.
 */
function setBit(bits: Buffer, index: number, value: boolean): void {
  if (index < 0 || index >= listLength) throw new Error(`a status list has no entry ${index}`)
  const at = index >>> 3
  const mask = 0x80 >>> (index & 7)
  const byte = bits[at] ?? 0
  bits[at] = value ? byte | mask : byte & ~mask
}
