import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { connectDatabase } from '../database/connection.ts'
import { applyMigrations, listMigrationFiles, type MigrationFile } from '../database/migrations.ts'

/**
 * Migrates the database to the newest schema, over its own connections without timeouts. Several calls may run at the
 * same time: the second waits for the lock of the first.
 * @param files migrations to apply, by default all
 * @param restoring whether a restore calls this function, which may change a half restored instance
 * @throws MigrationError if an applied migration was changed later, or if the database has half a backup
 */
export async function migrateSchema(
  databaseUrl: string,
  files?: readonly MigrationFile[],
  restoring = false,
): Promise<string[]> {
  const db = connectDatabase({ url: databaseUrl, name: 'tessera-migrate', maxConnections: 2, withoutTimeouts: true })
  try {
    const unlock = await lockMigrations(db)
    try {
      return await applyMigrations(db, files ?? (await listMigrationFiles()), restoring)
    } finally {
      await unlock()
    }
  } finally {
    await db.destroy()
  }
}

/**
 * Takes the lock of migrations, which ends with its connection. The lock is polled, because an index that is built
 * concurrently would wait for a connection that waits for the lock in a single statement.
 * @returns a function that releases the lock
 */
async function lockMigrations(db: Knex): Promise<() => Promise<void>> {
  const holder = (await db.client.acquireConnection()) as {
    query(sql: string): Promise<{ rows: { taken: boolean }[] }>
  }
  while (!(await holder.query(`select pg_try_advisory_lock(${lockNumber}) as taken`)).rows[0]?.taken) await sleep(100)
  return async () => {
    await holder.query(`select pg_advisory_unlock(${lockNumber})`)
    await db.client.releaseConnection(holder)
  }
}

/** A fixed number for the advisory lock of migrations. */
const lockNumber = 7_364_201
