import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const byteLengths = { nonce: 12, tag: 16, keyId: 8 }

/** First bytes of an encrypted value whose key id follows. */
const sealMark = Buffer.from('TSK1')

/**
 * The encryption of small secrets at rest. An encrypted value can only be decrypted under the name that it was
 * encrypted for.
 */
export interface Seal {
  /** The first bytes of every value that is encrypted now: the mark and the id of the key. */
  readonly prefix: Buffer
  encrypt(name: string, secret: Uint8Array): Buffer
  /** @throws Error if the key, the name or any bit of the value differs */
  decrypt(name: string, sealed: Uint8Array): Buffer
}

interface SealingKey {
  id: Buffer
  secret: Buffer
}

/**
 * Creates a seal that encrypts with AES-256-GCM and a random nonce. Layout of a value: mark, id of the key, nonce, tag,
 * cipher text; mark, id and name are authenticated. A value without a mark comes from an earlier version: nonce, tag,
 * cipher text, with only the name authenticated. Source: NIST SP 800-38D.
 * @param key 32 bytes in base64; new values are encrypted with it
 * @param oldKeys keys that only decrypt, such as the previous key
 */
export function createSeal(key: string, oldKeys: readonly string[] = []): Seal {
  const currentKey = createSealingKey(key)
  const keys = [currentKey, ...oldKeys.map(createSealingKey)]
  const prefix = Buffer.concat([sealMark, currentKey.id])
  return {
    prefix,
    encrypt(name, secret) {
      const nonce = randomBytes(byteLengths.nonce)
      const cipher = createCipheriv(algorithm, currentKey.secret, nonce, { authTagLength: byteLengths.tag })
      cipher.setAAD(Buffer.concat([prefix, Buffer.from(name)]))
      const text = Buffer.concat([cipher.update(secret), cipher.final()])
      return Buffer.concat([prefix, nonce, cipher.getAuthTag(), text])
    },
    decrypt(name, sealed) {
      const bytes = Buffer.from(sealed)
      const known = keys.find(({ id }) => bytes.subarray(0, prefix.length).equals(Buffer.concat([sealMark, id])))
      if (known) {
        const aad = Buffer.concat([bytes.subarray(0, prefix.length), Buffer.from(name)])
        return decryptWithKey(known.secret, aad, bytes.subarray(prefix.length))
      }
      return decryptWithAnyKey(keys, Buffer.from(name), bytes)
    },
  }
}

/**
 * Returns the id of a key in hexadecimal digits, as it stands in the values that the key encrypted.
 * @param key 32 bytes in base64
 */
export const getKeyId = (key: string): string => createSealingKey(key).id.toString('hex')

/** Creates a key with its id, a hash that reveals nothing about the key. */
function createSealingKey(key: string): SealingKey {
  const secret = Buffer.from(key, 'base64')
  if (secret.length !== 32) throw new RangeError('the key encryption key is not 32 bytes long')
  const id = createHash('sha256')
    .update('tessera key encryption key')
    .update(secret)
    .digest()
    .subarray(0, byteLengths.keyId)
  return { id, secret }
}

function decryptWithKey(key: Buffer, aad: Buffer, sealed: Buffer): Buffer {
  const nonce = sealed.subarray(0, byteLengths.nonce)
  const tag = sealed.subarray(byteLengths.nonce, byteLengths.nonce + byteLengths.tag)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: byteLengths.tag })
  decipher.setAAD(aad).setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(byteLengths.nonce + byteLengths.tag)), decipher.final()])
}

/** Decrypts a value of an earlier version, which does not name its key, by trying all keys. */
function decryptWithAnyKey(keys: readonly SealingKey[], aad: Buffer, sealed: Buffer): Buffer {
  for (const [index, { secret }] of keys.entries()) {
    try {
      return decryptWithKey(secret, aad, sealed)
    } catch (cause) {
      if (index === keys.length - 1) throw cause
    }
  }
  throw new RangeError('there is no key to open with')
}

/**
 * Creates the seal of the API, the worker and the commands. The keys of `KEY_ENCRYPTION_KEYS_OLD` only decrypt: the
 * previous key, or the next key while not every process has it yet. @throws Error if `keyEncryptionKey` is missing
 */
export function createSealFromSettings(settings: {
  keyEncryptionKey?: string | undefined
  keyEncryptionKeysOld: readonly string[]
}): Seal {
  const { keyEncryptionKey, keyEncryptionKeysOld } = settings
  if (keyEncryptionKey === undefined) throw new Error('sealed values need KEY_ENCRYPTION_KEY')
  return createSeal(keyEncryptionKey, keyEncryptionKeysOld)
}
