import { hash } from 'node:crypto'
import type { Knex } from 'knex'
import { formatReferenceKey } from './import.keys.ts'
import { createConflictIssue, type ImportCandidate } from './import.plan.ts'
import type { StoreOptions } from './import.types.ts'

/**
 * The number of bytes that are stored of a key's hash: enough that two keys of a million files with a million rows each
 * never collide by chance.
 */
const keyHashLength = 20

const hashKeys = ({ reference, identityKey }: ImportCandidate): string[] =>
  [...(reference === null ? [] : [formatReferenceKey(reference)]), ...(identityKey === null ? [] : [identityKey])].map(
    (key) => hash('sha256', key, 'hex').slice(0, 2 * keyHashLength),
  )

/**
 * Finds out what would become of the rows that a dry run would create: a row with the same keys as a row of an earlier
 * slice is a duplicate. With `update`, such a row counts as updated, because the passport that it would have changed
 * does not exist.
 */
export async function findSeenRows(
  trx: Knex,
  { job, onDuplicate }: StoreOptions,
  candidates: readonly ImportCandidate[],
): Promise<{ fresh: number; skipped: number; updated: number; errors: ReturnType<typeof createConflictIssue>[] }> {
  const keyed = candidates.map((candidate) => ({ candidate, keys: hashKeys(candidate) }))
  const { rows } = await trx.raw<{ rows: { key: string }[] }>(
    `select encode(key, 'hex') as key from import_keys
     where job = ? and key = any(array(select decode(text, 'hex') from unnest(?::text[]) as text))`,
    [job, keyed.flatMap(({ keys }) => keys)],
  )
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
     on conflict do nothing`,
    [job, fresh],
  )
  const count = (policy: StoreOptions['onDuplicate']) => (onDuplicate === policy ? doubles.length : 0)
  const path = ({ reference }: ImportCandidate) => (reference === null ? 'product' : 'reference')
  return {
    fresh: made,
    skipped: count('skip'),
    updated: count('update'),
    errors:
      onDuplicate !== 'fail'
        ? []
        : doubles.map(({ candidate }) =>
            createConflictIssue(candidate, path(candidate), 'An earlier row of the file has the same.'),
          ),
  }
}
