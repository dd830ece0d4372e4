import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { up } from './parcels.migration.ts'

/** Makes the database one that has the area, with an organization and its application. */
export async function createSender(db: Knex): Promise<{ organization: string; application: string }> {
  const [organization, application] = [randomUUID(), randomUUID()]
  await up(db)
  await db('organizations').insert({
    id: organization,
    name: 'Sender',
    slug: organization,
    customer_type: 'company',
    settings: {},
  })
  await db('applications').insert({
    id: application,
    organization,
    name: 'Shop',
    slug: application,
    default_network: 'EthereumAnvil',
  })
  return { organization, application }
}
