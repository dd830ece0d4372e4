import type { Knex } from 'knex'
import { lockByName } from '../../../database/lock.ts'
import type { Context } from '../../../kernel/work.ts'
import type { PointsTarget } from './chain.ts'

/** Whose entries a job gathers: those of an application on a network. */
export type GatheringPlace = Pick<PointsTarget, 'application' | 'network'>

/** Seconds for which a job gathers the entries of an application before it closes. */
export const gatheringSeconds = 1

const formatLockName = ({ application, network }: GatheringPlace) => `points ${application} ${network}`

/**
 * Returns the job that gathers the entries of the application now, and creates it if there is none. The job does not
 * close before the transaction ends.
 */
export async function gatherJob(
  trx: Knex,
  context: Pick<Context, 'queue'>,
  target: Pick<PointsTarget, 'organization' | 'application' | 'network'>,
): Promise<string> {
  await trx.raw('select pg_advisory_xact_lock_shared(hashtextextended(?, 0))', [formatLockName(target)])
  const known = await findGathering(trx, target)
  if (known) return known
  const { organization, application, network } = target
  const job = await context.queue.enqueue(trx, {
    type: 'points',
    organization,
    application,
    total: 0,
    payload: { application, network },
  })
  const { rows } = await trx.raw<{ rows: { job: string }[] }>(
    `insert into loyalty_gatherings (application, network, job) values (?, ?, ?)
     on conflict (application, network) do nothing returning job`,
    [application, network, job],
  )
  if (rows.length > 0) {
    // The notice goes out with the commit, whoever the caller is.
    await context.queue.wakeJobs(trx, job)
    return job
  }
  // Another transaction opened the gathering meanwhile and has committed.
  await context.queue.discardJob(trx, job)
  const opened = await findGathering(trx, target)
  if (!opened) throw new Error(`The gathering of ${formatLockName(target)} is gone`)
  return opened
}

async function findGathering(trx: Knex, { application, network }: GatheringPlace): Promise<string | undefined> {
  const { rows } = await trx.raw<{ rows: { job: string }[] }>(
    'select job from loyalty_gatherings where application = ? and network = ?',
    [application, network],
  )
  return rows[0]?.job
}

/**
 * Closes the gathering of a job that has been open long enough: it waits for the entries that are under way, and later
 * ones open the next. It has a transaction of its own, because it must not hold a job's row while it waits for entries.
 * @returns false if it is too early
 */
export async function closeGathering(db: Knex, job: string, place: GatheringPlace): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { is_old: boolean }[] }>(
    `select opened_at <= clock_timestamp() - interval '${gatheringSeconds} s' as is_old from loyalty_gatherings
     where application = ? and network = ? and job = ?`,
    [place.application, place.network, job],
  )
  const [open] = rows
  if (!open) return true
  if (!open.is_old) return false
  await db.transaction(async (trx) => {
    await lockByName(trx, formatLockName(place))
    await trx.raw('delete from loyalty_gatherings where application = ? and network = ? and job = ?', [
      place.application,
      place.network,
      job,
    ])
  })
  return true
}
