import type { Knex } from 'knex'
import { createValidationProblem, createProblem } from '../../../kernel/problem.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { findActiveDomain, maxMissingMs } from './domain-rows.ts'
import { notifyOwners } from './owners.ts'
import {
  activateKey,
  changeCompromise,
  clearDocumentDue,
  holdKeyForDocument,
  insertKey,
  type KeyRow,
  lockKeys,
  readActiveKey,
  releaseKeys,
  revokeKeyRow,
  rotateActiveKey,
  setDocumentDue,
} from '../keys/index.ts'
import { findNetworksInUse, queueRevocation, queueSuccession } from './keys.records.ts'

/** The result of a change of keys. */
export interface KeyChange {
  key: KeyRow
  queuedJobs: number
}

/**
 * Creates a new key. Under did:web the key first waits until the document with it is published. Otherwise the key
 * becomes active at once if the organization has registered keys on no network, or else when the first network has
 * registered it. A new key never blocks the next rotation for good: if every network refuses it, it becomes `revoked`
 * (it has signed nothing), and while a network does not answer it can be revoked by hand.
 * @throws DPP_KEY_ROTATION_PENDING
 */
export async function rotateKey(trx: Knex, context: Context, organization: string): Promise<KeyChange> {
  await lockKeys(trx, organization)
  const waiting = await trx('certification_keys').where({ organization, status: 'pending' }).first('id')
  if (waiting)
    throw createProblem('DPP_KEY_ROTATION_PENDING', 'A new key already waits for its registration on a network.')
  const previous = await readActiveKey(trx, context, organization)
  if (await findActiveDomain(trx, organization))
    return { key: await insertKeyAwaitingDocument(trx, context, organization), queuedJobs: 0 }
  const networks = await findNetworksInUse(trx, context, organization)
  if (networks.length === 0) await rotateActiveKey(trx, organization)
  const id = await insertKey(trx, context, organization, networks.length === 0 ? 'active' : 'pending')
  const key = await readCertificationKey(trx, organization, id)
  return { key, queuedJobs: await queueSuccession(trx, context, { key, previous, networks }) }
}

/**
 * Inserts a pending key that must be in the DID document first, because verifiers of the domain would not know it
 * otherwise.
 */
async function insertKeyAwaitingDocument(trx: Knex, context: Context, organization: string): Promise<KeyRow> {
  const id = await insertKey(trx, context, organization, 'pending')
  await setDocumentDue(trx, id, new Date(context.clock.now().getTime() + maxMissingMs))
  return readCertificationKey(trx, organization, id)
}

/**
 * Continues the changes of keys that waited for the DID document and are now in it. The active key may sign; a pending
 * key is queued for the networks and becomes active with the first registration, or at once if no network is in use.
 * The caller must hold the lock of the keys.
 */
export async function activatePublishedKey(
  trx: Knex,
  context: Context,
  organization: string,
  published: readonly string[],
): Promise<void> {
  await releaseKeys(trx, organization, published)
  const key = await trx<KeyRow>('certification_keys')
    .where({ organization, status: 'pending' })
    .whereNotNull('document_due_at')
    .first()
  if (!key || !published.includes(key.id)) return
  const previous = await readActiveKey(trx, context, organization)
  const networks = await findNetworksInUse(trx, context, organization)
  if (networks.length === 0) {
    await rotateActiveKey(trx, organization)
    await activateKey(trx, key.id)
  } else await clearDocumentDue(trx, key.id)
  await queueSuccession(trx, context, { key, previous, networks })
}

/** The reason of a revocation, and the time from which the key is compromised. */
export interface KeyRevocationReason {
  reason: string
  compromisedAt?: string
}

/**
 * Revokes a key for good. A second revocation counts only if its time of compromise is earlier, or if it names none. If
 * the key was active, the pending key replaces it in the same transaction, or a new key if none is pending.
 * @throws DPP_CERTIFICATION_KEY_NOT_FOUND, VALIDATION_FAILED
 */
export async function revokeKey(
  trx: Knex,
  context: Context,
  organization: string,
  id: string,
  { reason, compromisedAt }: KeyRevocationReason,
): Promise<KeyChange> {
  await lockKeys(trx, organization)
  const key = await readCertificationKey(trx, organization, id)
  const compromised = compromisedAt === undefined ? null : new Date(compromisedAt)
  if (compromised !== null && compromised > context.clock.now()) {
    throw createValidationProblem([{ path: 'compromisedAt', code: 'in_the_future', message: 'is in the future' }])
  }
  if (key.status === 'revoked') return revokeKeyEarlier(trx, context, key, compromised)
  const revoked = await revokeKeyRow(trx, id, { reason, compromisedAt: compromised })
  let queuedJobs = await queueRevocation(trx, context, revoked)
  if (key.status === 'active') queuedJobs += await replaceActiveKey(trx, context, revoked)
  return { key: revoked, queuedJobs }
}

/**
 * Moves the time of compromise of a revoked key to an earlier time, or to the beginning if `since` is null. A later
 * time changes nothing.
 */
async function revokeKeyEarlier(trx: Knex, context: Context, key: KeyRow, since: Date | null): Promise<KeyChange> {
  const known = key.compromised_at
  if (known === null || (since !== null && since >= known)) return { key, queuedJobs: 0 }
  const earlier = await changeCompromise(trx, key.id, since)
  return { key: earlier, queuedJobs: await queueRevocation(trx, context, earlier, true) }
}

/**
 * Replaces a revoked active key. A pending key on networks already has its jobs; a new key is registered on each
 * network in use.
 */
async function replaceActiveKey(trx: Knex, context: Context, previous: KeyRow): Promise<number> {
  const { organization } = previous
  const waiting = await trx<KeyRow>('certification_keys').where({ organization, status: 'pending' }).first()
  if (waiting) {
    await activateKey(trx, waiting.id)
    // A key that waited for the DID document is on no network yet.
    if (waiting.document_due_at === null) return 0
    await markKeyAwaitingDocument(trx, context, waiting)
    return queueSuccession(trx, context, {
      key: waiting,
      previous,
      networks: await findNetworksInUse(trx, context, organization),
    })
  }
  const key = await readCertificationKey(trx, organization, await insertKey(trx, context, organization, 'active'))
  await markKeyAwaitingDocument(trx, context, key)
  return queueSuccession(trx, context, { key, previous, networks: await findNetworksInUse(trx, context, organization) })
}

/**
 * Keeps a key that a revocation made active from signing until the document of the domain has it. Without a domain the
 * key signs at once.
 */
async function markKeyAwaitingDocument(trx: Knex, context: Context, { id, organization }: KeyRow): Promise<void> {
  const active = await findActiveDomain(trx, organization)
  if (!active) return
  await holdKeyForDocument(trx, id)
  await notifyOwners(trx, context, organization, {
    subject: `Your DID document at ${active.domain} lacks your new certification key`,
    parts: [
      `A certification key was revoked, and another one took its place. https://${active.domain}/.well-known/did.json does not have it yet.`,
      'Publish the document that the did:web configuration shows. Until it is found there, nothing is signed.',
    ],
  })
}

/**
 * Reads a key of the organization.
 * @throws DPP_CERTIFICATION_KEY_NOT_FOUND if there is none, or if it belongs to another organization
 */
export async function readCertificationKey(trx: Knex, organization: string, id: string): Promise<KeyRow> {
  const key = await trx<KeyRow>('certification_keys').where({ id, organization }).first()
  if (!key)
    throw createProblem('DPP_CERTIFICATION_KEY_NOT_FOUND', 'The organization has no certification key with that id.')
  return key
}

/** Rotates the key of the caller's organization as `rotateKey` does, with its entry in the audit trail. */
export async function rotateOwnKey(work: Work, organization: string): Promise<KeyChange> {
  const change = await rotateKey(work.trx, work.context, organization)
  await recordKeyAct(work, change.key, 'certification-key.rotate')
  return change
}

/** Revokes a key of the caller's organization as `revokeKey` does, with its entry in the audit trail. */
export async function revokeOwnKey(
  work: Work,
  organization: string,
  id: string,
  reason: KeyRevocationReason,
): Promise<KeyChange> {
  const change = await revokeKey(work.trx, work.context, organization, id, reason)
  await recordKeyAct(work, change.key, 'certification-key.revoke')
  return change
}

const recordKeyAct = (
  work: Work,
  { id, organization }: KeyRow,
  action: 'certification-key.rotate' | 'certification-key.revoke',
): Promise<void> =>
  work.context.identity.recordAct(work, organization, { action, target: { kind: 'certification-key', id } })
