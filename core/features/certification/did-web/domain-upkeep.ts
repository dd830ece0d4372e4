import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { type KeyRow, lockKeys, revokeUnpublishedKey } from '../keys/index.ts'
import { updateDomainCheck, checkDomain } from './domain-checks.ts'
import { type DomainRow, maxMissingMs, notifyOwners } from '../rotation/index.ts'

/** Number of domains that one statement reads. */
const domainBatchSize = 500

/**
 * Checks active domains again: once a day, and in every run while a document is missing or a new key waits for it. Then
 * ends rotations whose document was not published in time, and notifies owners of missing documents. Several processes
 * may run this at the same time.
 */
export async function checkDomains(context: Context): Promise<void> {
  const { db, clock } = context
  for (let after = ''; ;) {
    const dueDomains = await db<DomainRow>('did_web_domains as d')
      .where('d.state', 'active')
      .where('d.domain', '>', after)
      .whereRaw(
        `(d.checked_at is null or d.checked_at < ? or d.missing_since is not null or exists (select from certification_keys k
          where k.organization = d.organization
            and (k.status = 'pending' and k.document_due_at is not null or k.status = 'active' and k.awaits_document)))`,
        [new Date(clock.now().getTime() - maxMissingMs)],
      )
      .orderBy('d.domain')
      .limit(domainBatchSize)
      .select('d.*')
    for (const { organization, domain } of dueDomains) {
      const result = await checkDomain(context, organization, domain)
      await db.transaction((trx) => updateDomainCheck(trx, context, { organization, domain, result }))
    }
    if (dueDomains.length < domainBatchSize) break
    after = dueDomains.at(-1)?.domain ?? ''
  }
  await endLateRotations(context)
  await notifyMissingDocuments(context)
}

/** Reason of the revocation of a key that was not published. */
const notPublishedReason = 'The DID document did not have the key within 24 hours.'

/** Ends rotations whose document is overdue; the old key stays active. */
async function endLateRotations(context: Context): Promise<void> {
  const { db, clock } = context
  const lateKeys = await db<KeyRow>('certification_keys')
    .where({ status: 'pending' })
    .where('document_due_at', '<', clock.now())
    .select('id', 'organization')
  for (const { id, organization } of lateKeys) {
    await db.transaction(async (trx) => {
      await lockKeys(trx, organization)
      if (await revokeUnpublishedKey(trx, id, notPublishedReason))
        await notifyOwners(trx, context, organization, {
          subject: 'The rotation of your certification key has failed',
          parts: [
            notPublishedReason,
            'The key before goes on signing. Rotate again, and publish the new document within a day.',
          ],
        })
    })
  }
}

/**
 * Notifies owners once of a document that has been missing for a day. Signing continues, because a person has to choose
 * another identifier.
 */
async function notifyMissingDocuments(context: Context): Promise<void> {
  const { db, clock } = context
  const since = new Date(clock.now().getTime() - maxMissingMs)
  await db.transaction(async (trx: Knex) => {
    const missingDomains = await trx<DomainRow>('did_web_domains')
      .where({ state: 'active' })
      .where('missing_since', '<=', since)
      .whereNull('told_at')
      // These owners were notified when their key was revoked, and nothing is signed for them.
      .whereRaw(
        `not exists (select from certification_keys k where k.organization = did_web_domains.organization and k.status = 'active' and k.awaits_document)`,
      )
      .forUpdate()
      .skipLocked()
    for (const { organization, domain } of missingDomains) {
      await trx('did_web_domains').where({ organization, domain }).update({ told_at: clock.now() })
      await notifyOwners(trx, context, organization, {
        subject: `Your DID document is missing at ${domain}`,
        parts: [
          `https://${domain}/.well-known/did.json has not been as verifiers need it for 24 hours, so others cannot verify your certificates.`,
          'Publish the document that the did:web configuration shows. Signing goes on under the same identifier.',
        ],
      })
    }
  })
}
