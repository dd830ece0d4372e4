import type { Knex } from 'knex'
import { v7 } from 'uuid'
import type { Network } from '../../../../core/chains/networks.ts'

/** Inserts an application of an organization. @returns its id */
export async function insertApplication(
  db: Knex,
  { organization, network }: { organization: string; network: Network },
): Promise<string> {
  const id = v7()
  await db('applications').insert({ id, organization, name: 'A', slug: id, default_network: network })
  return id
}
