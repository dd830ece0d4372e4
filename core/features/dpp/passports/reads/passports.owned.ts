import type { Knex } from 'knex'
import { PassportRow } from '../passports.model.ts'

/** Lists the published passports that these accounts have claimed, the newest first. */
export async function listClaimedPassports(
  db: Knex,
  accounts: readonly string[],
  limit: number,
): Promise<PassportRow[]> {
  return PassportRow.query(db)
    .whereIn('minted_to', [...accounts])
    .whereNot('status', 'draft')
    .orderByRaw('minted_at desc nulls last, id desc')
    .limit(limit)
}
