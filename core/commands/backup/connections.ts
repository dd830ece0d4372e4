import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { clusterOf } from '../../embedded/postgres.cluster.ts'
import { postgresUrl } from '../../embedded/postgres.roles.ts'
import { startPostgres } from '../../embedded/postgres.ts'
import { demandWritableFolder } from '../../kernel/data-folder.ts'
import { demand, readSettings, type Settings } from '../../settings.ts'
import { isLocked, lockFolder } from '../../start/lock.ts'
import { developmentSecrets, secretsThere, signerSecrets } from '../../start/secrets.ts'
import { operatorSettings } from '../admin.surroundings.ts'

/** A database with the addresses of both roles, and the settings of whoever works on it. */
export interface OperatorDatabase { settings: Settings; url: string; signerUrl: string }

/**
 * The settings of an operator with the keys that the environment and the files of DATA_DIR have. Makes nothing.
 * @throws SettingsError
 */
export function settingsThere(env: NodeJS.ProcessEnv): Settings {
  env['NODE_ENV'] ||= 'development'
  const settings = readSettings(env)
  return settings.production ? settings : readSettings({ ...secretsThere(settings.dataDir), ...filled(env) })
}

/** Whether the database is the one that this package starts in DATA_DIR. */
export const isEmbedded = ({ databaseUrl, production }: Settings): boolean => databaseUrl === undefined && !production

/**
 * Does something with the database of an instance: that of DATABASE_URL (the signer's tables by SIGNER_DATABASE_URL), or
 * the one of DATA_DIR, which is started for this where nothing runs on it. @param alone whether nothing else may run there
 * @throws SettingsError @throws FolderInUse
 */
export async function withDatabase<T>(
  env: NodeJS.ProcessEnv, alone: boolean, work: (database: OperatorDatabase) => Promise<T>,
): Promise<T> {
  env['NODE_ENV'] ||= 'development'
  const given = readSettings(env)
  const { dataDir } = given
  if (!isEmbedded(given)) {
    const settings = demand(operatorSettings(env), 'databaseUrl')
    const url = settings.databaseDirectUrl ?? settings.databaseUrl
    return work({ settings, url, signerUrl: settings.signerDatabaseUrl ?? url })
  }
  if (!alone && isLocked(dataDir) && existsSync(join(dataDir, 'postgres.json'))) {
    const settings = withSecrets(env, demand(operatorSettings(env), 'databaseUrl'))
    const { port } = new URL(settings.databaseUrl)
    return work({ settings, url: settings.databaseUrl, signerUrl: postgresUrl('tessera_signer', clusterOf(dataDir).record.signer, Number(port)) })
  }
  demandWritableFolder(dataDir)
  const unlock = lockFolder(dataDir)
  try {
    // Should it end for good meanwhile, the work hears of that by its connections.
    const server = await startPostgres({ dataDir, giveUp: () => undefined })
    try {
      const settings = withSecrets(env, { ...given, databaseUrl: server.url })
      return await work({ settings, url: server.url, signerUrl: server.signerUrl })
    } finally {
      await server.stop()
    }
  } finally {
    unlock()
  }
}

/** Settings with the keys of this folder and its signer, whose ids are compared with those of a backup. */
function withSecrets<T extends Settings & { databaseUrl: string }>(env: NodeJS.ProcessEnv, { dataDir, databaseUrl, keyEncryptionKey }: T) {
  const secrets = { ...signerSecrets(dataDir, keyEncryptionKey), ...developmentSecrets(dataDir) }
  return { ...readSettings({ ...secrets, ...filled(env), DATABASE_URL: databaseUrl }), databaseUrl }
}

const filled = (env: NodeJS.ProcessEnv) => Object.fromEntries(Object.entries(env).filter(([, text]) => text))

/** A connection without limits of time, ended with the work. */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'tessera-backup' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0')
    return await work(client)
  } finally {
    await client.end()
  }
}
