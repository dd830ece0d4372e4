import type { Knex } from 'knex'
import { formatReferenceKey } from './import.keys.ts'
import { createConflictIssue, type ImportCandidate } from './import.plan.ts'
import type { StoreOptions } from './import.types.ts'

const listKeys = ({ reference, identityKey }: ImportCandidate): string[] => [
  ...(reference === null ? [] : [formatReferenceKey(reference)]),
  ...(identityKey === null ? [] : [identityKey]),
]

/**
 * Finds out what would become of the rows that a dry run would create: a row with the same keys as a row of an earlier
 * slice is a duplicate. With `update`, such a row counts as updated, because the passport that it would have changed
 * does not exist.
 */
export async function findSeenRows(
  trx: Knex,
  { seenKeys, onDuplicate }: StoreOptions,
  candidates: readonly ImportCandidate[],
): Promise<{ fresh: number; skipped: number; updated: number; errors: ReturnType<typeof createConflictIssue>[] }> {
  const keyed = candidates.map((candidate) => ({ candidate, keys: listKeys(candidate) }))
  const seen = await seenKeys.find(
    trx,
    keyed.flatMap(({ keys }) => keys),
  )
  const [doubles, fresh] = [keyed.filter(({ keys }) => keys.some((key) => seen.has(key))), [] as string[]]
  let made = 0
  for (const { keys } of keyed) {
    if (keys.some((key) => seen.has(key))) continue
    fresh.push(...keys)
    made++
  }
  await seenKeys.add(trx, fresh)
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
