import type { Knex } from 'knex'

/** Rows of a table that are removed some days after they have ended. */
export type Retention = {
  /** How long they are kept; 0 for what has its own end in the row. */
  days: number
} & ({
  /** Which rows of the table, called `r`, may go; `:before` is the instant before which they have to have ended. */
  rows: string
} | {
  /** Rows of a job go with what became of the job, called `j`; the table's primary key begins with their column `job`. */
  ofJobs: string
})

/** Rows that one statement removes, and jobs that one looks at, so that none holds locks, or lasts, for long. */
const batch = 5_000
const portion = 1_000

const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Removes rows of a table that were kept for long enough. Bears running in several processes at a time: what one of them
 * has in hand the others pass by.
 * @param at what counts as now; without it the database's own clock, as that of a worker may be wrong
 */
export async function removeOldRows(db: Knex, table: string, retention: Retention, at: Date | null = null): Promise<void> {
  const { rows: [limit] } = await db.raw<{ rows: { before: Date }[] }>(
    'select coalesce(?::timestamptz, now()) - make_interval(days => ?) as before', [at, retention.days] as Knex.RawBinding[])
  if (!limit) throw new Error('The database tells no time')
  if ('rows' in retention) return removeRows(db, table, retention.rows, { before: limit.before })
  for (let after = firstId, more = true; more;) {
    const jobs = await jobsIn(db, table, retention.ofJobs, { after, before: limit.before })
    const due = jobs.filter(({ ended }) => ended).map(({ job }) => job)
    if (due.length > 0) await removeRows(db, table, 'r.job = any(:due::uuid[])', { due })
    after = jobs.at(-1)?.job ?? after
    more = jobs.length === portion
  }
}

/** The next jobs that have rows in the table, one look-up in its index for each however many rows it has. */
async function jobsIn(
  db: Knex, table: string, ended: string, values: { after: string; before: Date },
): Promise<{ job: string; ended: boolean }[]> {
  const { rows } = await db.raw<{ rows: { job: string; ended: boolean }[] }>(
    `with recursive seen as (
       (select r.job from ${table} r where r.job > :after::uuid order by r.job limit 1)
       union all
       select (select r.job from ${table} r where r.job > seen.job order by r.job limit 1) from seen where seen.job is not null
     )
     select job, coalesce((select ${ended} from jobs j where j.id = job), false) as ended
     from (select job from seen where job is not null limit ${portion}) as jobs_next`, values)
  return rows
}

async function removeRows(db: Knex, table: string, condition: string, values: Record<string, unknown>): Promise<void> {
  for (;;) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from ${table} where ctid = any(array(
         select r.ctid from ${table} r where ${condition} limit ${batch} for update of r skip locked))`, values as Record<string, Knex.RawBinding>)
    if (rowCount < batch) return
  }
}
