import type { Knex } from 'knex'
import type { KeyRow } from '../../../../core/features/certification/index.ts'

const hourMs = 3_600_000

/** Reads a certification key as it is stored, with its sealed private half. */
export async function readStoredKey(db: Knex, id: string): Promise<KeyRow> {
  const row = await db<KeyRow>('certification_keys').where({ id }).first()
  if (!row) throw new Error(`There is no certification key ${id}`)
  return row
}

/** Lists the states of an organization's keys. A request would create the first key where there is none. */
export async function listKeyStatuses(db: Knex, organization: string): Promise<string[]> {
  return db('certification_keys').where({ organization }).pluck<string[]>('status')
}

/** Counts the active keys of an organization, faster than the API lists them. */
export async function countActiveKeys(db: Knex, organization: string): Promise<number> {
  const [row] = await db('certification_keys').where({ organization, status: 'active' }).count<{ count: string }[]>('*')
  return Number(row?.count)
}

export interface KeyRevocation {
  reason: string | null
  /** Null if the key was compromised from the beginning. */
  compromisedAt: Date | null
}

/** Reads the revocation of a key as it is stored: no answer shows its reason. */
export async function readRevocation(db: Knex, id: string): Promise<KeyRevocation> {
  const row = await db('certification_keys')
    .where({ id })
    .first<{ revoked_reason: string | null; compromised_at: Date | null } | undefined>(
      'revoked_reason',
      'compromised_at',
    )
  if (!row) throw new Error(`There is no certification key ${id}`)
  return { reason: row.revoked_reason, compromisedAt: row.compromised_at }
}

/** Makes the rotation of a key an hour old, so that the key has signed after it was rotated. */
export async function ageRotation(db: Knex, id: string): Promise<void> {
  await db('certification_keys')
    .where({ id })
    .update({ rotated_at: new Date(Date.now() - hourMs) })
}

/** Ends the day within which the published DID document must have a new key. */
export async function expireDocumentDeadline(db: Knex, id: string): Promise<void> {
  await db('certification_keys')
    .where({ id })
    .update({ document_due_at: new Date(Date.now() - hourMs) })
}

/** Checks whether a statement about certification keys waits for a lock that another transaction has. */
export async function isKeyLockAwaited(db: Knex): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%certification_keys%'`,
  )
  return rows.length > 0
}
