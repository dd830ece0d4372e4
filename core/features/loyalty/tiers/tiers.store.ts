import type { Knex } from 'knex'
import type { Modifiers } from 'objection'
import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import { createScopedEntity } from '../../../database/scoped-entity.ts'

/** A row of `loyalty_tiers`. */
export class TierRow extends Model {
  declare organization: string
  declare application: string
  declare name: string
  declare requiredVisits: number
  /** Decimal text. */
  declare currencyToPointRatio: string
  declare bgImageUrl: string | null

  static override tableName = 'loyalty_tiers'

  static override modifiers: Modifiers = {
    ofOrganization: (query, organization: string) => void query.where('loyalty_tiers.organization', organization),
  }
}

/** The fields of the list in SQL. */
export const tierColumns: Columns = {
  id: { sql: 'loyalty_tiers.id' },
  createdAt: { sql: 'loyalty_tiers.created_at' },
  updatedAt: { sql: 'loyalty_tiers.updated_at' },
  'application.id': { sql: 'loyalty_tiers.application' },
  name: { sql: 'loyalty_tiers.name' },
  requiredVisits: { sql: 'loyalty_tiers.required_visits' },
}

/** Lists the tiers of an application, the one that needs the most visits first. */
export const listTiers = (db: Knex, application: string): Promise<TierRow[]> =>
  TierRow.query(db).where({ application }).orderBy('required_visits', 'desc').execute()

/** Reads tiers by their ids. One that was deleted is left out. */
export const readTiers = async (db: Knex, ids: readonly string[]): Promise<TierRow[]> =>
  ids.length === 0 ? [] : TierRow.query(db).whereIn('id', [...ids])

/** Finds the tiers of an application among these. None of them is deleted before the transaction ends. */
export const holdTiers = async (trx: Knex, application: string, ids: readonly string[]): Promise<TierRow[]> =>
  ids.length === 0
    ? []
    : TierRow.query(trx)
        .whereIn('id', [...ids])
        .where({ application })
        .orderBy('id')
        .forKeyShare()

/** Finds a tier of an application. It is not deleted before the transaction ends. */
export const findTier = async (trx: Knex, application: string, id: string): Promise<TierRow | undefined> =>
  (await holdTiers(trx, application, [id]))[0]

/** Finds a tier of an organization. */
export async function findOwnTier(
  db: Knex,
  organization: string,
  id: string,
  lock?: 'forUpdate',
): Promise<TierRow | undefined> {
  const query = TierRow.query(db).findById(id).modify('ofOrganization', organization)
  if (lock) void query[lock]()
  return query
}

type TierContent = Pick<TierRow, 'name' | 'requiredVisits' | 'currencyToPointRatio' | 'bgImageUrl'>

export async function insertTier(
  trx: Knex,
  tier: TierContent & Pick<TierRow, 'id' | 'organization' | 'application'>,
): Promise<void> {
  await TierRow.query(trx).insert(tier)
}

/** Changes a tier, which is locked. */
export async function updateTierRow(trx: Knex, id: string, content: TierContent): Promise<void> {
  // The transaction that locked the tier before may have begun later than this one.
  const updatedAt = trx.raw('clock_timestamp()') as unknown as string
  await TierRow.query(trx)
    .findById(id)
    .patch({ ...content, updatedAt })
}

export async function deleteTierRow(trx: Knex, id: string): Promise<void> {
  await TierRow.query(trx).deleteById(id)
}

/** Counts the tiers of an application. */
export const countTiers = (db: Knex, application: string): Promise<number> =>
  TierRow.query(db).where({ application }).resultSize()

/**
 * Locks the tiers of an application, which go with it. A change of a tier locks the tier before the application.
 * @returns a function that tells whether a tier was created after the lock
 */
export async function blockApplication(trx: Knex, application: string): Promise<() => Promise<boolean>> {
  const known = new Set((await TierRow.query(trx).where({ application }).orderBy('id').forUpdate()).map(({ id }) => id))
  return async () => (await TierRow.query(trx).where({ application }).select('id')).some(({ id }) => !known.has(id))
}

/** Tiers, as requests name them. */
export const tierEntity = createScopedEntity('loyalty_tiers')
