import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const lengths = { nonce: 12, tag: 16, keyId: 8 }

/** Begins a value that says which key it is sealed with. */
const mark = Buffer.from('TSK1')

/** Encrypts small secrets at rest. A sealed value opens only under the name it was sealed for. */
export interface Seal {
  /** What every value begins with that is sealed now: the mark and the id of the key. */
  readonly prefix: Buffer
  close(name: string, secret: Uint8Array): Buffer
  /** @throws Error when the key, the name or one bit is another */
  open(name: string, sealed: Uint8Array): Buffer
}

interface SealingKey { id: Buffer; secret: Buffer }

/**
 * AES-256-GCM with a random nonce. Layout: mark, id of the key, nonce, tag, cipher text; mark and id are authenticated
 * together with the name. A value without a mark is of an earlier version: nonce, tag, cipher text, and the name alone
 * authenticated. Source: NIST SP 800-38D. @param key 32 bytes in base64; new values are sealed with it
 * @param others keys that only open, such as the one before
 */
export function sealOf(key: string, others: readonly string[] = []): Seal {
  const present = sealingKey(key)
  const keys = [present, ...others.map(sealingKey)]
  const prefix = Buffer.concat([mark, present.id])
  return {
    prefix,
    close(name, secret) {
      const nonce = randomBytes(lengths.nonce)
      const cipher = createCipheriv(algorithm, present.secret, nonce, { authTagLength: lengths.tag })
      cipher.setAAD(Buffer.concat([prefix, Buffer.from(name)]))
      const text = Buffer.concat([cipher.update(secret), cipher.final()])
      return Buffer.concat([prefix, nonce, cipher.getAuthTag(), text])
    },
    open(name, sealed) {
      const bytes = Buffer.from(sealed)
      const known = keys.find(({ id }) => bytes.subarray(0, prefix.length).equals(Buffer.concat([mark, id])))
      if (known) {
        const aad = Buffer.concat([bytes.subarray(0, prefix.length), Buffer.from(name)])
        return opened(known.secret, aad, bytes.subarray(prefix.length))
      }
      return openedByAny(keys, Buffer.from(name), bytes)
    },
  }
}

/** The id of a key in hexadecimal digits, as values that it sealed have it. @param key 32 bytes in base64 */
export const keyIdOf = (key: string): string => sealingKey(key).id.toString('hex')

/** The id of a key tells nothing of it. */
function sealingKey(key: string): SealingKey {
  const secret = Buffer.from(key, 'base64')
  if (secret.length !== 32) throw new RangeError('the key encryption key is not 32 bytes long')
  const id = createHash('sha256').update('tessera key encryption key').update(secret).digest().subarray(0, lengths.keyId)
  return { id, secret }
}

function opened(key: Buffer, aad: Buffer, sealed: Buffer): Buffer {
  const nonce = sealed.subarray(0, lengths.nonce)
  const tag = sealed.subarray(lengths.nonce, lengths.nonce + lengths.tag)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: lengths.tag })
  decipher.setAAD(aad).setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(lengths.nonce + lengths.tag)), decipher.final()])
}

/** Opens a value of an earlier version, which does not say its key. */
function openedByAny(keys: readonly SealingKey[], aad: Buffer, sealed: Buffer): Buffer {
  for (const [index, { secret }] of keys.entries()) {
    try {
      return opened(secret, aad, sealed)
    } catch (cause) {
      if (index === keys.length - 1) throw cause
    }
  }
  throw new RangeError('there is no key to open with')
}

/**
 * The seal of API, worker and commands. `KEY_ENCRYPTION_KEYS_OLD` only open: the key before, or the next one while not
 * every process has it yet. @throws Error without a key
 */
export function sealFrom(settings: { keyEncryptionKey?: string | undefined; keyEncryptionKeysOld: readonly string[] }): Seal {
  const { keyEncryptionKey, keyEncryptionKeysOld } = settings
  if (keyEncryptionKey === undefined) throw new Error('sealed values need KEY_ENCRYPTION_KEY')
  return sealOf(keyEncryptionKey, keyEncryptionKeysOld)
}
