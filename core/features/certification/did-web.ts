import type { Knex } from 'knex'
import { problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { activeDomain, configuredDomain, isStillProven, lockDomain, otherHolder, type DomainRow } from './did-web/domain-rows.ts'
import { didDocumentOf, didOf, type DidDocument } from './did.ts'
import type { DidWebConfig } from './did-web.schema.ts'
import { ensureCertificationKey } from './keys.ts'
import { activatePublished } from './keys.rotate.ts'
import { keysOf, lockKeys, type KeyRow } from './keys.rows.ts'

/** The configuration with the document to publish. */
export async function readConfig(trx: Knex, context: Context, organization: string): Promise<DidWebConfig> {
  await ensureCertificationKey(context, organization)
  const keys = await keysOf(trx, organization)
  const key = keys.find(({ status }) => status === 'active')
  if (!key) throw new Error('an organization has no active key')
  const [configured, active] = [await configuredDomain(trx, organization), await activeDomain(trx, organization)]
  const documentOf = ({ domain }: DomainRow) => didDocumentOf(domain, published(keys), context.settings.baseUrl)
  return {
    domain: configured?.domain ?? null,
    status: configured?.state === 'pending' || configured?.state === 'active' ? configured.state : null,
    did: didOf(active?.domain ?? null, key.public_key),
    didDocument: configured ? documentOf(configured) : null,
    lastCheck: configured?.last_check ?? null,
    missingSince: active?.missing_since?.toISOString() ?? null,
    rotationDueAt: keys.find(({ status }) => status === 'pending')?.document_due_at?.toISOString() ?? null,
    active: active ? { domain: active.domain, didDocument: documentOf(active), lastCheck: active.last_check } : null,
  }
}

/** Writes the document of a domain as it has to be published now. */
export async function publishedDocument(
  db: Knex, { settings }: Pick<Context, 'settings'>, organization: string, domain: string,
): Promise<DidDocument> {
  return didDocumentOf(domain, published(await keysOf(db, organization)), settings.baseUrl)
}

/** A key that waits is published too, so that verifiers know it before the first signature. */
const published = (keys: readonly KeyRow[]) =>
  keys.filter(({ status }) => status !== 'revoked').map((key) => key.public_key)

/**
 * Sets or clears the domain. A new one is pending, which blocks it for nobody; the one before goes on being signed
 * under until the new one's document was seen. @throws DPP_DID_WEB_DOMAIN_ALREADY_TAKEN where another organization has
 * it active and its document is still there
 */
export async function setDomain(trx: Knex, context: Context, organization: string, domain: string | null): Promise<void> {
  await lockKeys(trx, organization)
  if (domain !== null) {
    await lockDomain(trx, domain)
    const holder = await otherHolder(trx, organization, domain)
    if (holder && isStillProven(holder, context.clock.now())) throw domainTaken()
  }
  const known = await activeDomain(trx, organization)
  await dropPending(trx, organization, domain)
  if (domain === null) await signUnderKey(trx, context, organization)
  if (domain === null || known?.domain === domain) return
  await trx.raw(
    `insert into did_web_domains (organization, domain) values (?, ?)
     on conflict (organization, domain) do update set updated_at = now(),
       last_check = case when did_web_domains.state = 'pending' then did_web_domains.last_check end, state = 'pending'`,
    [organization, domain])
}

export const domainTaken = () =>
  problem('DPP_DID_WEB_DOMAIN_ALREADY_TAKEN', 'Another organization signs under this domain.', { path: 'domain' })

/** Forgets the domain that waited, unless it is this one; one that was proven once stays known as a former one. */
async function dropPending(trx: Knex, organization: string, kept: string | null): Promise<void> {
  const pending = () => trx('did_web_domains').where({ organization, state: 'pending' }).whereRaw('domain is distinct from ?', [kept])
  await pending().whereNull('proven_at').delete()
  await pending().update({ state: 'former' })
}

/** Signs under did:key again: a key that waited for the document of the domain waits for nothing now. */
async function signUnderKey(trx: Knex, context: Context, organization: string): Promise<void> {
  await retireDomain(trx, organization)
  const waiting = await trx('certification_keys').where({ organization, status: 'pending' }).whereNotNull('document_due_at')
    .pluck<string[]>('id')
  await activatePublished(trx, context, organization, waiting)
}

/** The organization signs under its domain no more, so that no key waits for the document of the domain to sign. */
export async function retireDomain(trx: Knex, organization: string): Promise<void> {
  await trx('did_web_domains').where({ organization, state: 'active' })
    .update({ state: 'former', missing_since: null, told_at: null, updated_at: trx.fn.now() })
  await trx('certification_keys').where({ organization, awaits_document: true }).update({ awaits_document: false })
}
