import type { Knex } from 'knex'

/** Jobs of one type in one state, and how long the oldest of them has been in that state. */
export interface JobState {
  type: string
  /**
   * `due`: waits for a worker. `waiting`: waits for something else or for its next attempt. `failed`: failed within a
   * day.
   */
  state: 'due' | 'running' | 'waiting' | 'failed'
  count: number
  oldestSeconds: number
}

/** Lists the present states of jobs. Reads only jobs that have not ended, and those that failed within the last day; none that wait for the restore of a deleted organization. */
export async function listJobStates(db: Knex): Promise<JobState[]> {
  const { rows } = await db.raw<{ rows: JobState[] }>(
    `with working as materialized (
       select organization from (select distinct organization from jobs where status = 'pending') seen
       where not is_organization_deleted(organization))
     select type, state, count(*)::int as count,
       greatest(0, extract(epoch from now() - min(since)))::float8 as "oldestSeconds"
     from (
       select type,
         case when lease_until > now() then 'running' when due_at <= now() then 'due' else 'waiting' end as state,
         case when lease_until is null and due_at <= now() then due_at else updated_at end as since
       from jobs join working using (organization) where status = 'pending'
       union all
       select type, 'failed', updated_at from jobs where status = 'failed' and updated_at > now() - interval '1 day'
     ) as seen
     group by type, state order by type, state`,
  )
  return rows
}

/** Creates the gauges of the states of jobs, for the metrics. */
export function createJobFigures(db: Knex) {
  const createFigure = (name: string, description: string, value: (state: JobState) => number) => ({
    name,
    description,
    readValues: async () =>
      (await listJobStates(db)).map((found) => ({
        value: value(found),
        labels: { type: found.type, state: found.state },
      })),
  })
  return [
    createFigure('tessera_jobs', 'Jobs by type and state.', ({ count }) => count),
    createFigure(
      'tessera_jobs_oldest_seconds',
      'Age of the oldest job by type and state.',
      (state) => state.oldestSeconds,
    ),
  ]
}
