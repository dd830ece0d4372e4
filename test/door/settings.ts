import { readOperatorSettings } from '../../core/commands/admin/admin.settings.ts'
import { readSettings, SettingsError, type Settings } from '../../core/app/settings.ts'

/** The port of the door where none is named. */
const defaultPort = 4000

/**
 * Reads the port of the door: `VC_API_TEST_PORT`.
 * @throws SettingsError if it is no port, or in production: a server counts as production unless NODE_ENV says otherwise
 */
export function readDoorPort(env: NodeJS.ProcessEnv): number {
  const { NODE_ENV: mode, VC_API_TEST_PORT: text = '' } = env
  const hasOwnDatabase = readSettings({ ...env, NODE_ENV: 'test' }).databaseUrl !== undefined
  if (mode === 'production' || (!mode && hasOwnDatabase))
    throw new SettingsError('VC_API_TEST_PORT is not allowed in production: whoever reaches it has credentials signed')
  const port = text === '' ? defaultPort : Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new SettingsError('VC_API_TEST_PORT must be a TCP port, 1 to 65535')
  return port
}

/** Reads the settings of the platform that runs on DATA_DIR, or of the database that is configured; null if none runs. */
export function findPlatformSettings(env: NodeJS.ProcessEnv): Settings | null {
  try {
    return readOperatorSettings(env)
  } catch (cause) {
    if (cause instanceof SettingsError && cause.message.startsWith('Nothing runs')) return null
    throw cause
  }
}
