import type { Knex } from 'knex'
import { createProblem } from '../../../kernel/problem.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { checkPublishedKeys, type PublishedKeysResult } from './did-web.check.ts'
import {
  activatePublishedKey,
  type DidWebCheck,
  type DomainRow,
  findConfiguredDomain,
  findOtherHolder,
  isStillProven,
  lockDomain,
  notifyOwners,
} from '../rotation/index.ts'
import { createDomainTakenProblem, retireDomain } from './did-web.ts'
import { type KeyRow, lockKeys, readCertificationKeys } from '../keys/index.ts'

/** Checks which of the organization's keys a domain publishes. Opens no transaction. */
export async function checkDomain(
  context: Context,
  organization: string,
  domain: string,
): Promise<PublishedKeysResult> {
  const keys = await readCertificationKeys(context.db, organization)
  return checkPublishedKeys(
    context.outbound,
    domain,
    keys.filter(({ status }) => status !== 'revoked'),
  )
}

/**
 * Converts the keys that a domain publishes to the result of a check: failed unless they include all active and rotated
 * keys.
 */
export function toDidWebCheck(
  { reason, published }: PublishedKeysResult,
  keys: readonly KeyRow[],
  now: Date,
): DidWebCheck {
  const isNeeded = ({ status }: KeyRow) => status === 'active' || status === 'rotated'
  const isKeyMissing = keys.some((key) => isNeeded(key) && !published.includes(key.id))
  const failureReason = reason ?? (isKeyMissing ? 'key_missing' : null)
  const checkedAt = now.toISOString()
  return failureReason === null ? { status: 'ok', checkedAt } : { status: 'failed', reason: failureReason, checkedAt }
}

/**
 * Stores the result of a check. A pending domain with a correct document becomes the active one, because only its
 * holder can publish there. A key that waited for the document is then registered on the networks.
 * @returns null if the domain is no longer configured
 * @throws DPP_DID_WEB_DOMAIN_ALREADY_TAKEN if another organization was first
 */
export async function updateDomainCheck(
  trx: Knex,
  context: Context,
  { organization, domain, result }: { organization: string; domain: string; result: PublishedKeysResult },
): Promise<DidWebCheck | null> {
  await lockKeys(trx, organization)
  await lockDomain(trx, domain)
  const row = await trx<DomainRow>('did_web_domains').where({ organization, domain }).first()
  if (!row || row.state === 'former') return null
  const now = context.clock.now()
  const keys = await readCertificationKeys(trx, organization)
  const check = toDidWebCheck(result, keys, now)
  const isOk = check.status === 'ok'
  if (row.state === 'pending' && isOk) await activateDomain(trx, context, row, now)
  const isActive = row.state === 'active' || isOk
  await trx('did_web_domains')
    .where({ organization, domain })
    .update({
      last_check: JSON.stringify(check),
      checked_at: now,
      published: result.published,
      ...(isActive && { missing_since: isOk ? null : (row.missing_since ?? now) }),
      ...(isOk && { told_at: null, proven_at: row.proven_at ?? now }),
    })
  if (isActive) await activatePublishedKey(trx, context, organization, result.published)
  return check
}

/**
 * Looks at the document of the configured domain, outside any transaction.
 * @returns what stores the result, in the transaction of its work
 * @throws DPP_DID_WEB_DOMAIN_NOT_CONFIGURED
 */
export async function checkConfiguredDomain(
  { trx: db, context }: Work,
  organization: string,
): Promise<(work: Work) => Promise<DidWebCheck>> {
  const configured = await findConfiguredDomain(db, organization)
  if (!configured) throw createNotConfiguredProblem()
  const { domain } = configured
  const result = await checkDomain(context, organization, domain)
  return async ({ trx }) => {
    const check = await updateDomainCheck(trx, context, { organization, domain, result })
    if (check === null) throw createNotConfiguredProblem()
    return check
  }
}

const createNotConfiguredProblem = () =>
  createProblem('DPP_DID_WEB_DOMAIN_NOT_CONFIGURED', 'Set a domain for did:web first.')

/** Makes a pending domain the active one. @throws DPP_DID_WEB_DOMAIN_ALREADY_TAKEN */
async function activateDomain(
  trx: Knex,
  context: Context,
  { organization, domain }: DomainRow,
  now: Date,
): Promise<void> {
  const holder = await findOtherHolder(trx, organization, domain)
  if (holder && isStillProven(holder, now)) throw createDomainTakenProblem()
  if (holder) {
    await retireDomain(trx, holder.organization)
    await notifyOwners(trx, context, holder.organization, {
      subject: `Your certificates are signed under ${domain} no more`,
      parts: [
        `Another organization has proven that it holds ${domain}, where your DID document was missing for more than a day.`,
        'Your certificates are signed under did:key from now on. Set a domain that you hold to sign under it.',
      ],
    })
  }
  await retireDomain(trx, organization)
  await trx('did_web_domains').where({ organization, domain }).update({ state: 'active', updated_at: trx.fn.now() })
}
