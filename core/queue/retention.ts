import type { Knex } from 'knex'

/** Rows of a table that are removed some days after they have ended. */
export interface Retention {
  /** How long they are kept; 0 for what has its own end in the row. */
  days: number
  /** Which rows of the table, called `r`, may go; `:before` is the instant before which they have to have ended. */
  rows: string
  /** Another table by whose index they are found, with the name it has in `rows`. */
  beside?: string
}

/** Rows that one statement removes, so that none holds locks for long. */
const batch = 5_000

/**
 * Removes rows of a table that were kept for long enough. Bears running in several processes at a time: what one of them
 * has in hand the others pass by.
 * @param at what counts as now; without it the database's own clock, as that of a worker may be wrong
 */
export async function removeOldRows(
  db: Knex, table: string, { days, rows, beside }: Retention, at: Date | null = null,
): Promise<void> {
  const { rows: [limit] } = await db.raw<{ rows: { before: Date }[] }>(
    'select coalesce(?::timestamptz, now()) - make_interval(days => ?) as before', [at, days] as Knex.RawBinding[])
  if (!limit) throw new Error('The database tells no time')
  for (;;) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from ${table} where ctid = any(array(
         select r.ctid from ${table} r${beside === undefined ? '' : `, ${beside}`}
         where ${rows} limit ${batch} for update of r skip locked))`, { before: limit.before })
    if (rowCount < batch) return
  }
}
