import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keptSecrets, randomHex } from '../embedded/secrets.ts'

/** What development makes for itself; production is given each of them. */
export interface DevelopmentSecrets {
  KEY_ENCRYPTION_KEY: string
  SESSION_SECRET: string
  SIGNER_SECRET: string
  BOOTSTRAP_API_KEY: string
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** What only the signer of a data folder holds. */
export interface SignerSecrets {
  SIGNER_KEY_ENCRYPTION_KEY: string
  /** Of a folder that an earlier version made, where the signer sealed with the platform's key. */
  SIGNER_KEY_ENCRYPTION_KEYS_OLD?: string
}

/**
 * The secrets of a folder's signer, in a file of their own: made before the others of a new folder. In a folder of an
 * earlier version the signer sealed with the common key, which then still opens. @param common that key, where it is set
 */
export function signerSecrets(dataDir: string, common: string | undefined): SignerSecrets {
  const isOlder = existsSync(join(dataDir, 'secrets.json'))
  return keptSecrets(join(dataDir, 'signer.json'), () => ({
    SIGNER_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...(isOlder ? { SIGNER_KEY_ENCRYPTION_KEYS_OLD: common ?? developmentSecrets(dataDir).KEY_ENCRYPTION_KEY } : {}),
  }))
}

/** The secrets that a data folder has, of its platform and of its signer. Makes none. */
export function secretsThere(dataDir: string): NodeJS.ProcessEnv {
  const files = ['secrets.json', 'signer.json'].map((name) => join(dataDir, name)).filter((file) => existsSync(file))
  return Object.assign({}, ...files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as object)) as NodeJS.ProcessEnv
}

/** The secrets of a data folder, made at first use and kept there, so that the next start reads its data again. */
export const developmentSecrets = (dataDir: string): DevelopmentSecrets =>
  keptSecrets(join(dataDir, 'secrets.json'), () => ({
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SESSION_SECRET: randomHex(32),
    SIGNER_SECRET: randomHex(32),
    BOOTSTRAP_API_KEY: newApiKey(),
  }))

/** 40 letters and digits, each equally likely: bytes above the last whole round of 62 are drawn again. */
export function newApiKey(): string {
  let text = ''
  while (text.length < 40) {
    const [byte = 255] = randomBytes(1)
    if (byte < 248) text += letters[byte % 62]
  }
  return `tsr_test_${text}`
}
