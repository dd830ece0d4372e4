import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clusterOf } from '../embedded/postgres.cluster.ts'
import { postgresUrl } from '../embedded/postgres.roles.ts'
import { readSettings, SettingsError, type Settings } from '../settings.ts'
import { developmentSecrets } from '../start/secrets.ts'
import { signerSocketPath } from '../start/socket.ts'

/**
 * The settings of an operator's command. What is not set in development is what `npm start` has on the same DATA_DIR:
 * its secrets and, while it runs, its database; the signer is asked at the
 * running start's socket; where nothing runs, nothing is made. @throws SettingsError
 */
export function operatorSettings(env: NodeJS.ProcessEnv): Settings {
  // A command serves nobody, so what is not said is the person's own machine here.
  env['NODE_ENV'] ||= 'development'
  const settings = readSettings(env)
  if (settings.production) return settings
  const { dataDir } = settings
  const DATABASE_URL = settings.databaseUrl ?? runningDatabase(dataDir)
  if (DATABASE_URL === undefined) {
    throw new SettingsError(`Nothing runs on DATA_DIR ${dataDir}; use \`npm start\` beside this, or set DATABASE_URL`)
  }
  const found = { ...developmentSecrets(dataDir), DATABASE_URL, SIGNER_SOCKET: signerSocketPath(dataDir) }
  return readSettings({ ...found, ...Object.fromEntries(Object.entries(env).filter(([, text]) => text)) })
}

/** The database that a start keeps in this folder, while it runs. Source: PostgreSQL, `postmaster.pid`, fourth line. */
function runningDatabase(dataDir: string): string | undefined {
  if (!existsSync(join(dataDir, 'postgres.json'))) return undefined
  const { record, data } = clusterOf(dataDir)
  const file = join(data, 'postmaster.pid')
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[3]) : 0
  return port > 0 ? postgresUrl('tessera', record.tessera, port) : undefined
}
