import type { Knex } from 'knex'

/** A table that only tests of the retention have, with the conditions by which its rows are removed. */
export const removableTable = 'removable_rows'
export const removableConditions = {
  ended: 'r.at < :before',
  /** For the jobs of one organization. */
  endedJobsOf: (organization: string, ended: string) => `j.organization = '${organization}' and ${ended}`,
} as const

/** Creates the table, with rows of jobs, each of an age of its own. */
export async function createRemovableTable(db: Knex): Promise<void> {
  await db.raw(
    `create table ${removableTable} (job uuid not null, line int not null, at timestamptz not null, primary key (job, line))`,
  )
}

export async function dropRemovableTable(db: Knex): Promise<void> {
  await db.raw(`drop table if exists ${removableTable}`)
}

/** Inserts so many rows of each job, which ended at this instant. */
export async function insertRemovableRows(
  db: Knex,
  { jobs, count, at }: { jobs: readonly string[]; count: number; at: Date },
): Promise<void> {
  await db.raw(
    `insert into ${removableTable} select job, line, ? from unnest(?::uuid[]) job, generate_series(1, ?) line`,
    [at, jobs as string[], count],
  )
}

/** Counts the rows that are left of each job, in the order of the jobs. A job without rows is not among them. */
export async function countRemovableRows(db: Knex): Promise<{ job: string; count: number }[]> {
  return db(removableTable)
    .groupBy('job')
    .orderBy('job')
    .select<{ job: string; count: number }[]>('job', db.raw('count(*)::int as count'))
}

/** Deletes the jobs of an organization that no other test has. */
export async function deleteJobsOf(db: Knex, organization: string): Promise<void> {
  await db('jobs').where({ organization }).delete()
}
