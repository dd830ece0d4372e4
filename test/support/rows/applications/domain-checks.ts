import { checksChannel } from '../../../../core/features/applications/domains/domains.names.ts'
import type { Context } from '../../../../core/kernel/work.ts'

/**
 * Lets the proof of a domain be missing for these days and makes the domain due for a check, and notifies workers as of
 * a new domain, which is sooner than they look for domains that are due.
 */
export async function ageMissingProof(
  { db, notices }: Pick<Context, 'db' | 'notices'>,
  { domain, days }: { domain: string; days: number },
): Promise<void> {
  await db('application_domains')
    .where({ domain })
    .update({
      missing_since: db.raw(`now() - make_interval(days => ?)`, [days]),
      next_check_at: db.fn.now(),
      checked_at: null,
    })
  await notices.notify(db, checksChannel, '')
}

/** Reads how many milliseconds after its last check a domain is due for the next one, which no answer shows. */
export async function readCheckIntervalMs(
  { db }: Pick<Context, 'db'>,
  { application, domain }: { application: string; domain: string },
): Promise<number> {
  const row = await db('application_domains')
    .where({ application, domain })
    .first<{ next_check_at: Date; checked_at: Date | null } | undefined>('next_check_at', 'checked_at')
  if (!row?.checked_at) throw new Error(`The domain ${domain} was never checked`)
  return row.next_check_at.getTime() - row.checked_at.getTime()
}
