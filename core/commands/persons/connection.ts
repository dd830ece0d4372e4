import pg from 'pg'
import type { Context } from '../../kernel/work.ts'
import { assertSettings } from '../../app/settings.ts'
import type { Settings } from '../../app/settings.ts'

/** Opens a connection without timeouts, because each table is read from its beginning to its end. */
export async function connectToDatabase({ settings }: Pick<Context, 'settings'>): Promise<pg.Client> {
  const { databaseUrl, databaseDirectUrl } = assertSettings(settings as Settings, 'databaseUrl')
  const client = new pg.Client({
    connectionString: databaseDirectUrl ?? databaseUrl,
    application_name: 'tessera-person',
  })
  await client.connect()
  return client
}
