import type { Knex } from 'knex'

/** Jobs of one type in one state, and how long the oldest of them has been in it. */
export interface JobState {
  type: string
  /** `due`: waits for a worker. `waiting`: for something else, or for its next attempt. `failed`: within a day. */
  state: 'due' | 'running' | 'waiting' | 'failed'
  count: number
  oldestSeconds: number
}

/** What jobs do at the moment. Reads only jobs that have not ended, and those that failed within the last day. */
export async function jobStates(db: Knex): Promise<JobState[]> {
  const { rows } = await db.raw<{ rows: JobState[] }>(
    `select type, state, count(*)::int as count,
       greatest(0, extract(epoch from now() - min(since)))::float8 as "oldestSeconds"
     from (
       select type,
         case when lease_until > now() then 'running' when due_at <= now() then 'due' else 'waiting' end as state,
         case when lease_until is null and due_at <= now() then due_at else updated_at end as since
       from jobs where status = 'pending'
       union all
       select type, 'failed', updated_at from jobs where status = 'failed' and updated_at > now() - interval '1 day'
     ) as seen
     group by type, state order by type, state`)
  return rows
}

/** The same as figures for the metrics. */
export function jobFigures(db: Knex) {
  const figure = (name: string, description: string, value: (state: JobState) => number) => ({
    name, description,
    read: async () => (await jobStates(db)).map((found) =>
      ({ value: value(found), labels: { type: found.type, state: found.state } })),
  })
  return [
    figure('tessera_jobs', 'Jobs by type and state.', ({ count }) => count),
    figure('tessera_jobs_oldest_seconds', 'Age of the oldest job by type and state.', (state) => state.oldestSeconds),
  ]
}
