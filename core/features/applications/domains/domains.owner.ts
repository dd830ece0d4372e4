import type { Knex } from 'knex'
import { getWildcard } from './domains.hosts.ts'

/** The owner of a host by proof. `domain` is the proven domain: the host itself, or the wildcard that covers it. */
export interface ProvenOwner {
  organization: string
  application: string
  domain: string
}

/**
 * Finds the owner of a host. A proof of the host itself takes precedence over a proof of a wildcard; among several
 * applications the one with the earliest proof counts.
 * @param host without port; case and a dot at the end make no difference
 */
export async function findProvenOwner(db: Knex, host: string): Promise<ProvenOwner | undefined> {
  const name = host.toLowerCase().replace(/\.$/, '')
  return db('application_domains')
    .whereIn('domain', [name, getWildcard(name)])
    .where({ status: 'proven' })
    .orderByRaw('domain = ? desc, proven_at, id', [name])
    .first<ProvenOwner | undefined>('organization', 'application', 'domain')
}

/**
 * Returns the domain to show for an organization: the one that has been proven for the longest time, wildcards last.
 */
export async function readProvenDomain(db: Knex, organization: string): Promise<string | undefined> {
  return (await readProvenDomains(db, [organization])).get(organization)
}

/** Returns the domain to show for each of several organizations; leaves out those without a proven domain. */
export async function readProvenDomains(db: Knex, organizations: readonly string[]): Promise<Map<string, string>> {
  const rows = await db('application_domains')
    .distinctOn('organization')
    .where({ status: 'proven' })
    .whereIn('organization', organizations)
    .orderByRaw(`organization, domain like '*.%', proven_at, id`)
    .select<{ organization: string; domain: string }[]>('organization', 'domain')
  return new Map(rows.map(({ organization, domain }) => [organization, domain]))
}
