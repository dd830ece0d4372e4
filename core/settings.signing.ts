import type { Settings } from './settings.ts'

const names = /^(SIGNER_KEY_ENCRYPTION_KEY(S_OLD)?|[A-Z_]+_SENDER_KEYS)$/

/** Names the variables of an environment that sign transactions: only the signer may have them. */
export const signingVariables = (env: NodeJS.ProcessEnv): string[] =>
  Object.keys(env).filter((name) => env[name] && names.test(name))

/** The settings of API and worker, which sign no transactions: where one `.env` serves all processes they forget what does. */
export function withoutSigning(settings: Settings, env: NodeJS.ProcessEnv = process.env): Settings {
  for (const name of signingVariables(env)) Reflect.deleteProperty(env, name)
  return { ...settings, signerKeyEncryptionKey: undefined, signerKeyEncryptionKeysOld: [], senderKeys: {} }
}

/** Tells why production does not start a process that signs no transactions and holds what does. */
export function signingReasons({ signerKeyEncryptionKey, senderKeys }: Settings): string[] {
  const held = signerKeyEncryptionKey !== undefined || Object.keys(senderKeys).length > 0
  return held ? ['SIGNER_KEY_ENCRYPTION_KEY and <NETWORK>_SENDER_KEYS are not allowed here: only the signer holds what signs'] : []
}
