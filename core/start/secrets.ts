import { randomBytes } from 'node:crypto'
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
