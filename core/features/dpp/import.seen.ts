import { hash } from 'node:crypto'
import type { Knex } from 'knex'
import { referenceKey } from './import.keys.ts'
import { problemOf, type Candidate } from './import.plan.ts'
import type { StoreOptions } from './import.types.ts'

/** Bytes of a key that are kept: two of a million files of a million rows have none in common by chance. */
const kept = 20

const keysOf = ({ reference, numbers }: Candidate): string[] =>
  [...(reference === null ? [] : [referenceKey(reference)]), ...(numbers === null ? [] : [numbers])]
    .map((key) => hash('sha256', key, 'hex').slice(0, 2 * kept))

/**
 * What would become of rows that a dry run is about to make: those that an earlier slice would have made are doubles.
 * With `update` such a row counts as updated, as what it would have changed is nowhere.
 */
export async function passSeen(
  trx: Knex, { batch, onDuplicate }: StoreOptions, candidates: readonly Candidate[],
): Promise<{ fresh: number; skipped: number; updated: number; errors: ReturnType<typeof problemOf>[] }> {
  const keyed = candidates.map((candidate) => ({ candidate, keys: keysOf(candidate) }))
  const { rows } = await trx.raw<{ rows: { key: string }[] }>(
    `select encode(key, 'hex') as key from import_keys
     where job = ? and key = any(array(select decode(text, 'hex') from unnest(?::text[]) as text))`,
    [batch, keyed.flatMap(({ keys }) => keys)])
  const seen = new Set(rows.map(({ key }) => key))
  const [doubles, fresh] = [keyed.filter(({ keys }) => keys.some((key) => seen.has(key))), [] as string[]]
  let made = 0
  for (const { keys } of keyed) {
    if (keys.some((key) => seen.has(key))) continue
    fresh.push(...keys)
    made++
  }
  await trx.raw(
    `insert into import_keys (job, key) select ?, decode(text, 'hex') from unnest(?::text[]) as text
     on conflict do nothing`, [batch, fresh])
  const count = (policy: StoreOptions['onDuplicate']) => (onDuplicate === policy ? doubles.length : 0)
  const path = ({ reference }: Candidate) => (reference === null ? 'product' : 'reference')
  return {
    fresh: made, skipped: count('skip'), updated: count('update'),
    errors: onDuplicate !== 'fail' ? [] : doubles.map(({ candidate }) =>
      problemOf(candidate, path(candidate), 'An earlier row of the file has the same.')),
  }
}
