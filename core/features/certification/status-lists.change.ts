import type { Knex } from 'knex'
import { listLength } from './status-lists.ts'

export type StatusPurpose = 'revocation' | 'suspension'

/** A place in a pair of lists. */
export interface ListPlace { pair: string; index: number }

/**
 * Sets, or clears, the bits of these places in the lists of a purpose, in the caller's transaction. The lists stay
 * locked until its end, in the order in which places are taken from them, so that nobody waits in a circle. A list of
 * which a bit changed has another version, by which its readers see that it did.
 */
export async function markPlaces(
  trx: Knex, purpose: StatusPurpose, value: boolean, places: readonly ListPlace[],
): Promise<void> {
  if (places.length === 0) return
  const byPair = Map.groupBy(places, ({ pair }) => pair)
  const { rows: lists } = await trx.raw<{ rows: { id: string; pair: string; bits: Buffer }[] }>(
    `select id, pair, bits from status_lists where pair = any(?::uuid[]) and purpose = ?
     order by created_at, id for update`, [[...byPair.keys()], purpose])
  const changed = lists.flatMap(({ id, pair, bits }) => {
    const before = Buffer.from(bits)
    for (const { index } of byPair.get(pair) ?? []) setBit(bits, index, value)
    return bits.equals(before) ? [] : [{ id, bits }]
  })
  if (changed.length === 0) return
  await trx.raw(
    `update status_lists l set bits = changed.bits, version = version + 1, updated_at = clock_timestamp()
     from unnest(?::uuid[], ?::bytea[]) as changed (id, bits) where l.id = changed.id`,
    [changed.map(({ id }) => id), changed.map(({ bits }) => bits)] as Knex.RawBinding[])
}

/** The first entry is the leftmost bit of the first byte. Source: W3C Bitstring Status List 1.0, section 3.1. */
function setBit(bits: Buffer, index: number, value: boolean): void {
  if (index < 0 || index >= listLength) throw new Error(`a status list has no entry ${index}`)
  const at = index >>> 3
  const mask = 0x80 >>> (index & 7)
  const byte = bits[at] ?? 0
  bits[at] = value ? byte | mask : byte & ~mask
}
