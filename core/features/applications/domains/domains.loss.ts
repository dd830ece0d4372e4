import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { recordEvent } from '../../events/index.ts'
import type { ApplicationDomain } from './domains.model.ts'
import type { ProofFailure } from './domains.schema.ts'

/** Records an event for a domain that was lost and sends a mail to the owners of its organization. */
export async function recordDomainLoss(
  trx: Knex,
  { identity }: Context,
  { application, organization, domain }: ApplicationDomain,
  reason: ProofFailure | null,
): Promise<void> {
  await recordEvent(trx, { organization, application, subject: 'application', type: 'update' })
  await identity.mailOwners(trx, organization, {
    subject: `${domain} is no longer proven as yours`,
    parts: createLossMail(domain, reason),
  })
}

function createLossMail(domain: string, reason: ProofFailure | null): string[] {
  const why =
    reason === 'proven_by_another'
      ? 'Another organization has proven it more recently.'
      : 'Its proof was not to be found for 7 days.'
  return [
    `${domain} is no longer proven as a domain of your organization. ${why}`,
    'Pages on it can no longer call the API, and product codes that name it no longer lead to your passports.',
    'If the domain is yours, remove the record from DNS, ask for a check, publish it again and ask for another one.',
  ]
}
