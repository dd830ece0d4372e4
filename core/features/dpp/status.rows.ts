import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import { markPlaces, type ListPlace, type StatusPurpose } from '../certification/index.ts'

/** The last change of a purpose. */
export interface ChangeRow {
  passport: string
  purpose: StatusPurpose
  value: boolean
  reason: string
  created_at: Date
}

/** The last change of each purpose of these passports. Who is to rely on them holds the passports' rows. */
export async function lastChanges(db: Knex, passports: readonly string[]): Promise<ChangeRow[]> {
  const { rows } = await db.raw<{ rows: ChangeRow[] }>(
    `select distinct on (passport, purpose) passport, purpose, value, reason, created_at from status_changes
     where passport = any(?::uuid[]) order by passport, purpose, created_at desc, id desc`, [passports as string[]])
  return rows
}

/** Those of these passports whose credentials are revoked, which is for good. */
export async function revokedAmong(trx: Knex, passports: readonly string[]): Promise<Set<string>> {
  const changes = await lastChanges(trx, passports)
  const revoked = changes.filter(({ purpose, value }) => purpose === 'revocation' && value)
  return new Set(revoked.map(({ passport }) => passport))
}

/**
 * Keeps a change, later than all before it whenever its transaction began. The passport's row is held by the caller.
 * @returns when it was
 */
export async function keepChange(
  trx: Knex, organization: string, { passport, purpose, value, reason }: Omit<ChangeRow, 'created_at'>,
): Promise<Date> {
  const { rows: [kept] } = await trx.raw<{ rows: { created_at: Date }[] }>(
    `insert into status_changes (id, organization, passport, purpose, value, reason, created_at)
     select ?, ?, ?, ?, ?, ?, greatest(clock_timestamp(), max(created_at) + interval '1 ms')
     from status_changes where passport = ? and purpose = ? returning created_at`,
    [newId(), organization, passport, purpose, value, reason, passport, purpose])
  if (!kept) throw new Error('a change of status was not kept')
  return kept.created_at
}

/** Where the status of every version of a passport's credential stands; none of one that is hosted elsewhere. */
export async function placesOf(trx: Knex, passport: string): Promise<ListPlace[]> {
  const { rows } = await trx.raw<{ rows: ListPlace[] }>(
    `select status_pair as pair, status_index as index from passport_credentials
     where passport = ? and status_pair is not null order by version`, [passport])
  return rows
}

/** A new version, and its place. */
interface Placed { passport: string; statusPair: string; statusIndex: number }

/**
 * Gives versions that were just issued the status that those before them have: who suspended a passport meant it, not
 * one version. In the transaction that issues them, which holds the passports' rows.
 */
export async function carryStatus(trx: Knex, issued: readonly Placed[]): Promise<void> {
  if (issued.length === 0) return
  const set = (await lastChanges(trx, issued.map(({ passport }) => passport))).filter(({ value }) => value)
  for (const purpose of ['revocation', 'suspension'] as const) {
    const marked = new Set(set.filter((change) => change.purpose === purpose).map(({ passport }) => passport))
    const places = issued.filter(({ passport }) => marked.has(passport))
    await markPlaces(trx, purpose, true, places.map(({ statusPair: pair, statusIndex: index }) => ({ pair, index })))
  }
}
