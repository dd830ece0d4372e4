import type { Knex } from 'knex'
import { createProblem } from '../../../kernel/problem.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import {
  activatePublishedKey,
  type DidWebConfig,
  type DomainRow,
  findActiveDomain,
  findConfiguredDomain,
  findOtherHolder,
  isStillProven,
  lockDomain,
  parseBareHost,
} from '../rotation/index.ts'
import {
  createDid,
  createDidDocument,
  type DidDocument,
  ensureCertificationKey,
  type KeyRow,
  lockKeys,
  readCertificationKeys,
  releaseKeys,
} from '../keys/index.ts'

/** Reads the did:web configuration with the document to publish. */
export async function readDidWebConfig(trx: Knex, context: Context, organization: string): Promise<DidWebConfig> {
  await ensureCertificationKey(context, organization)
  const keys = await readCertificationKeys(trx, organization)
  const key = keys.find(({ status }) => status === 'active')
  if (!key) throw new Error('an organization has no active key')
  const [configured, active] = [
    await findConfiguredDomain(trx, organization),
    await findActiveDomain(trx, organization),
  ]
  const createDocument = ({ domain }: DomainRow) =>
    createDidDocument(domain, getPublishablePublicKeys(keys), context.settings.baseUrl)
  return {
    domain: configured?.domain ?? null,
    status: configured?.state === 'pending' || configured?.state === 'active' ? configured.state : null,
    did: createDid(active?.domain ?? null, key.public_key),
    didDocument: configured ? createDocument(configured) : null,
    lastCheck: configured?.last_check ?? null,
    missingSince: active?.missing_since?.toISOString() ?? null,
    rotationDueAt: keys.find(({ status }) => status === 'pending')?.document_due_at?.toISOString() ?? null,
    active: active
      ? { domain: active.domain, didDocument: createDocument(active), lastCheck: active.last_check }
      : null,
  }
}

/** Creates the document that a domain has to publish now. */
export async function readDidDocument(
  db: Knex,
  { settings }: Pick<Context, 'settings'>,
  organization: string,
  domain: string,
): Promise<DidDocument> {
  return createDidDocument(
    domain,
    getPublishablePublicKeys(await readCertificationKeys(db, organization)),
    settings.baseUrl,
  )
}

/**
 * Returns the public keys for the document. Pending keys are included, so that verifiers know a key before its first
 * signature.
 */
const getPublishablePublicKeys = (keys: readonly KeyRow[]) =>
  keys.filter(({ status }) => status !== 'revoked').map((key) => key.public_key)

/**
 * Sets the domain that somebody wrote, or clears it.
 * @throws VALIDATION_FAILED for what is no bare host
 * @throws DPP_DID_WEB_DOMAIN_ALREADY_TAKEN
 */
export async function chooseDidWebDomain(work: Work, organization: string, written: string | null): Promise<void> {
  const { trx, context } = work
  const domain = written === null ? null : parseBareHost(written, !context.settings.production)
  const before = await findConfiguredDomain(trx, organization)
  await setDidWebDomain(trx, context, organization, domain)
  if ((before?.domain ?? null) === domain) return
  await context.identity.recordAct(work, organization, {
    action: domain === null ? 'did-web.remove' : 'did-web.set',
    target: { kind: 'organization', id: organization },
    change: domain,
  })
}

/**
 * Sets or clears the domain. A new domain is pending, which does not block it for other organizations. The organization
 * signs under its earlier domain until the document of the new one has been found.
 * @throws DPP_DID_WEB_DOMAIN_ALREADY_TAKEN if another organization has the domain active and its document was there
 * within the last day
 */
async function setDidWebDomain(
  trx: Knex,
  context: Context,
  organization: string,
  domain: string | null,
): Promise<void> {
  await lockKeys(trx, organization)
  if (domain !== null) {
    await lockDomain(trx, domain)
    const holder = await findOtherHolder(trx, organization, domain)
    if (holder && isStillProven(holder, context.clock.now())) throw createDomainTakenProblem()
  }
  const known = await findActiveDomain(trx, organization)
  await deletePendingDomain(trx, organization, domain)
  if (domain === null) await signUnderDidKey(trx, context, organization)
  if (domain === null || known?.domain === domain) return
  await trx.raw(
    `insert into did_web_domains (organization, domain) values (?, ?)
     on conflict (organization, domain) do update set updated_at = now(),
       last_check = case when did_web_domains.state = 'pending' then did_web_domains.last_check end, state = 'pending'`,
    [organization, domain],
  )
}

export const createDomainTakenProblem = () =>
  createProblem('DPP_DID_WEB_DOMAIN_ALREADY_TAKEN', 'Another organization signs under this domain.', { path: 'domain' })

/** Removes the pending domain, unless it is `keptDomain`. A domain that was proven before becomes a former one. */
async function deletePendingDomain(trx: Knex, organization: string, keptDomain: string | null): Promise<void> {
  const pending = () =>
    trx('did_web_domains').where({ organization, state: 'pending' }).whereRaw('domain is distinct from ?', [keptDomain])
  await pending().whereNull('proven_at').delete()
  await pending().update({ state: 'former' })
}

/** Makes the organization sign under did:key again; a key that waited for the document of the domain becomes usable. */
async function signUnderDidKey(trx: Knex, context: Context, organization: string): Promise<void> {
  await retireDomain(trx, organization)
  const waitingKeys = await trx('certification_keys')
    .where({ organization, status: 'pending' })
    .whereNotNull('document_due_at')
    .pluck<string[]>('id')
  await activatePublishedKey(trx, context, organization, waitingKeys)
}

/** Ends signing under the organization's domain; its active key then no longer waits for the document of the domain. */
export async function retireDomain(trx: Knex, organization: string): Promise<void> {
  await trx('did_web_domains')
    .where({ organization, state: 'active' })
    .update({ state: 'former', missing_since: null, told_at: null, updated_at: trx.fn.now() })
  await releaseKeys(trx, organization)
}
