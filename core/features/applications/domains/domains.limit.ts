import type { Knex } from 'knex'
import { problem } from '../../../kernel/problem.ts'
import { lockByName } from '../../../database/lock.ts'
import type { Context } from '../../../kernel/work.ts'

/** Checks of one domain that an organization gets within an hour, whoever asks for them. */
export const maxChecksPerHour = 10

/**
 * Counts one check of a domain, in a transaction of its own. The count is the organization's: removing a domain and
 * naming it again, also in another application, gives no more of them.
 * @returns 0, or the seconds to wait where there have been enough: then it is not counted
 */
export async function countCheck(db: Knex, organization: string, domain: string): Promise<number> {
  return db.transaction(async (trx) => {
    await lockByName(trx, `domain check:${organization}:${domain}`)
    const recent = trx('domain_checks').where({ organization, domain }).where('checked_at', '>', trx.raw(`now() - interval '1 hour'`))
    const { rows: [found] } = await trx.raw<{ rows: { count: number; seconds: number }[] }>(`
      select count(*)::int as count, ceil(extract(epoch from min(checked_at) + interval '1 hour' - now()))::int as seconds
      from (?) recent`, [recent.select('checked_at')])
    if ((found?.count ?? 0) >= maxChecksPerHour) return Math.max(1, found?.seconds ?? 1)
    await trx('domain_checks').insert({ organization, domain })
    return 0
  })
}

/** Refuses a check past the limit. */
export const tooManyChecks = (seconds: number) =>
  problem('RATE_LIMITED', `A domain is checked at most ${maxChecksPerHour} times an hour. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })

/** Checks from before the clock went back count as of now: they would be counted for longer than an hour. */
export async function bringChecksBack({ db }: Pick<Context, 'db'>): Promise<void> {
  await db.raw('update domain_checks set checked_at = now() where checked_at > now() + interval \'5 s\'')
  await db.raw('update application_domains set checking_until = null where checking_until > now() + interval \'2 minutes\'')
}

/** Forgets checks that no limit concerns any more. */
export async function forgetChecks({ db }: Pick<Context, 'db'>): Promise<void> {
  await db('domain_checks').where('checked_at', '<', db.raw(`now() - interval '1 hour'`)).delete()
}
