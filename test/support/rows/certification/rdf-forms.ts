import { hash } from 'node:crypto'
import type { Knex } from 'knex'

/** A context of JSON-LD that somebody else serves. */
export interface ForeignContext {
  address: string
  document: object
}

/**
 * Lets an organization have its certificates in the form with the cryptosuite eddsa-rdfc-2022 too, and keeps the context
 * that it needs: the request for it would fetch that from the internet.
 */
export async function enableRdfForm(
  db: Knex,
  organization: string,
  { address, document }: ForeignContext,
): Promise<void> {
  const body = JSON.stringify(document)
  await db('credential_contexts').insert({ sha256: hash('sha256', body, 'hex'), body, address })
  await db('certification_settings').insert({ organization, cryptosuites: ['eddsa-rdfc-2022'] })
}
