import type { Knex } from 'knex'
import { readProvenDomain } from '../../applications/index.ts'
import { findGtinOwner, type GtinOwner } from './owners.ts'

/**
 * The publisher of a passport and what is proven about it. A name alone proves nothing: anybody may choose any name.
 */
export interface Publisher {
  organization: string
  name: string
  /** A domain that the organization has proven to own. */
  domain: string | null
  /** The GTIN, if the operator has confirmed that it is the organization's. */
  gtin: string | null
}

/**
 * Reads the publisher that readers of an organization's passports see.
 * @param gtin the GTIN of the passport that they read, with 14 digits; null for none
 */
export async function readPublisher(db: Knex, organization: string, gtin: string | null): Promise<Publisher> {
  const [row, domain, owner] = await Promise.all([
    db('organizations').where({ id: organization }).first<{ name: string } | undefined>('name'),
    readProvenDomain(db, organization),
    gtin === null ? undefined : findGtinOwner(db, gtin),
  ])
  const isConfirmed = owner?.confirmed === true && owner.organization === organization
  return { organization, name: row?.name ?? '', domain: domain ?? null, gtin: isConfirmed ? gtin : null }
}

/** The maximum number of other publishers of one GTIN that a neutral page names. */
const maxRivals = 10

/**
 * Finds the organizations between which only the operator can decide: the first publisher of a GTIN if nothing proves
 * its right, and the others that publish the GTIN and have a proven domain, the longest proven first. Returns an empty
 * list if nobody contends.
 * @param gtin with 14 digits
 */
export async function findContenders(db: Knex, gtin: string, owner: GtinOwner): Promise<string[]> {
  const { organization, confirmed } = owner
  if (confirmed || (await readProvenDomain(db, organization)) !== undefined) return []
  const { rows } = await db.raw<{ rows: { organization: string }[] }>(
    `select d.organization from application_domains d
     where d.status = 'proven' and d.organization <> :organization and d.organization in (
       select p.organization from passports p
       where p.product is not null and passport_gtin(p.product) = :gtin and p.status in ('published', 'claimed'))
     group by d.organization order by min(d.proven_at), d.organization limit :maxRivals`,
    { gtin, organization, maxRivals },
  )
  return rows.length === 0 ? [] : [organization, ...rows.map((row) => row.organization)]
}
