import { readdir } from 'node:fs/promises'
import type { Knex } from 'knex'

const folder = new URL('../../core/database/migrations/', import.meta.url)

interface Migration { up(knex: Knex): Promise<void>; down(knex: Knex): Promise<void> }

/** The migrations that came before one, so that a database is as it was at that time. @param number three digits */
export const migrationsBefore = (number: string): Knex.MigrationSource<string> => ({
  getMigrations: async () => (await readdir(folder)).filter((name) => /^\d{3}_\w+\.ts$/.test(name) && name < number).sort(),
  getMigrationName: (name) => name.replace(/\.ts$/, ''),
  getMigration: async (name) => await import(new URL(name, folder).href) as Migration,
})
