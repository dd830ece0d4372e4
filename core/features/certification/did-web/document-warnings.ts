import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { isStillProven } from '../rotation/index.ts'

/**
 * The reason why others cannot verify what an organization signs under its domain. `missing`: the document has been
 * missing or wrong for a day or longer. `awaited`: the document lacks the active key, so nothing is signed.
 */
export interface DidDocumentWarning {
  kind: 'missing' | 'awaited'
  domain: string
  since: Date
}

interface Row {
  domain: string
  missing_since: Date | null
  awaits_document: boolean
  created_at: Date
}

/** Finds the problem with the document of an organization's active domain; null if there is none. */
export async function findDidDocumentWarning(
  db: Knex,
  { clock }: Pick<Context, 'clock'>,
  organization: string,
): Promise<DidDocumentWarning | null> {
  const {
    rows: [row],
  } = await db.raw<{ rows: Row[] }>(
    `select d.domain, d.missing_since, k.awaits_document, k.created_at
     from did_web_domains d join certification_keys k on k.organization = d.organization and k.status = 'active'
     where d.organization = ? and d.state = 'active'`,
    [organization],
  )
  if (!row) return null
  const { domain, missing_since: missingSince } = row
  if (row.awaits_document) return { kind: 'awaited', domain, since: missingSince ?? row.created_at }
  return missingSince === null || isStillProven(row, clock.now())
    ? null
    : { kind: 'missing', domain, since: missingSince }
}
