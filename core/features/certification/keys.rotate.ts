import type { Knex } from 'knex'
import { invalid, problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { activeDomain, graceMs } from './did-web/domain-rows.ts'
import { notifyOwners } from './did-web/owners.ts'
import { activeKey, insertKey } from './keys.ts'
import { networksInUse, queueRevocation, queueSuccession } from './keys.records.ts'
import { lockKeys, type KeyRow } from './keys.rows.ts'

/** What a change of keys came to. */
export interface Changed {
  key: KeyRow
  queuedJobs: number
}

/**
 * Makes a new key. Under did:web it waits for the published document first. It becomes active at once where the organization has registered none yet, else as soon as the first
 * network has it. It never blocks the next rotation for good: when every network refuses it, it becomes `revoked`
 * (nothing was signed with it), and while a network does not answer it can be revoked by hand.
 * @throws DPP_KEY_ROTATION_PENDING
 */
export async function rotateKey(trx: Knex, context: Context, organization: string): Promise<Changed> {
  await lockKeys(trx, organization)
  const waiting = await trx('certification_keys').where({ organization, status: 'pending' }).first('id')
  if (waiting) throw problem('DPP_KEY_ROTATION_PENDING', 'A new key already waits for its registration on a network.')
  const previous = await activeKey(trx, context, organization)
  if (await activeDomain(trx, organization)) return { key: await waitForDocument(trx, context, organization), queuedJobs: 0 }
  const networks = await networksInUse(trx, context, organization)
  if (networks.length === 0) await retireActive(trx, organization)
  const id = await insertKey(trx, context, organization, networks.length === 0 ? 'active' : 'pending')
  const key = await findKey(trx, organization, id)
  return { key, queuedJobs: await queueSuccession(trx, context, { key, previous, networks }) }
}

/** Makes a key that stands in the DID document first: verifiers of the domain would not know it otherwise. */
async function waitForDocument(trx: Knex, context: Context, organization: string): Promise<KeyRow> {
  const id = await insertKey(trx, context, organization, 'pending')
  await trx('certification_keys').where({ id }).update({ document_due_at: new Date(context.clock.now().getTime() + graceMs) })
  return findKey(trx, organization, id)
}

/**
 * Lets keys that waited for the DID document go on, where the document has them: the active one signs, and a new one
 * goes to the networks, which make it active, or is so at once where none is in use. The caller holds the lock of the keys.
 */
export async function activatePublished(
  trx: Knex, context: Context, organization: string, published: readonly string[],
): Promise<void> {
  await trx('certification_keys').where({ organization, awaits_document: true }).whereIn('id', [...published])
    .update({ awaits_document: false })
  const key = await trx<KeyRow>('certification_keys').where({ organization, status: 'pending' })
    .whereNotNull('document_due_at').first()
  if (!key || !published.includes(key.id)) return
  const previous = await activeKey(trx, context, organization)
  const networks = await networksInUse(trx, context, organization)
  if (networks.length === 0) await retireActive(trx, organization)
  await trx('certification_keys').where({ id: key.id })
    .update({ document_due_at: null, ...(networks.length === 0 && { status: 'active' }) })
  await queueSuccession(trx, context, { key, previous, networks })
}

/** Why and since when a key is not to be trusted. */
export interface Revocation {
  reason: string
  compromisedAt?: string
}

/**
 * Revokes a key for good; a second time counts where it says an earlier moment, or none. In place of the active one comes the one that was waiting, or
 * a new one, in the same transaction. @throws DPP_CERTIFICATION_KEY_NOT_FOUND, VALIDATION_FAILED
 */
export async function revokeKey(
  trx: Knex,
  context: Context,
  organization: string,
  id: string,
  { reason, compromisedAt }: Revocation,
): Promise<Changed> {
  await lockKeys(trx, organization)
  const key = await findKey(trx, organization, id)
  const compromised = compromisedAt === undefined ? null : new Date(compromisedAt)
  if (compromised !== null && compromised > context.clock.now()) {
    throw invalid([{ path: 'compromisedAt', code: 'in_the_future', message: 'is in the future' }])
  }
  if (key.status === 'revoked') return revokeEarlier(trx, context, key, compromised)
  const [revoked] = await trx<KeyRow & { compromised_at: Date | null }>('certification_keys')
    .where({ id })
    .update({
      status: 'revoked',
      revoked_at: trx.fn.now(),
      revoked_reason: reason,
      compromised_at: compromised,
    } as object)
    .returning('*')
  if (!revoked) throw new Error(`key ${id} is gone`)
  let queuedJobs = await queueRevocation(trx, context, revoked)
  if (key.status === 'active') queuedJobs += await replaceActive(trx, context, revoked)
  return { key: revoked, queuedJobs }
}

/** A key turns out to be lost since earlier: from the beginning where no moment is said. A later one changes nothing. */
async function revokeEarlier(trx: Knex, context: Context, key: KeyRow, since: Date | null): Promise<Changed> {
  const known = key.compromised_at
  if (known === null || (since !== null && since >= known)) return { key, queuedJobs: 0 }
  const [earlier] = await trx<KeyRow>('certification_keys').where({ id: key.id }).update({ compromised_at: since }).returning('*')
  if (!earlier) throw new Error(`key ${key.id} is gone`)
  return { key: earlier, queuedJobs: await queueRevocation(trx, context, earlier, true) }
}

/** The key that was waiting has its jobs already; a new one is registered wherever the organization has keys. */
async function replaceActive(trx: Knex, context: Context, previous: KeyRow): Promise<number> {
  const { organization } = previous
  const waiting = await trx<KeyRow>('certification_keys').where({ organization, status: 'pending' }).first()
  if (waiting) {
    await trx('certification_keys').where({ id: waiting.id }).update({ status: 'active', document_due_at: null })
    // One that waited for the DID document is on no network yet.
    if (waiting.document_due_at === null) return 0
    await awaitDocument(trx, context, waiting)
    return queueSuccession(trx, context, { key: waiting, previous, networks: await networksInUse(trx, context, organization) })
  }
  const key = await findKey(trx, organization, await insertKey(trx, context, organization, 'active'))
  await awaitDocument(trx, context, key)
  return queueSuccession(trx, context, { key, previous, networks: await networksInUse(trx, context, organization) })
}

/** Lets a key that became active by a revocation sign nothing before the document of the domain has it; without a domain it signs at once. */
async function awaitDocument(trx: Knex, context: Context, { id, organization }: KeyRow): Promise<void> {
  const active = await activeDomain(trx, organization)
  if (!active) return
  await trx('certification_keys').where({ id }).update({ awaits_document: true })
  await notifyOwners(trx, context, organization, {
    subject: `Your DID document at ${active.domain} lacks your new certification key`,
    text: `A certification key was revoked, and another one took its place. https://${active.domain}/.well-known/did.json does not have it yet.\n\n`
      + 'Publish the document that the did:web configuration shows. Until it is found there, nothing is signed.\n',
  })
}

/** Ends the time of the active key; another takes its place in the same transaction. */
export async function retireActive(trx: Knex, organization: string): Promise<void> {
  // Who signs holds the row: the time is told after the last signature.
  await trx('certification_keys').where({ organization, status: 'active' }).forUpdate().first('id')
  await trx('certification_keys')
    .where({ organization, status: 'active' })
    .update({ status: 'rotated', rotated_at: trx.raw('clock_timestamp()') })
}

/** @throws DPP_CERTIFICATION_KEY_NOT_FOUND for an absent or foreign one */
export async function findKey(trx: Knex, organization: string, id: string): Promise<KeyRow> {
  const key = await trx<KeyRow>('certification_keys').where({ id, organization }).first()
  if (!key) throw problem('DPP_CERTIFICATION_KEY_NOT_FOUND', 'The organization has no certification key with that id.')
  return key
}
