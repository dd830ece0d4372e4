import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { lockByName } from '../../../database/lock.ts'
import { newId } from '../../../database/model.ts'
import type { Work } from '../../../kernel/work.ts'
import { isLocalhost } from './domains.hosts.ts'

/** The channel on which workers hear that a domain waits for its check. */
export const checksChannel = 'domain_checks'

interface NamedBy { id: string; organization: string; domains: readonly string[] }

/**
 * Keeps the domains of an application in step with the list that it names. A new one waits for its proof; one that
 * was proven and is no longer named is remembered, so that naming it again is no newer proof.
 */
export async function nameDomains({ trx, context }: Pick<Work, 'trx' | 'context'>, { id, organization, domains }: NamedBy): Promise<void> {
  const former = await trx('application_domains').where({ application: id }).whereNull('removed_at').pluck<string[]>('domain')
  const gone = former.filter((domain) => !domains.includes(domain))
  const added = domains.filter((domain) => !former.includes(domain))
  if (gone.length + added.length === 0) return
  for (const domain of [...gone, ...added].sort()) await lockDomain(trx, domain)
  await removeDomains(trx, id, gone)
  if (added.length === 0) return
  await trx('domain_secrets').insert({ application: id, value: randomBytes(32) }).onConflict('application').ignore()
  const rows = added.map((domain) => ({ id: newId(), organization, application: id, domain }))
  await trx('application_domains').insert(rows).onConflict(['application', 'domain'])
    .merge({ removed_at: null, next_check_at: trx.fn.now(), updated_at: trx.fn.now() })
  await proveLocal(trx, organization, id, added.filter(isLocalhost))
  await context.notices.notify(trx, checksChannel, '')
}

/** Makes this transaction the only one that judges or names the domain, until its end. */
export const lockDomain = (trx: Knex, domain: string): Promise<void> => lockByName(trx, `domain:${domain}`)

async function removeDomains(trx: Knex, application: string, domains: readonly string[]): Promise<void> {
  const those = trx('application_domains').where({ application }).whereIn('domain', domains)
  await those.clone().whereNull('proven_at').delete()
  await those.update({
    status: 'pending', reason: null, missing_since: null, removed_at: trx.fn.now(), updated_at: trx.fn.now(),
  })
}

/**
 * Proves names below localhost, which are this very machine, for the first organization that names them. They are
 * refused in production before they come here.
 */
async function proveLocal(trx: Knex, organization: string, application: string, domains: readonly string[]): Promise<void> {
  if (domains.length === 0) return
  await trx('application_domains as own').where({ application }).whereIn('domain', domains)
    .whereNotExists(trx('application_domains as other').whereRaw('other.domain = own.domain')
      .where('other.status', 'proven').whereNot('other.organization', organization))
    .update({ status: 'proven', proven_at: trx.fn.now(), updated_at: trx.fn.now() })
}

/** Reads what an application publishes to prove its domains; undefined where it never named one. */
export async function readSecret(db: Knex, application: string): Promise<string | undefined> {
  const row = await db('domain_secrets').where({ application }).first<{ value: Buffer } | undefined>('value')
  return row?.value.toString('base64url')
}
