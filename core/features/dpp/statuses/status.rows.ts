import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import { updateStatusBits, type StatusListPosition, type StatusPurpose } from '../../certification/index.ts'

/** The last change of one purpose. */
export interface StatusChangeRow {
  passport: string
  purpose: StatusPurpose
  value: boolean
  reason: string
  created_at: Date
}

/**
 * Reads the last change of each purpose of these passports. A caller that relies on the result has to lock the
 * passports.
 */
export async function readLastChanges(db: Knex, passports: readonly string[]): Promise<StatusChangeRow[]> {
  const { rows } = await db.raw<{ rows: StatusChangeRow[] }>(
    `select distinct on (passport, purpose) passport, purpose, value, reason, created_at from status_changes
     where passport = any(?::uuid[]) order by passport, purpose, created_at desc, id desc`,
    [passports as string[]],
  )
  return rows
}

/** Finds the passports whose credentials are revoked, which is final. */
export async function findRevokedPassports(trx: Knex, passports: readonly string[]): Promise<Set<string>> {
  const changes = await readLastChanges(trx, passports)
  const revoked = changes.filter(({ purpose, value }) => purpose === 'revocation' && value)
  return new Set(revoked.map(({ passport }) => passport))
}

/**
 * Inserts the same change of status for each of these passports. Its time is later than that of all earlier changes,
 * whenever its transaction began. The caller has to lock the passports.
 * @returns the time of each change, by passport
 */
export async function insertStatusChanges(
  trx: Knex,
  organization: string,
  passports: readonly string[],
  { purpose, value, reason }: Pick<StatusChangeRow, 'purpose' | 'value' | 'reason'>,
): Promise<Map<string, Date>> {
  const { rows } = await trx.raw<{ rows: Pick<StatusChangeRow, 'passport' | 'created_at'>[] }>(
    `insert into status_changes (id, organization, passport, purpose, value, reason, created_at)
     select n.id, :organization, n.passport, :purpose, :value, :reason,
       greatest(clock_timestamp(), (select max(c.created_at) + interval '1 ms' from status_changes c
         where c.passport = n.passport and c.purpose = :purpose))
     from unnest(:ids::uuid[], :passports::uuid[]) as n (id, passport) returning passport, created_at`,
    { organization, purpose, value, reason, ids: passports.map(() => newId()), passports: passports as string[] },
  )
  if (rows.length !== passports.length) throw new Error('a change of status was not kept')
  return new Map(rows.map((row) => [row.passport, row.created_at]))
}

/**
 * Reads the positions in status lists of all versions of these passports' credentials, by passport. Versions that are
 * hosted elsewhere have none.
 */
export async function readListPlaces(
  trx: Knex,
  passports: readonly string[],
): Promise<Map<string, StatusListPosition[]>> {
  const { rows } = await trx.raw<{ rows: (StatusListPosition & { passport: string })[] }>(
    `select passport, status_pair as pair, status_index as index from passport_credentials
     where passport = any(?::uuid[]) and status_pair is not null order by passport, version`,
    [passports as string[]],
  )
  return Map.groupBy(rows, ({ passport }) => passport)
}

/** Checks whether a credential of the passport stands in a status list, so that it can be revoked or suspended. */
export const hasListedCredential = async (trx: Knex, passport: string): Promise<boolean> =>
  (await readListPlaces(trx, [passport])).size > 0

/** A new version with its position in the status lists. */
interface PlacedVersion {
  passport: string
  statusPair: string
  statusIndex: number
}

/**
 * Gives newly issued versions the status of the earlier versions, because a revocation or suspension applies to the
 * passport and not to one version. Runs in the transaction that issues them, which has locked the passports.
 */
export async function copyStatusToVersions(trx: Knex, issued: readonly PlacedVersion[]): Promise<void> {
  if (issued.length === 0) return
  const set = (
    await readLastChanges(
      trx,
      issued.map(({ passport }) => passport),
    )
  ).filter(({ value }) => value)
  for (const purpose of ['revocation', 'suspension'] as const) {
    const marked = new Set(set.filter((change) => change.purpose === purpose).map(({ passport }) => passport))
    const places = issued.filter(({ passport }) => marked.has(passport))
    await updateStatusBits(
      trx,
      purpose,
      true,
      places.map(({ statusPair: pair, statusIndex: index }) => ({ pair, index })),
    )
  }
}
