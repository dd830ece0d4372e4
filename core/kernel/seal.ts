import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const lengths = { nonce: 12, tag: 16 }

/** Encrypts small secrets at rest. A sealed value opens only under the name it was sealed for. */
export interface Seal {
  close(name: string, secret: Uint8Array): Buffer
  /** @throws Error when the key, the name or one bit is another */
  open(name: string, sealed: Uint8Array): Buffer
}

/**
 * AES-256-GCM with a random nonce; the name is the additional authenticated data. Layout: nonce, tag, cipher text.
 * Source: NIST SP 800-38D. @param key 32 bytes in base64
 */
export function sealOf(key: string): Seal {
  const secretKey = Buffer.from(key, 'base64')
  if (secretKey.length !== 32) throw new RangeError('the key encryption key is not 32 bytes long')
  return {
    close(name, secret) {
      const nonce = randomBytes(lengths.nonce)
      const cipher = createCipheriv(algorithm, secretKey, nonce, { authTagLength: lengths.tag })
      cipher.setAAD(Buffer.from(name))
      const text = Buffer.concat([cipher.update(secret), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text])
    },
    open(name, sealed) {
      const nonce = sealed.subarray(0, lengths.nonce)
      const tag = sealed.subarray(lengths.nonce, lengths.nonce + lengths.tag)
      const decipher = createDecipheriv(algorithm, secretKey, nonce, { authTagLength: lengths.tag })
      decipher.setAAD(Buffer.from(name)).setAuthTag(tag)
      return Buffer.concat([decipher.update(sealed.subarray(lengths.nonce + lengths.tag)), decipher.final()])
    },
  }
}
