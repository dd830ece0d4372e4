import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { lockByName } from '../../../database/lock.ts'
import { newId } from '../../../database/model.ts'
import type { Work } from '../../../kernel/work.ts'
import { isLocalhost } from './domains.hosts.ts'

/** The channel on which workers hear that a domain is due for its check. */
export const checksChannel = 'domain_checks'

interface DomainList {
  id: string
  organization: string
  domains: readonly string[]
}

/**
 * Updates the stored domains of an application to match its list. A new domain waits for its proof. A proven domain
 * that is no longer listed keeps its row, so that adding it again does not count as a newer proof.
 */
export async function syncDomains(
  { trx, context }: Pick<Work, 'trx' | 'context'>,
  { id, organization, domains }: DomainList,
): Promise<void> {
  const formerDomains = await trx('application_domains')
    .where({ application: id })
    .whereNull('removed_at')
    .pluck<string[]>('domain')
  const removedDomains = formerDomains.filter((domain) => !domains.includes(domain))
  const addedDomains = domains.filter((domain) => !formerDomains.includes(domain))
  if (removedDomains.length + addedDomains.length === 0) return
  for (const domain of [...removedDomains, ...addedDomains].sort()) await lockDomain(trx, domain)
  await removeDomains(trx, id, removedDomains)
  if (addedDomains.length === 0) return
  await trx('domain_secrets')
    .insert({ application: id, value: randomBytes(32) })
    .onConflict('application')
    .ignore()
  const rows = addedDomains.map((domain) => ({ id: newId(), organization, application: id, domain }))
  await trx('application_domains')
    .insert(rows)
    .onConflict(['application', 'domain'])
    .merge({ removed_at: null, next_check_at: trx.fn.now(), updated_at: trx.fn.now() })
  await proveLocalDomains(trx, organization, id, addedDomains.filter(isLocalhost))
  await context.notices.notify(trx, checksChannel, '')
}

/** Locks a domain until the end of the transaction, so that no other transaction changes its state. */
export const lockDomain = (trx: Knex, domain: string): Promise<void> => lockByName(trx, `domain:${domain}`)

async function removeDomains(trx: Knex, application: string, domains: readonly string[]): Promise<void> {
  const those = trx('application_domains').where({ application }).whereIn('domain', domains)
  await those.clone().whereNull('proven_at').delete()
  await those.update({
    status: 'pending',
    reason: null,
    missing_since: null,
    removed_at: trx.fn.now(),
    updated_at: trx.fn.now(),
  })
}

/**
 * Marks names below localhost as proven for the first organization that lists them, because they mean this machine.
 * Production rejects such names before this function is called.
 */
async function proveLocalDomains(
  trx: Knex,
  organization: string,
  application: string,
  domains: readonly string[],
): Promise<void> {
  if (domains.length === 0) return
  await trx('application_domains as own')
    .where({ application })
    .whereIn('domain', domains)
    .whereNotExists(
      trx('application_domains as other')
        .whereRaw('other.domain = own.domain')
        .where('other.status', 'proven')
        .whereNot('other.organization', organization),
    )
    .update({ status: 'proven', proven_at: trx.fn.now(), updated_at: trx.fn.now() })
}

/** Returns the text that an application publishes to prove its domains, or undefined if it never had a domain. */
export async function findDomainSecret(db: Knex, application: string): Promise<string | undefined> {
  const row = await db('domain_secrets').where({ application }).first<{ value: Buffer } | undefined>('value')
  return row?.value.toString('base64url')
}
