import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import { lockByName } from '../../database/lock.ts'

export const keyStatuses = ['active', 'pending', 'rotated', 'revoked'] as const
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
  /** Until when the DID document has to have it, of a key that waits for that. */
  document_due_at: Date | null
  /** Whether it is active and signs nothing before the DID document has it. */
  awaits_document: boolean
}

/** What a network's registry knows of a key, or will. */
export interface RegistrationRow {
  key: string
  network: Network
  status: 'pending' | 'registered' | 'failed'
  transaction_hash: string | null
  revocation: 'pending' | 'final' | 'failed' | null
  revocation_hash: string | null
}

/**
 * Makes this transaction the only one that changes the states of the organization's keys, until its end. Whoever signs
 * does not take it: a signer holds the active key's row in share, which a change of that row waits for.
 */
export async function lockKeys(trx: Knex, organization: string): Promise<void> {
  await lockByName(trx, `certification-keys:${organization}`)
}

/** All keys of an organization, the newest first. */
export const keysOf = (db: Knex, organization: string): Promise<KeyRow[]> =>
  db<KeyRow>('certification_keys').where({ organization }).orderBy([
    { column: 'created_at', order: 'desc' }, { column: 'id', order: 'desc' },
  ])

/** Registrations by key. */
export async function registrationsOf(db: Knex, keys: readonly string[]): Promise<Map<string, RegistrationRow[]>> {
  const rows = await db<RegistrationRow>('certification_key_registrations').whereIn('key', [...keys]).orderBy('network')
  return Map.groupBy(rows, ({ key }) => key)
}

/** The domain that an organization's identifier names, or null. */
export async function domainOf(db: Knex, organization: string): Promise<string | null> {
  const row = await db('did_web_domains').where({ organization, state: 'active' }).first<{ domain: string } | undefined>('domain')
  return row?.domain ?? null
}

/** A public key as chains take it. */
export const hexOf = ({ public_key }: Pick<KeyRow, 'public_key'>) => `0x${public_key.toString('hex')}`
