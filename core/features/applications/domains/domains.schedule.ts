import type { Context } from '../../../kernel/work.ts'
import { startRepetition } from '../../../queue/upkeep/repeat.ts'
import { countCheck } from './domains.limit.ts'
import { ApplicationDomain } from './domains.model.ts'
import { checksChannel, findDomainSecret } from './domains.names.ts'
import { checkProof } from './domains.proof.ts'
import { storeCheckResult } from './domains.results.ts'

/** Interval between two searches for due domains, in milliseconds; a notice announces a new domain at once. */
const checkIntervalMs = 5_000
/**
 * Limits of concurrent checks, in this process and for one organization: hosts that never answer must not delay other
 * organizations.
 */
const maxConcurrentChecks = 8
const maxConcurrentChecksPerOrganization = 2

const takeDueDomainSql = `
  update application_domains set checking_until = now() + interval '1 minute' where id = (
    select d.id from application_domains d
    where d.removed_at is null and d.next_check_at <= now() and coalesce(d.checking_until, '-infinity') <= now()
      and (select count(*) from application_domains r
        where r.organization = d.organization and r.checking_until > now()) < ${maxConcurrentChecksPerOrganization}
    order by d.next_check_at limit 1 for update of d skip locked
  ) returning id`

/**
 * Starts the checks of due domains, in any number of workers: a new domain at once, every domain daily. Each lookup
 * runs outside of any transaction.
 */
export function startDomainChecks(context: Context): { stop(): Promise<void> } {
  let isStopped = false
  const checkUntilNoneDue = async () => {
    while (!isStopped && (await checkNextDomain(context)));
  }
  const checkDueDomains = async () => {
    await Promise.all(Array.from({ length: maxConcurrentChecks }, checkUntilNoneDue))
  }
  const repetition = startRepetition(checkIntervalMs, checkDueDomains, (cause) =>
    context.log.error({ err: cause }, 'the look for due domains failed'),
  )
  const unsubscribe = context.notices.subscribe(checksChannel, () => void repetition.runSoon())
  return {
    stop: () => {
      isStopped = true
      unsubscribe()
      return repetition.stop()
    },
  }
}

/** Checks one due domain, which no other process checks at the same time. @returns whether a domain was due */
async function checkNextDomain(context: Context): Promise<boolean> {
  const {
    rows: [dueDomain],
  } = await context.db.raw<{ rows: { id: string }[] }>(takeDueDomainSql)
  const domain = dueDomain && (await ApplicationDomain.query(context.db).findById(dueDomain.id))
  if (!domain) return false
  const seconds = await countCheck(context.db, domain.organization, domain.domain)
  if (seconds > 0) await postponeCheck(context, domain.id, seconds)
  else await checkDomain(context, domain, false)
  return true
}

async function postponeCheck({ db }: Context, id: string, seconds: number): Promise<void> {
  await db('application_domains')
    .where({ id })
    .update({ checking_until: null, next_check_at: db.raw(`now() + ? * interval '1 second'`, [seconds]) })
}

async function checkDomain(context: Context, domain: ApplicationDomain, isRequested: boolean): Promise<void> {
  const value = await findDomainSecret(context.db, domain.application)
  if (value === undefined) return
  const result = await checkProof(context, domain.domain, value)
  await context.db.transaction((trx) => storeCheckResult(trx, context, { domain, result, isRequested }))
  context.log.info({ domain: domain.domain, ...result }, 'a domain was checked')
}
