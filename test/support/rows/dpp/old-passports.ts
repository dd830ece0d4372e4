import type { Knex } from 'knex'
import { v7 } from 'uuid'
import type { Network } from '../../../../core/chains/networks.ts'

/** Passports to write: drafts without a sheet and without content. */
export interface OldPassports {
  organization: string
  application: string
  network: Network
  createdAt: Date
  count: number
}

/** Inserts passports of any age. @returns their ids */
export async function insertOldPassports(
  db: Knex,
  { organization, application, network, createdAt, count }: OldPassports,
): Promise<string[]> {
  const rows = Array.from({ length: count }, () => ({
    id: v7(),
    organization,
    application,
    network,
    created_at: createdAt,
  }))
  await db('passports').insert(rows)
  return rows.map(({ id }) => id)
}
