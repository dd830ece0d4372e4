/** How long a run holds its job without a sign of life, in seconds. */
export const leaseSeconds = 10

/** Until when a lease lasts that is taken or renewed now. */
export const leaseEnd = `now() + interval '${leaseSeconds} s'`

/** Organizations that one statement looks at: each costs a step through the index. */
const maxOrganizations = 500

const waits = `status = 'pending' and lease_until is null`
/** A claim need not outlive a crash of the database: a lost one is claimed again, and its run can write nothing. */
const unsynced = `(select set_config('synchronous_commit', 'off', true)) = 'off'`

/**
 * Takes jobs that are due, in turns by organization: `seen` steps from one organization that has jobs to the next,
 * `candidates` are the oldest of each as far as it has room, in the order in which their turns end (see `Turns`), and of
 * them those are taken that no other worker takes in this moment. `after` is the last organization that was looked at,
 * where there may be others behind it. Without a job there is one row of it alone. Rows are looked up by their ids one
 * by one, as statistics of before a bulk insert would have the planner read the whole table.
 */
export const takeStatement = `
  with recursive seen as (
    (select organization, 1 as nth from jobs where ${waits} and organization > ? order by organization limit 1)
    union all
    select next.organization, seen.nth + 1 from seen, lateral (
      select organization from jobs where ${waits} and organization > seen.organization order by organization limit 1
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
        where ${waits} and organization = seen.organization and due_at <= now() and type = any(?::text[])
        order by due_at limit least(coalesce(known.room, turn.room), turn.wanted)
      ) oldest
    ) job
    order by finish, job.due_at limit 2 * ?
  ), chosen as materialized (
    select free.id, candidates.weight, candidates.finish from candidates cross join lateral (
      select id from jobs where jobs.id = candidates.id and ${waits} and jobs.due_at <= now() limit 1
      for update skip locked
    ) free limit ?
  ), taken as (
    update jobs set lease_holder = gen_random_uuid(), lease_worker = ?, lease_until = ${leaseEnd},
      attempts = attempts + 1, woken = false
    where id = any(array(select id from chosen)) and ${unsynced} returning *
  )
  select (select organization from seen where nth = ${maxOrganizations}) as after, taken.*, chosen.weight
  from (select) nothing left join (taken join chosen using (id)) on true order by chosen.finish`
