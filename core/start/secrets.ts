import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOrCreateSecrets, createRandomHex } from '../embedded/secrets.ts'

/** The secrets that development creates for itself. In production, the operator sets each of them. */
export interface DevelopmentSecrets {
  KEY_ENCRYPTION_KEY: string
  SESSION_SECRET: string
  SIGNER_SECRET: string
  BOOTSTRAP_API_KEY: string
}

const keyCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** The secrets that only the signer of a data folder holds. */
export interface SignerSecrets {
  SIGNER_KEY_ENCRYPTION_KEY: string
  /** Old key of a folder from an earlier version, in which the signer sealed with the platform's key. */
  SIGNER_KEY_ENCRYPTION_KEYS_OLD?: string
}

/**
 * Reads or creates the secrets of a data folder's signer, in a file of their own. In a new folder, this must come
 * before the other secrets are created. In a folder of an earlier version, the signer sealed with the common key, which
 * can then still open its keys.
 * @param common the common key, if it is set
 */
export function ensureSignerSecrets(dataDir: string, common: string | undefined): SignerSecrets {
  const isOlder = existsSync(join(dataDir, 'secrets.json'))
  return readOrCreateSecrets(join(dataDir, 'signer.json'), () => ({
    SIGNER_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...(isOlder
      ? { SIGNER_KEY_ENCRYPTION_KEYS_OLD: common ?? ensureDevelopmentSecrets(dataDir).KEY_ENCRYPTION_KEY }
      : {}),
  }))
}

/** Reads the existing secrets of a data folder, those of the platform and of the signer. Creates none. */
export function readExistingSecrets(dataDir: string): NodeJS.ProcessEnv {
  const files = ['secrets.json', 'signer.json'].map((name) => join(dataDir, name)).filter((file) => existsSync(file))
  return Object.assign(
    {},
    ...files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as object),
  ) as NodeJS.ProcessEnv
}

/**
 * Reads the secrets of a data folder, and creates them at first use, so that the next start can read the data again.
 */
export const ensureDevelopmentSecrets = (dataDir: string): DevelopmentSecrets =>
  readOrCreateSecrets(join(dataDir, 'secrets.json'), () => ({
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SESSION_SECRET: createRandomHex(32),
    SIGNER_SECRET: createRandomHex(32),
    BOOTSTRAP_API_KEY: createApiKey(),
  }))

/**
 * Creates a key with 40 letters and digits, each equally likely: bytes above the last complete range of 62 are drawn
 * again.
 */
export function createApiKey(): string {
  let text = ''
  while (text.length < 40) {
    const [byte = 255] = randomBytes(1)
    if (byte < 248) text += keyCharacters[byte % 62]
  }
  return `tsr_test_${text}`
}
