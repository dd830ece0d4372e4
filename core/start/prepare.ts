import { SettingsError, type Settings } from '../settings.ts'

/** What a fresh database is given to try the product with. */
export interface Seeded {
  organization: string
  application: string
  apiKey: string
  signIn: string
}

/** Brings the database to the newest schema and puts the demo organization into an empty one. */
export async function prepareDatabase(settings: Settings): Promise<Seeded> {
  const [{ migrate }, { seed }] = await Promise.all([import('../commands/migrate.ts'), import('../commands/seed.ts')])
  if (settings.databaseUrl === undefined) throw new SettingsError('DATABASE_URL is not set')
  await migrate(settings.databaseUrl)
  return seed(settings)
}
