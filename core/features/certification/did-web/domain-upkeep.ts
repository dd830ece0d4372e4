import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { lockKeys, type KeyRow } from '../keys.rows.ts'
import { keepLook, lookAtDomain } from './domain-checks.ts'
import { graceMs, type DomainRow } from './domain-rows.ts'
import { notifyOwners } from './owners.ts'

/** Domains that one statement reads. */
const maxDomains = 500

/**
 * Looks again at domains that are signed under: once a day, and at every turn while a document is missing or a new key
 * waits for it. Then ends rotations whose document did not come, and tells of documents that are gone. Bears running in
 * several processes.
 */
export async function checkDomains(context: Context): Promise<void> {
  const { db, clock } = context
  for (let after = ''; ;) {
    const due = await db<DomainRow>('did_web_domains as d').where('d.state', 'active').where('d.domain', '>', after)
      .whereRaw(
        `(d.checked_at is null or d.checked_at < ? or d.missing_since is not null or exists (select from certification_keys k
          where k.organization = d.organization
            and (k.status = 'pending' and k.document_due_at is not null or k.status = 'active' and k.awaits_document)))`,
        [new Date(clock.now().getTime() - graceMs)])
      .orderBy('d.domain').limit(maxDomains).select('d.*')
    for (const { organization, domain } of due) {
      const look = await lookAtDomain(context, organization, domain)
      await db.transaction((trx) => keepLook(trx, context, { organization, domain, look }))
    }
    if (due.length < maxDomains) break
    after = due.at(-1)?.domain ?? ''
  }
  await endRotations(context)
  await tellMissing(context)
}

/** Why a key was revoked that nobody published. */
const notPublished = 'The DID document did not have the key within 24 hours.'

/** Ends rotations that wait for a document past their time; the old key stays the active one. */
async function endRotations(context: Context): Promise<void> {
  const { db, clock } = context
  const late = await db<KeyRow>('certification_keys').where({ status: 'pending' }).where('document_due_at', '<', clock.now())
    .select('id', 'organization')
  for (const { id, organization } of late) {
    await db.transaction(async (trx) => {
      await lockKeys(trx, organization)
      const ended = await trx('certification_keys').where({ id, status: 'pending' }).whereNotNull('document_due_at')
        .update({ status: 'revoked', revoked_at: trx.fn.now(), revoked_reason: notPublished, document_due_at: null })
      if (ended > 0) await notifyOwners(trx, context, organization, {
        subject: 'The rotation of your certification key has failed',
        text: `${notPublished}\n\nThe key before goes on signing. Rotate again, and publish the new document within a day.\n`,
      })
    })
  }
}

/** Tells Owners once of a document that has been missing for a day. Signing goes on: another identifier is for a person to choose. */
async function tellMissing(context: Context): Promise<void> {
  const { db, clock } = context
  const since = new Date(clock.now().getTime() - graceMs)
  await db.transaction(async (trx: Knex) => {
    const gone = await trx<DomainRow>('did_web_domains').where({ state: 'active' }).where('missing_since', '<=', since)
      .whereNull('told_at')
      // Owners of these were told when their key was revoked, and nothing is signed.
      .whereRaw(`not exists (select from certification_keys k where k.organization = did_web_domains.organization and k.status = 'active' and k.awaits_document)`)
      .forUpdate().skipLocked()
    for (const { organization, domain } of gone) {
      await trx('did_web_domains').where({ organization, domain }).update({ told_at: clock.now() })
      await notifyOwners(trx, context, organization, {
        subject: `Your DID document is missing at ${domain}`,
        text: `https://${domain}/.well-known/did.json has not been as verifiers need it for 24 hours, so others cannot verify your certificates.\n\n`
          + 'Publish the document that the did:web configuration shows. Signing goes on under the same identifier.\n',
      })
    }
  })
}
