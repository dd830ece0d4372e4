import type { Knex } from 'knex'
import type { JobType } from '../kernel/words.ts'

/** Counts the units of the jobs of one type by organization, from one instant, inclusive, to another, exclusive. */
export async function countJobUnits(
  db: Knex,
  { type, from, to }: { type: JobType; from: Date; to: Date },
): Promise<{ organization: string; units: number }[]> {
  const { rows } = await db.raw<{ rows: { organization: string; units: number }[] }>(
    `select organization, sum(total)::bigint as units from jobs
     where type = ? and created_at >= ? and created_at < ? group by organization`,
    [type, from, to],
  )
  return rows
}
