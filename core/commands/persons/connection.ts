import pg from 'pg'
import type { Context } from '../../kernel/work.ts'
import { demand } from '../../settings.ts'
import type { Settings } from '../../settings.ts'

/** A connection of its own without time limits: each table is read from its beginning to its end. */
export async function connectFor({ settings }: Pick<Context, 'settings'>): Promise<pg.Client> {
  const { databaseUrl, databaseDirectUrl } = demand(settings as Settings, 'databaseUrl')
  const client = new pg.Client({ connectionString: databaseDirectUrl ?? databaseUrl, application_name: 'tessera-person' })
  await client.connect()
  return client
}
