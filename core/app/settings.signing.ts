import type { Settings } from './settings.ts'

const signingNames = /^(SIGNER_KEY_ENCRYPTION_KEY(S_OLD)?|[A-Z_]+_SENDER_KEYS)$/

/** Lists the variables of an environment with which transactions are signed. Only the signer may have them. */
export const listSigningVariables = (env: NodeJS.ProcessEnv): string[] =>
  Object.keys(env).filter((name) => env[name] && signingNames.test(name))

/**
 * Returns the settings of the API and the worker, which sign no transactions. Removes the signing keys, also from
 * `env`, for the case that one `.env` serves all processes.
 */
export function withoutSigningSettings(settings: Settings, env: NodeJS.ProcessEnv = process.env): Settings {
  for (const name of listSigningVariables(env)) Reflect.deleteProperty(env, name)
  return { ...settings, signerKeyEncryptionKey: undefined, signerKeyEncryptionKeysOld: [], senderKeys: {} }
}

/** Lists the reasons why production must not start a process that holds signing keys but does not sign transactions. */
export function listSigningReasons({ signerKeyEncryptionKey, senderKeys }: Settings): string[] {
  const holdsKeys = signerKeyEncryptionKey !== undefined || Object.keys(senderKeys).length > 0
  return holdsKeys
    ? ['SIGNER_KEY_ENCRYPTION_KEY and <NETWORK>_SENDER_KEYS are not allowed here: only the signer holds what signs']
    : []
}
