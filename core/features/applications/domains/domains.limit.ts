import type { Knex } from 'knex'
import { createProblem } from '../../../kernel/problem.ts'
import { lockByName } from '../../../database/lock.ts'
import type { Context } from '../../../kernel/work.ts'

/** Maximum number of checks of one domain for one organization within an hour, requested or scheduled. */
export const maxChecksPerHour = 10

/**
 * Counts one check of a domain, in its own transaction. The count belongs to the organization: removing a domain and
 * adding it again, also in another application, does not reset the count.
 * @returns 0 if the check was counted; otherwise the limit is reached, and the number is the seconds to wait
 */
export async function countCheck(db: Knex, organization: string, domain: string): Promise<number> {
  return db.transaction(async (trx) => {
    await lockByName(trx, `domain check:${organization}:${domain}`)
    const recent = trx('domain_checks')
      .where({ organization, domain })
      .where('checked_at', '>', trx.raw(`now() - interval '1 hour'`))
    const {
      rows: [counted],
    } = await trx.raw<{ rows: { count: number; seconds: number }[] }>(
      `
      select count(*)::int as count, ceil(extract(epoch from min(checked_at) + interval '1 hour' - now()))::int as seconds
      from (?) recent`,
      [recent.select('checked_at')],
    )
    if ((counted?.count ?? 0) >= maxChecksPerHour) return Math.max(1, counted?.seconds ?? 1)
    await trx('domain_checks').insert({ organization, domain })
    return 0
  })
}

/** Creates the problem for a check beyond the limit. */
export const createTooManyChecksProblem = (seconds: number) =>
  createProblem(
    'RATE_LIMITED',
    `A domain is checked at most ${maxChecksPerHour} times an hour. Try again in ${seconds} s.`,
    {
      headers: { 'Retry-After': String(seconds) },
    },
  )

/**
 * Corrects times that lie in the future because the clock was set back: otherwise checks would count for longer than an
 * hour, and a running check would block the domain for longer than its minute.
 */
export async function repairFutureChecks({ db }: Pick<Context, 'db'>): Promise<void> {
  await db.raw("update domain_checks set checked_at = now() where checked_at > now() + interval '5 s'")
  await db.raw(
    "update application_domains set checking_until = null where checking_until > now() + interval '2 minutes'",
  )
}

/** Deletes checks that no longer count towards the limit. */
export async function deleteOldChecks({ db }: Pick<Context, 'db'>): Promise<void> {
  await db('domain_checks').where('checked_at', '<', db.raw(`now() - interval '1 hour'`)).delete()
}
