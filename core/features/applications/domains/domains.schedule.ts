import type { Context } from '../../../kernel/work.ts'
import { repeat } from '../../../queue/repeat.ts'
import { countCheck } from './domains.limit.ts'
import { ApplicationDomain } from './domains.model.ts'
import { checksChannel, readSecret } from './domains.names.ts'
import { findProof } from './domains.proof.ts'
import { keepResult } from './domains.verdict.ts'

/** Milliseconds between two looks for domains that are due; a new one is told of at once. */
const lookEveryMs = 5_000
/** Checks at a time, in this process and of one organization: hosts that never answer keep no one else waiting. */
const maxChecks = 8
const maxChecksPerOrganization = 2

const takeOne = `
  update application_domains set checking_until = now() + interval '1 minute' where id = (
    select d.id from application_domains d
    where d.removed_at is null and d.next_check_at <= now() and coalesce(d.checking_until, '-infinity') <= now()
      and (select count(*) from application_domains r
        where r.organization = d.organization and r.checking_until > now()) < ${maxChecksPerOrganization}
    order by d.next_check_at limit 1 for update of d skip locked
  ) returning id`

/**
 * Checks domains that are due, in however many workers: new ones at once, every one daily. Each is looked up outside
 * of any transaction.
 */
export function startDomainChecks(context: Context): { stop(): Promise<void> } {
  let stopped = false
  const lane = async () => {
    while (!stopped && await checkNext(context));
  }
  const look = async () => {
    await Promise.all(Array.from({ length: maxChecks }, lane))
  }
  const looking = repeat(lookEveryMs, look, (cause) => context.log.error({ err: cause }, 'the look for due domains failed'))
  const hush = context.notices.on(checksChannel, () => void looking.soon())
  return {
    stop: () => {
      stopped = true
      hush()
      return looking.stop()
    },
  }
}

/** Checks one domain that is due, and no other process checks it. @returns whether there was one */
async function checkNext(context: Context): Promise<boolean> {
  const { rows: [taken] } = await context.db.raw<{ rows: { id: string }[] }>(takeOne)
  const domain = taken && await ApplicationDomain.query(context.db).findById(taken.id)
  if (!domain) return false
  const seconds = await countCheck(context.db, domain.organization, domain.domain)
  if (seconds > 0) await postpone(context, domain.id, seconds)
  else await checkDomain(context, domain, false)
  return true
}

async function postpone({ db }: Context, id: string, seconds: number): Promise<void> {
  await db('application_domains').where({ id })
    .update({ checking_until: null, next_check_at: db.raw(`now() + ? * interval '1 second'`, [seconds]) })
}

async function checkDomain(context: Context, domain: ApplicationDomain, asked: boolean): Promise<void> {
  const value = await readSecret(context.db, domain.application)
  if (value === undefined) return
  const result = await findProof(context, domain.domain, value)
  await context.db.transaction((trx) => keepResult(trx, context, { domain, result, asked }))
  context.log.info({ domain: domain.domain, ...result }, 'a domain was checked')
}
