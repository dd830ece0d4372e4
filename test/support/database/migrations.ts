import { readdir } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { Knex } from 'knex'
import type { MigrationFile } from '../../../core/database/migrations.ts'

const folder = new URL('../../../core/database/migrations/', import.meta.url)

interface Migration {
  up(knex: Knex): Promise<void>
  down(knex: Knex): Promise<void>
}

/**
 * Creates a source with the migrations before a number, to build a database of that time.
 * @param number three digits
 */
export const createSourceBefore = (number: string): Knex.MigrationSource<string> => ({
  getMigrations: async () =>
    (await readdir(folder)).filter((name) => /^\d{3}_\w+\.ts$/.test(name) && name < number).sort(),
  getMigrationName: (name) => name.replace(/\.ts$/, ''),
  getMigration: async (name) => (await import(new URL(name, folder).href)) as Migration,
})

/**
 * Applies migrations as it was done before checksums were kept: in one transaction if all of them allow it.
 * @param files the migrations with the names that they had then
 */
export async function migrateWithoutChecksums(db: Knex, files: readonly MigrationFile[]): Promise<void> {
  await db.migrate.latest({
    migrationSource: {
      getMigrations: async () => [...files],
      getMigrationName: ({ name }: MigrationFile) => name,
      getMigration: async ({ path }: MigrationFile) => (await import(pathToFileURL(path).href)) as Migration,
    },
  })
}
