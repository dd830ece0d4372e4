import type { Settings } from '../settings.ts'

/** What a fresh database is given to try the product with. */
export interface Seeded {
  organization: string
  application: string
  apiKey: string
  signIn: string
}

/** What is done to the database: `migrate` before any process starts, `seed` while they start. */
export interface DatabaseSteps {
  migrate(settings: Settings): Promise<unknown>
  seed(settings: Settings): Promise<Seeded>
}

/** The newest schema, and the demo organization in an empty database. Their code is loaded when needed. */
export const productDatabase: DatabaseSteps = {
  async migrate({ databaseUrl = '' }) {
    const { migrate } = await import('../commands/migrate.ts')
    return migrate(databaseUrl)
  },
  async seed(settings) {
    const { seed } = await import('../commands/seed.ts')
    return seed(settings)
  },
}
