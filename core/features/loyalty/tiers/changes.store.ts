import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'

/** Why an account has another tier than before. `tier`: a tier, or the account itself, was created, changed or deleted. */
export type TierReason = 'visit' | 'adjust' | 'fixed' | 'tier' | 'window'

export interface NewTierChange {
  organization: string
  account: string
  from: string | null
  to: string | null
  reason: TierReason
}

/** A tier that an account had or got. `name` is null if it was deleted since. */
export interface NamedTier {
  id: string
  name: string | null
}

/** A change of the effective tier of an account; null: no tier. */
export interface TierChange {
  id: string
  from: NamedTier | null
  to: NamedTier | null
  reason: TierReason
  at: Date
}

/** Adds changes to the history of accounts. */
export async function insertTierChanges(trx: Knex, changes: readonly NewTierChange[]): Promise<void> {
  if (changes.length === 0) return
  await trx.raw(
    `insert into loyalty_tier_changes (id, organization, account, from_tier, to_tier, reason)
     select * from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::uuid[], ?::uuid[], ?::text[])`,
    [
      changes.map(() => newId()),
      changes.map(({ organization }) => organization),
      changes.map(({ account }) => account),
      changes.map(({ from }) => from),
      changes.map(({ to }) => to),
      changes.map(({ reason }) => reason),
    ] as Knex.RawBinding[],
  )
}

const createNamedSql = (id: string) => `case when ${id} is not null then jsonb_build_object(
  'id', ${id}, 'name', (select t.name from loyalty_tiers t where t.id = ${id})) end`

/**
 * Lists the newest changes of the tier of an account, the newest first.
 * @param organization the caller's; of an account of another one there are none
 */
export async function listTierChanges(
  db: Knex,
  { organization, account, limit }: { organization: string; account: string; limit: number },
): Promise<TierChange[]> {
  const { rows } = await db.raw<{ rows: TierChange[] }>(
    `select c.id, ${createNamedSql('c.from_tier')} as "from", ${createNamedSql('c.to_tier')} as "to", c.reason, c.at
     from loyalty_tier_changes c where c.account = ? and c.organization = ? order by c.at desc, c.id desc limit ?`,
    [account, organization, limit],
  )
  return rows
}
