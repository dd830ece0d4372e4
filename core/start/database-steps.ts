import type { Settings } from '../app/settings.ts'

/** The result of seeding a fresh database: what a user needs to try the product. */
export interface SeedResult {
  organization: string
  application: string
  apiKey: string
  signIn: string
}

/** The steps on the database: `migrate` runs before any process starts, `seed` while the processes start. */
export interface DatabaseSteps {
  migrate(settings: Settings): Promise<unknown>
  seed(settings: Settings): Promise<SeedResult>
}

/**
 * The steps of the product: migrate to the newest schema, and seed an empty database with the demo organization. Their
 * code is loaded when it is needed.
 */
export const productDatabase: DatabaseSteps = {
  async migrate({ databaseUrl = '' }) {
    const { migrateSchema } = await import('../commands/migrate.ts')
    return migrateSchema(databaseUrl)
  },
  async seed(settings) {
    const { seedForStart } = await import('../commands/seed.ts')
    return seedForStart(settings)
  },
}
