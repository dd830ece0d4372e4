import type { Knex } from 'knex'
import { readProvenDomain } from '../../applications/index.ts'
import { findGtinOwner, type GtinOwner } from './owners.ts'

/** Who publishes a passport, and what of that is proven. A name alone proves nothing: anybody may take any. */
export interface Publisher {
  organization: string
  name: string
  /** A domain that the organization has proven to be its own. */
  domain: string | null
  /** The GTIN that the operator has confirmed to be the organization's. */
  gtin: string | null
}

/** Reads who an organization is to readers of its passports. @param gtin of what they look at, with 14 digits */
export async function readPublisher(db: Knex, organization: string, gtin: string | null): Promise<Publisher> {
  const [row, domain, owner] = await Promise.all([
    db('organizations').where({ id: organization }).first<{ name: string } | undefined>('name'),
    readProvenDomain(db, organization),
    gtin === null ? undefined : findGtinOwner(db, gtin),
  ])
  const isConfirmed = owner?.confirmed === true && owner.organization === organization
  return { organization, name: row?.name ?? '', domain: domain ?? null, gtin: isConfirmed ? gtin : null }
}

/** Publishers of one GTIN that a neutral page names. */
const maxRivals = 10

/**
 * Finds the organizations between whom only the operator can decide: the first publisher of a GTIN, where nothing of
 * it is proven, and those that publish it too and have a proven domain, the longest proven first. None where nobody
 * contends. @param gtin with 14 digits
 */
export async function findContenders(db: Knex, gtin: string, owner: GtinOwner): Promise<string[]> {
  const { organization, confirmed } = owner
  if (confirmed || await readProvenDomain(db, organization) !== undefined) return []
  const { rows } = await db.raw<{ rows: { organization: string }[] }>(
    `select d.organization from application_domains d
     where d.status = 'proven' and d.organization <> :organization and d.organization in (
       select p.organization from passports p
       where p.product is not null and passport_gtin(p.product) = :gtin and p.status in ('published', 'claimed'))
     group by d.organization order by min(d.proven_at), d.organization limit :maxRivals`, { gtin, organization, maxRivals })
  return rows.length === 0 ? [] : [organization, ...rows.map((row) => row.organization)]
}
