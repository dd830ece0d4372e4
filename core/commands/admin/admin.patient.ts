import type { Knex } from 'knex'
import { assertSettings, type Settings } from '../../app/settings.ts'
import { connectDatabase } from '../../database/connection.ts'

/**
 * Runs a check on a connection of its own without the time limits of a request, because reading all that an organization
 * keeps takes longer than a statement of a request may.
 */
export async function runOnPatientDatabase<T>(settings: Settings, check: (db: Knex) => Promise<T>): Promise<T> {
  const { databaseUrl } = assertSettings(settings, 'databaseUrl')
  const db = connectDatabase({ url: databaseUrl, name: 'tessera-verify', maxConnections: 2, withoutTimeouts: true })
  try {
    return await check(db)
  } finally {
    await db.destroy()
  }
}
