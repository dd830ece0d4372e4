import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { isStillProven } from './domain-rows.ts'

/**
 * Why others cannot verify what an organization signs under its domain. `missing`: the document has not been as
 * verifiers need it for a day or longer. `awaited`: it lacks the key that has to sign, so nothing is signed.
 */
export interface DocumentFault { kind: 'missing' | 'awaited'; domain: string; since: Date }

interface Row { domain: string; missing_since: Date | null; awaits_document: boolean; created_at: Date }

/** Finds what is wrong with the document of the domain that an organization signs under; null where nothing is. */
export async function documentFaultOf(
  db: Knex, { clock }: Pick<Context, 'clock'>, organization: string,
): Promise<DocumentFault | null> {
  const { rows: [row] } = await db.raw<{ rows: Row[] }>(
    `select d.domain, d.missing_since, k.awaits_document, k.created_at
     from did_web_domains d join certification_keys k on k.organization = d.organization and k.status = 'active'
     where d.organization = ? and d.state = 'active'`, [organization])
  if (!row) return null
  const { domain, missing_since: missingSince } = row
  if (row.awaits_document) return { kind: 'awaited', domain, since: missingSince ?? row.created_at }
  return missingSince === null || isStillProven(row, clock.now()) ? null : { kind: 'missing', domain, since: missingSince }
}
