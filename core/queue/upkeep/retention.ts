import type { Knex } from 'knex'

/** The rule by which a table's rows are deleted some days after they have ended. */
export type Retention = {
  /** Days for which rows are kept; 0 for rows that have their own time of expiry. */
  days: number
} & (
  | {
      /**
       * Condition for the rows of the table `r` to delete; `:before` is the instant before which they must have ended.
       */
      rows: string
    }
  | {
      /** Condition for the jobs `j` whose rows to delete; the table's primary key begins with the column `job`. */
      ofJobs: string
    }
)

/** The retention of a table, or the reason why it has none: what else deletes its rows, or why they stay. */
export type TableRetention = Retention | string

/** Reasons that several tables have. */
export const retentionReasons = {
  person: 'Until the person is erased.',
  organization: 'Until its organization removes it.',
  ledger: 'What stands on a network and who owns it; an operation is done once because its row stays.',
  evidence: 'Proves what was certified, by whom and until when, or who decided it.',
} as const

/** The number of days that rows are kept, from the settings. */
export interface RetentionDays {
  jobRetentionDays: number
  importErrorRetentionDays: number
  attemptRetentionDays: number
  messageRetentionDays: number
  eventRetentionDays: number
}

/** Creates the SQL condition for a job that ended before the instant `:before`. @param job alias of its table */
export const createEndedCondition = (job: string): string =>
  `${job}.status <> 'pending' and ${job}.updated_at < :before`

/**
 * Maximum number of rows per delete statement, and of jobs per query, so that no statement holds locks or runs for
 * long.
 */
const deleteBatchSize = 5_000
const jobBatchSize = 1_000

const lowestId = '00000000-0000-0000-0000-000000000000'

/**
 * Deletes the rows of a table that were kept long enough. Several processes may run it at the same time: each skips the
 * rows that another one has locked.
 * @param at the time that counts as now; by default the clock of the database, because that of a worker may be wrong
 */
export async function removeOldRows(
  db: Knex,
  table: string,
  retention: Retention,
  at: Date | null = null,
): Promise<void> {
  const {
    rows: [limit],
  } = await db.raw<{ rows: { before: Date }[] }>(
    'select coalesce(?::timestamptz, now()) - make_interval(days => ?) as before',
    [at, retention.days] as Knex.RawBinding[],
  )
  if (!limit) throw new Error('The database tells no time')
  if ('rows' in retention) return removeRows(db, table, retention.rows, { before: limit.before })
  for (let after = lowestId, more = true; more;) {
    const jobs = await listJobsOfTable(db, table, retention.ofJobs, { after, before: limit.before })
    const due = jobs.filter(({ ended }) => ended).map(({ job }) => job)
    if (due.length > 0) await removeRows(db, table, 'r.job = any(:due::uuid[])', { due })
    after = jobs.at(-1)?.job ?? after
    more = jobs.length === jobBatchSize
  }
}

/** Lists the next jobs that have rows in the table, with one index lookup per job, however many rows the job has. */
async function listJobsOfTable(
  db: Knex,
  table: string,
  ended: string,
  values: { after: string; before: Date },
): Promise<{ job: string; ended: boolean }[]> {
  const { rows } = await db.raw<{ rows: { job: string; ended: boolean }[] }>(
    `with recursive seen as (
       (select r.job from ${table} r where r.job > :after::uuid order by r.job limit 1)
       union all
       select (select r.job from ${table} r where r.job > seen.job order by r.job limit 1) from seen where seen.job is not null
     )
     select job, coalesce((select ${ended} from jobs j where j.id = job), false) as ended
     from (select job from seen where job is not null limit ${jobBatchSize}) as jobs_next`,
    values,
  )
  return rows
}

async function removeRows(db: Knex, table: string, condition: string, values: Record<string, unknown>): Promise<void> {
  for (;;) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from ${table} where ctid = any(array(
         select r.ctid from ${table} r where ${condition} limit ${deleteBatchSize} for update of r skip locked))`,
      values as Record<string, Knex.RawBinding>,
    )
    if (rowCount < deleteBatchSize) return
  }
}
