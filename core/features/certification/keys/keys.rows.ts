import type { Knex } from 'knex'
import type { Network } from '../../../chains/networks.ts'
import { lockByName } from '../../../database/lock.ts'
import type { keyStatuses } from './keys.machine.ts'

export type KeyStatus = (typeof keyStatuses)[number]

export interface KeyRow {
  id: string
  organization: string
  public_key: Buffer
  sealed: Buffer
  status: KeyStatus
  created_at: Date
  rotated_at: Date | null
  revoked_at: Date | null
  compromised_at: Date | null
  /** Time by which the DID document must have a pending key that waits for it; else null. */
  document_due_at: Date | null
  /** True if the key is active but signs nothing until the DID document has it. */
  awaits_document: boolean
}

/** The state of a key in the registry of a network. */
export interface RegistrationRow {
  key: string
  network: Network
  status: 'pending' | 'registered' | 'failed'
  transaction_hash: string | null
  revocation: 'pending' | 'final' | 'failed' | null
  revocation_hash: string | null
}

/**
 * Locks the organization's keys until the end of the transaction, so that no other transaction changes their states. A
 * signer does not take this lock: it holds a share lock on the active key's row, and a change of that row waits for it.
 */
export async function lockKeys(trx: Knex, organization: string): Promise<void> {
  await lockByName(trx, `certification-keys:${organization}`)
}

/** Reads all keys of an organization, the newest first. */
export const readCertificationKeys = (db: Knex, organization: string): Promise<KeyRow[]> =>
  db<KeyRow>('certification_keys')
    .where({ organization })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])

/** Reads the registrations of these keys, grouped by key. */
export async function readRegistrations(db: Knex, keys: readonly string[]): Promise<Map<string, RegistrationRow[]>> {
  const rows = await db<RegistrationRow>('certification_key_registrations')
    .whereIn('key', [...keys])
    .orderBy('network')
  return Map.groupBy(rows, ({ key }) => key)
}

/** Finds the domain that the organization signs under, or null. */
export async function findActiveDomainName(db: Knex, organization: string): Promise<string | null> {
  const row = await db('did_web_domains')
    .where({ organization, state: 'active' })
    .first<{ domain: string } | undefined>('domain')
  return row?.domain ?? null
}

/** Returns a public key in the form that chains expect. */
export const toHexPublicKey = ({ public_key }: Pick<KeyRow, 'public_key'>) => `0x${public_key.toString('hex')}`
