import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { connect } from '../database/connection.ts'
import { applyMigrations, migrationFiles, type MigrationFile } from '../database/migrations.ts'

/**
 * Brings the database to the newest schema, over connections of its own without a limit of time. Runs side by side with
 * itself: the second waits for the first's lock. @param files what is applied, where it is not all that there is
 * @param restoring whether it is a restore that asks, for whom others wait
 * @throws MigrationError when a migration that was applied has changed since, or half a backup is there
 */
export async function migrate(databaseUrl: string, files?: readonly MigrationFile[], restoring = false): Promise<string[]> {
  const db = connect({ url: databaseUrl, name: 'tessera-migrate', max: 2, unlimited: true })
  try {
    const unlock = await lockMigrations(db)
    try {
      return await applyMigrations(db, files ?? await migrationFiles(), restoring)
    } finally {
      await unlock()
    }
  } finally {
    await db.destroy()
  }
}

/**
 * Takes the lock of migrations, which ends with its connection. It is tried again and again: a connection that waits in
 * one statement would be waited for by an index that is built concurrently. @returns what gives it back
 */
async function lockMigrations(db: Knex): Promise<() => Promise<void>> {
  const holder = await db.client.acquireConnection() as { query(sql: string): Promise<{ rows: { taken: boolean }[] }> }
  while (!(await holder.query(`select pg_try_advisory_lock(${lockNumber}) as taken`)).rows[0]?.taken) await sleep(100)
  return async () => {
    await holder.query(`select pg_advisory_unlock(${lockNumber})`)
    await db.client.releaseConnection(holder)
  }
}

/** A fixed number for the advisory lock of migrations. */
const lockNumber = 7_364_201
