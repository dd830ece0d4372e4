/** Seconds for which a run keeps its job without renewing the lease. */
export const leaseSeconds = 10

/** SQL of the end of a lease that is taken or renewed now. */
export const leaseEndSql = `now() + interval '${leaseSeconds} s'`

/** Maximum number of organizations that one statement looks at; each costs one index lookup. */
const maxOrganizations = 500

const waitingCondition = `status = 'pending' and lease_until is null`
/**
 * SQL condition that turns off waiting for the disk. A lease need not survive a crash of the database: the job is then
 * leased again, and the run with the lost lease can write nothing.
 */
const unsyncedCondition = `(select set_config('synchronous_commit', 'off', true)) = 'off'`

/**
 * SQL that takes due jobs in turns by organization. Jobs of a deleted organization wait until it is restored. `seen` steps from one organization with jobs to the next.
 * `candidates` are the oldest jobs of each organization as far as it has room, in the order in which their turns end
 * (see `JobTurns`). `chosen` are those candidates that no other worker is taking at this moment. `after` is the last
 * organization that was looked at, if others may follow it. Without a job, the result is a single row that only has
 * `after`. Rows are looked up by id one by one, because with statistics from before a bulk insert the planner would
 * read the whole table.
 */
export const takeJobsSql = `
  with recursive seen as (
    (select organization, 1 as nth from jobs where ${waitingCondition} and organization > ? order by organization limit 1)
    union all
    select next.organization, seen.nth + 1 from seen, lateral (
      select organization from jobs where ${waitingCondition} and organization > seen.organization order by organization limit 1
    ) next where seen.nth < ${maxOrganizations}
  ), candidates as materialized (
    select job.id, job.due_at, weights.weight, coalesce(known.begins, turn.now) + job.nth * turn.cost / weights.weight as finish
    from (select ?::float8 as now, ?::float8 as cost, ?::int as room, ?::int as wanted) turn, seen
    left join unnest(?::uuid[], ?::float8[], ?::int[]) as known (organization, begins, room) using (organization)
    left join organizations on organizations.id = seen.organization
    cross join lateral (select coalesce(organizations.job_weight, 1)::float8 as weight) weights
    cross join lateral (
      select id, due_at, row_number() over (order by due_at) as nth from (
        select id, due_at from jobs
        where ${waitingCondition} and organization = seen.organization and due_at <= now() and type = any(?::text[])
        order by due_at limit least(coalesce(known.room, turn.room), turn.wanted)
      ) oldest
    ) job
    where organizations.deleted_at is null
    order by finish, job.due_at limit 2 * ?
  ), chosen as materialized (
    select free.id, candidates.weight, candidates.finish from candidates cross join lateral (
      select id from jobs where jobs.id = candidates.id and ${waitingCondition} and jobs.due_at <= now() limit 1
      for update skip locked
    ) free limit ?
  ), taken as (
    update jobs set lease_holder = gen_random_uuid(), lease_worker = ?, lease_until = ${leaseEndSql},
      attempts = attempts + 1, woken = false
    where id = any(array(select id from chosen)) and ${unsyncedCondition} returning *
  )
  select (select organization from seen where nth = ${maxOrganizations}) as after, taken.*, chosen.weight
  from (select) nothing left join (taken join chosen using (id)) on true order by chosen.finish`
