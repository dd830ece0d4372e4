import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { findPublished, type DomainLook } from '../did-web.check.ts'
import type { DidWebCheck } from '../did-web.schema.ts'
import { domainTaken, retireDomain } from '../did-web.ts'
import { keysOf, lockKeys, type KeyRow } from '../keys.rows.ts'
import { activatePublished } from '../keys.rotate.ts'
import { isStillProven, lockDomain, otherHolder, type DomainRow } from './domain-rows.ts'
import { notifyOwners } from './owners.ts'

/** Looks at what a domain publishes of the organization's keys. No transaction is open meanwhile. */
export async function lookAtDomain(context: Context, organization: string, domain: string): Promise<DomainLook> {
  const keys = await keysOf(context.db, organization)
  return findPublished(context.outbound, domain, keys.filter(({ status }) => status !== 'revoked'))
}

/** What a look means for the keys as they are now: those that verifiers need have to be in the document. */
export function checkOf({ reason, published }: DomainLook, keys: readonly KeyRow[], now: Date): DidWebCheck {
  const isNeeded = ({ status }: KeyRow) => status === 'active' || status === 'rotated'
  const lacks = keys.some((key) => isNeeded(key) && !published.includes(key.id))
  const failed = reason ?? (lacks ? 'key_missing' : null)
  const checkedAt = now.toISOString()
  return failed === null ? { status: 'ok', checkedAt } : { status: 'failed', reason: failed, checkedAt }
}

/**
 * Keeps what a look found. A pending domain whose document is as it has to be becomes the one that is signed under, as
 * only who holds the domain can publish there; a key that waited for the document goes on to the networks.
 * @returns null where the domain is configured no more. @throws DPP_DID_WEB_DOMAIN_ALREADY_TAKEN where another
 * organization was first
 */
export async function keepLook(
  trx: Knex, context: Context, { organization, domain, look }: { organization: string; domain: string; look: DomainLook },
): Promise<DidWebCheck | null> {
  await lockKeys(trx, organization)
  await lockDomain(trx, domain)
  const row = await trx<DomainRow>('did_web_domains').where({ organization, domain }).first()
  if (!row || row.state === 'former') return null
  const now = context.clock.now()
  const keys = await keysOf(trx, organization)
  const check = checkOf(look, keys, now)
  const isGood = check.status === 'ok'
  if (row.state === 'pending' && isGood) await takeDomain(trx, context, row, now)
  const isActive = row.state === 'active' || isGood
  await trx('did_web_domains').where({ organization, domain }).update({
    last_check: JSON.stringify(check), checked_at: now, published: look.published,
    ...(isActive && { missing_since: isGood ? null : row.missing_since ?? now }),
    ...(isGood && { told_at: null, proven_at: row.proven_at ?? now }),
  })
  if (isActive) await activatePublished(trx, context, organization, look.published)
  return check
}

/** @throws DPP_DID_WEB_DOMAIN_ALREADY_TAKEN */
async function takeDomain(trx: Knex, context: Context, { organization, domain }: DomainRow, now: Date): Promise<void> {
  const holder = await otherHolder(trx, organization, domain)
  if (holder && isStillProven(holder, now)) throw domainTaken()
  if (holder) {
    await retireDomain(trx, holder.organization)
    await notifyOwners(trx, context, holder.organization, {
      subject: `Your certificates are signed under ${domain} no more`,
      text: `Another organization has proven that it holds ${domain}, where your DID document was missing for more than a day.\n\n`
        + 'Your certificates are signed under did:key from now on. Set a domain that you hold to sign under it.\n',
    })
  }
  await retireDomain(trx, organization)
  await trx('did_web_domains').where({ organization, domain }).update({ state: 'active', updated_at: trx.fn.now() })
}
