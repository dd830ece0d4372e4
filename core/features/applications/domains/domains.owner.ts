import type { Knex } from 'knex'
import { wildcardOf } from './domains.hosts.ts'

/** Whose a host is by proof. `domain` is the proven one: the host itself, or the wildcard that covers it. */
export interface ProvenOwner { organization: string; application: string; domain: string }

/**
 * Finds whose a host is. The host's own proof counts before that of a wildcard; of several applications of the owner
 * the one that proved it first. @param host without port; case and one dot at the end make no difference
 */
export async function findProvenOwner(db: Knex, host: string): Promise<ProvenOwner | undefined> {
  const name = host.toLowerCase().replace(/\.$/, '')
  return db('application_domains').whereIn('domain', [name, wildcardOf(name)]).where({ status: 'proven' })
    .orderByRaw('domain = ? desc, proven_at, id', [name])
    .first<ProvenOwner | undefined>('organization', 'application', 'domain')
}

/** Reads the domain to show for an organization: the one that has been proven for the longest time, wildcards last. */
export async function readProvenDomain(db: Knex, organization: string): Promise<string | undefined> {
  return (await readProvenDomains(db, [organization])).get(organization)
}

/** Reads the domain to show for each of several organizations; those that have proven none are left out. */
export async function readProvenDomains(db: Knex, organizations: readonly string[]): Promise<Map<string, string>> {
  const rows = await db('application_domains').distinctOn('organization').where({ status: 'proven' })
    .whereIn('organization', organizations).orderByRaw(`organization, domain like '*.%', proven_at, id`)
    .select<{ organization: string; domain: string }[]>('organization', 'domain')
  return new Map(rows.map(({ organization, domain }) => [organization, domain]))
}
