import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Knex } from 'knex'
import { connect } from '../database/connection.ts'
import { withAdvisoryLock } from '../database/lock.ts'

const folder = fileURLToPath(new URL('../database/migrations/', import.meta.url))

interface Migration { up(knex: Knex): Promise<void>; down(knex: Knex): Promise<void> }

/** Files of the migrations folder in the order of their numbers. */
class Folder implements Knex.MigrationSource<string> {
  async getMigrations(): Promise<string[]> {
    return (await readdir(folder)).filter((name) => /^\d{3}_\w+\.ts$/.test(name)).sort()
  }

  getMigrationName(name: string): string {
    return name.replace(/\.ts$/, '')
  }

  async getMigration(name: string): Promise<Migration> {
    return await import(new URL(`../database/migrations/${name}`, import.meta.url).href) as Migration
  }
}

/** Brings the database to the newest schema. Runs side by side with itself: the second waits for the first's lock. */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const db = connect({ url: databaseUrl, name: 'tessera-migrate', max: 2 })
  try {
    return await withAdvisoryLock(db, lockNumber, async () => {
      const [, done] = await db.migrate.latest({ migrationSource: new Folder() }) as [number, string[]]
      return done
    })
  } finally {
    await db.destroy()
  }
}

/** A fixed number for the advisory lock of migrations. */
const lockNumber = 7_364_201
