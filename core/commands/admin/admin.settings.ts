import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCluster } from '../../embedded/postgres/postgres.cluster.ts'
import { createPostgresUrl } from '../../embedded/postgres/postgres.roles.ts'
import { readSettings, SettingsError, type Settings } from '../../app/settings.ts'
import { ensureDevelopmentSecrets } from '../../start/secrets.ts'
import { getSignerSocketPath } from '../../start/socket.ts'

/**
 * Reads the settings of an operator's command. In development, settings that are not set are those of `npm start` on
 * the same DATA_DIR: its secrets, its signer's socket and, while it runs, its database. Creates nothing if no database
 * is found.
 * @throws SettingsError if no database is configured and none runs
 */
export function readOperatorSettings(env: NodeJS.ProcessEnv): Settings {
  // A command serves no requests, so by default it runs in development, on the operator's own machine.
  env['NODE_ENV'] ||= 'development'
  const settings = readSettings(env)
  if (settings.production) return settings
  const { dataDir } = settings
  const databaseUrl = settings.databaseUrl ?? findRunningDatabase(dataDir)
  if (databaseUrl === undefined) {
    throw new SettingsError(`Nothing runs on DATA_DIR ${dataDir}; use \`npm start\` beside this, or set DATABASE_URL`)
  }
  const found = {
    ...ensureDevelopmentSecrets(dataDir),
    DATABASE_URL: databaseUrl,
    SIGNER_SOCKET: getSignerSocketPath(dataDir),
  }
  return readSettings({ ...found, ...Object.fromEntries(Object.entries(env).filter(([, text]) => text)) })
}

/**
 * Finds the database that a start keeps in this folder. Source: PostgreSQL, `postmaster.pid`, fourth line.
 * @returns undefined if the database does not run
 */
function findRunningDatabase(dataDir: string): string | undefined {
  if (!existsSync(join(dataDir, 'postgres.json'))) return undefined
  const { record, data } = readCluster(dataDir)
  const file = join(data, 'postmaster.pid')
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[3]) : 0
  return port > 0 ? createPostgresUrl('tessera', record.tessera, port) : undefined
}
