import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { recordEvent } from '../../events/index.ts'
import type { ApplicationDomain } from './domains.model.ts'
import type { ProofFault } from './domains.schema.ts'

/** Leaves an event of a domain that was lost, and writes to the Owners of its organization. */
export async function loseDomain(
  trx: Knex, { identity }: Context, { application, organization, domain }: ApplicationDomain, reason: ProofFault | null,
): Promise<void> {
  await recordEvent(trx, { organization, application, subject: 'application', type: 'update' })
  await identity.mailOwners(trx, organization, { subject: `${domain} is no longer proven as yours`, text: textOf(domain, reason) })
}

function textOf(domain: string, reason: ProofFault | null): string {
  const why = reason === 'proven_by_another'
    ? 'Another organization has proven it more recently.'
    : 'Its proof was not to be found for 7 days.'
  return `${domain} is no longer proven as a domain of your organization. ${why}\n\n`
    + 'Pages on it can no longer call the API, and product codes that name it no longer lead to your passports.\n\n'
    + 'If the domain is yours, remove the record from DNS, ask for a check, publish it again and ask for another one.\n'
}
