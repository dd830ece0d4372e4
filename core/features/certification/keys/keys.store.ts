import type { Knex } from 'knex'
import { keyStatus } from './keys.machine.ts'
import type { KeyRow } from './keys.rows.ts'

type NewKeyRow = Pick<KeyRow, 'id' | 'organization' | 'public_key' | 'sealed' | 'status'>

/** Inserts a key, unless it is to be active and another transaction has just inserted an active one. */
export async function insertKeyRow(trx: Knex, key: NewKeyRow): Promise<void> {
  await trx.raw(
    `insert into certification_keys (id, organization, public_key, sealed, ${keyStatus.column}) values (?, ?, ?, ?, ?)
     on conflict (organization) where status = 'active' do nothing`,
    [key.id, key.organization, key.public_key, key.sealed, key.status],
  )
}

/** Sets the time by which the document of the domain must have a pending key. */
export async function setDocumentDue(trx: Knex, id: string, due: Date): Promise<void> {
  await trx('certification_keys').where({ id }).update({ document_due_at: due })
}

/** Ends the wait of a pending key for the document of the domain. */
export async function clearDocumentDue(trx: Knex, id: string): Promise<void> {
  await trx('certification_keys').where({ id }).update({ document_due_at: null })
}

/** Activates a pending key. The caller has rotated or revoked the active key in the same transaction. */
export async function activateKey(trx: Knex, id: string): Promise<void> {
  await trx('certification_keys').where({ id }).update({ status: keyStatus.moves.activate.to, document_due_at: null })
}

/** Rotates the active key; the caller must make another key active in the same transaction. */
export async function rotateActiveKey(trx: Knex, organization: string): Promise<void> {
  const [active] = keyStatus.moves.rotate.from
  // A signer locks the row, so `rotated_at` is later than the last signature.
  await trx('certification_keys').where({ organization, status: active }).forUpdate().first('id')
  await trx('certification_keys')
    .where({ organization, status: active })
    .update({ status: keyStatus.moves.rotate.to, rotated_at: trx.raw('clock_timestamp()') })
}

/**
 * Revokes a key.
 * @param compromisedAt the time from which the key is compromised; null for the beginning
 */
export async function revokeKeyRow(
  trx: Knex,
  id: string,
  { reason, compromisedAt }: { reason: string; compromisedAt: Date | null },
): Promise<KeyRow> {
  const [revoked] = await trx<KeyRow>('certification_keys')
    .where({ id })
    .update({
      status: keyStatus.moves.revoke.to,
      revoked_at: trx.fn.now(),
      revoked_reason: reason,
      compromised_at: compromisedAt,
    } as object)
    .returning('*')
  if (!revoked) throw new Error(`key ${id} is gone`)
  return revoked
}

/** Revokes a pending key that no network has registered. It has signed nothing. */
export async function revokeUnusedKey(trx: Knex, id: string, reason: string): Promise<void> {
  await trx('certification_keys')
    .where({ id })
    .update({ status: keyStatus.moves.revoke.to, revoked_at: trx.fn.now(), revoked_reason: reason })
}

/** Revokes a pending key that still waits for the document of the domain. @returns whether it did */
export async function revokeUnpublishedKey(trx: Knex, id: string, reason: string): Promise<boolean> {
  const ended = await trx('certification_keys')
    .where({ id, status: keyStatus.moves.createPending.to })
    .whereNotNull('document_due_at')
    .update({
      status: keyStatus.moves.revoke.to,
      revoked_at: trx.fn.now(),
      revoked_reason: reason,
      document_due_at: null,
    })
  return ended > 0
}

/** Changes the time from which a revoked key is compromised; null for the beginning. */
export async function changeCompromise(trx: Knex, id: string, since: Date | null): Promise<KeyRow> {
  const [changed] = await trx<KeyRow>('certification_keys')
    .where({ id })
    .update({ compromised_at: since })
    .returning('*')
  if (!changed) throw new Error(`key ${id} is gone`)
  return changed
}

/** Keeps an active key from signing until the document of the domain has it. */
export async function holdKeyForDocument(trx: Knex, id: string): Promise<void> {
  await trx('certification_keys').where({ id }).update({ awaits_document: true })
}

/**
 * Lets the keys of an organization sign that waited for the document of the domain.
 * @param keys the keys that the document has; all keys if it is left out
 */
export async function releaseKeys(trx: Knex, organization: string, keys?: readonly string[]): Promise<void> {
  await trx('certification_keys')
    .where({ organization, awaits_document: true })
    .modify((query) => {
      if (keys) void query.whereIn('id', [...keys])
    })
    .update({ awaits_document: false })
}
