import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { readCluster } from '../../embedded/postgres/postgres.cluster.ts'
import { createPostgresUrl } from '../../embedded/postgres/postgres.roles.ts'
import { startPostgres } from '../../embedded/postgres/postgres.ts'
import { assertWritableFolder } from '../../kernel/process/data-folder.ts'
import { assertSettings, readSettings, type Settings } from '../../app/settings.ts'
import { isLocked, lockFolder } from '../../start/lock.ts'
import { ensureDevelopmentSecrets, readExistingSecrets, ensureSignerSecrets } from '../../start/secrets.ts'
import { readOperatorSettings } from '../admin/admin.settings.ts'

/** A database with the URLs of both roles, and the settings of the command that works on it. */
export interface OperatorDatabase {
  settings: Settings
  url: string
  signerUrl: string
}

/**
 * Reads an operator's settings, with the keys from the environment and from the files of DATA_DIR. Creates nothing.
 * @throws SettingsError
 */
export function readPresentSettings(env: NodeJS.ProcessEnv): Settings {
  env['NODE_ENV'] ||= 'development'
  const settings = readSettings(env)
  return settings.production ? settings : readSettings({ ...readExistingSecrets(settings.dataDir), ...omitEmpty(env) })
}

/** Returns whether the database is the one that this package starts in DATA_DIR. */
export const isEmbedded = ({ databaseUrl, production }: Settings): boolean => databaseUrl === undefined && !production

/**
 * Runs `work` with the database of an instance: either the one at DATABASE_URL, with the signer's tables at
 * SIGNER_DATABASE_URL, or the one in DATA_DIR. The database in DATA_DIR is started for this if nothing runs on the
 * folder.
 * @param isExclusive whether nothing else may run on DATA_DIR
 * @throws SettingsError, FolderInUseError
 */
export async function withDatabase<T>(
  env: NodeJS.ProcessEnv,
  isExclusive: boolean,
  work: (database: OperatorDatabase) => Promise<T>,
): Promise<T> {
  env['NODE_ENV'] ||= 'development'
  const initialSettings = readSettings(env)
  const { dataDir } = initialSettings
  if (!isEmbedded(initialSettings)) {
    const settings = assertSettings(readOperatorSettings(env), 'databaseUrl')
    const url = settings.databaseDirectUrl ?? settings.databaseUrl
    return work({ settings, url, signerUrl: settings.signerDatabaseUrl ?? url })
  }
  if (!isExclusive && isLocked(dataDir) && existsSync(join(dataDir, 'postgres.json'))) {
    const settings = addSecrets(env, assertSettings(readOperatorSettings(env), 'databaseUrl'))
    const { port } = new URL(settings.databaseUrl)
    return work({
      settings,
      url: settings.databaseUrl,
      signerUrl: createPostgresUrl('tessera_signer', readCluster(dataDir).record.signer, Number(port)),
    })
  }
  assertWritableFolder(dataDir)
  const unlock = lockFolder(dataDir)
  try {
    // If the server ends for good in the meantime, the connections of `work` fail.
    const server = await startPostgres({ dataDir, giveUp: () => undefined })
    try {
      const settings = addSecrets(env, { ...initialSettings, databaseUrl: server.url })
      return await work({ settings, url: server.url, signerUrl: server.signerUrl })
    } finally {
      await server.stop()
    }
  } finally {
    unlock()
  }
}

/** Returns settings with the keys of this folder and its signer. Their ids are compared with those of a backup. */
function addSecrets<T extends Settings & { databaseUrl: string }>(
  env: NodeJS.ProcessEnv,
  { dataDir, databaseUrl, keyEncryptionKey }: T,
) {
  const secrets = { ...ensureSignerSecrets(dataDir, keyEncryptionKey), ...ensureDevelopmentSecrets(dataDir) }
  return { ...readSettings({ ...secrets, ...omitEmpty(env), DATABASE_URL: databaseUrl }), databaseUrl }
}

const omitEmpty = (env: NodeJS.ProcessEnv) => Object.fromEntries(Object.entries(env).filter(([, text]) => text))

/** Opens a connection without timeouts for `work`, and closes it afterwards. */
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
