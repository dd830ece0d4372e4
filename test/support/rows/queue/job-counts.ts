import type { Knex } from 'knex'

/** Counts the jobs of an organization, in whatever state they are. */
export async function countJobs(db: Knex, organization: string): Promise<number> {
  const [row] = await db('jobs').where({ organization }).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Counts the items of all jobs that are passports of an organization. */
export async function countPassportItems(db: Knex, organization: string): Promise<number> {
  const [row] = await db('job_items')
    .join('passports', 'passports.id', 'job_items.subject')
    .where('passports.organization', organization)
    .count<{ count: string }[]>('*')
  return Number(row?.count)
}
