import { createCipheriv, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createSeal, createSealFromSettings, getKeyId } from '../../../core/kernel/sealing/seal.ts'

const keys = Array.from({ length: 3 }, () => randomBytes(32).toString('base64')) as [string, string, string]
const secret = Buffer.from('a secret')

/** Encrypts as the first version did: without a mark, and with only the name authenticated. */
function encryptUnmarked(key: string, name: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64'), nonce).setAAD(Buffer.from(name))
  const text = Buffer.concat([cipher.update(secret), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

describe('Sealed values', () => {
  const seal = createSeal(keys[0])

  it('open under their name only', () => {
    const sealed = seal.encrypt('a', secret)
    expect(seal.decrypt('a', sealed)).to.deep.equal(secret)
    expect(() => seal.decrypt('b', sealed)).to.throw()
  })

  it('begin with the mark and the id of their key, and are never the same', () => {
    const [first, second] = [seal.encrypt('a', secret), seal.encrypt('a', secret)]
    expect(first.subarray(0, seal.prefix.length)).to.deep.equal(seal.prefix)
    expect(seal.prefix.toString('latin1', 0, 4)).to.equal('TSK1')
    expect(seal.prefix.toString('hex', 4)).to.equal(getKeyId(keys[0]))
    expect(getKeyId(keys[0]))
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.equal(getKeyId(keys[1]))
    expect(first).not.to.deep.equal(second)
    expect(first).to.have.length(seal.prefix.length + 12 + 16 + secret.length)
  })

  it('do not open after any of their bytes has changed', () => {
    const sealed = seal.encrypt('a', secret)
    for (const at of sealed.keys()) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => seal.decrypt('a', changed), `byte ${at}`).to.throw()
    }
  })

  it('open with an old key, and are made with the new one', () => {
    const sealed = seal.encrypt('a', secret)
    const later = createSeal(keys[1], [keys[2], keys[0]])
    expect(later.decrypt('a', sealed)).to.deep.equal(secret)
    expect(() => createSeal(keys[1], [keys[2]]).decrypt('a', sealed)).to.throw()
    expect(() => seal.decrypt('a', later.encrypt('a', secret))).to.throw()
  })

  it('of the first version open with any of the keys', () => {
    const later = createSeal(keys[1], [keys[2], keys[0]])
    for (const key of keys) expect(later.decrypt('a', encryptUnmarked(key, 'a'))).to.deep.equal(secret)
    expect(() => later.decrypt('b', encryptUnmarked(keys[1], 'a'))).to.throw()
    expect(() => seal.decrypt('a', encryptUnmarked(keys[1], 'a'))).to.throw()
  })

  it('need a key of 32 bytes', () => {
    for (const length of [0, 31, 33])
      expect(() => createSeal(Buffer.alloc(length).toString('base64')), `${length} bytes`).to.throw(
        RangeError,
        '32 bytes',
      )
    expect(() => createSealFromSettings({ keyEncryptionKeysOld: [] })).to.throw('KEY_ENCRYPTION_KEY')
    const fromSettings = createSealFromSettings({ keyEncryptionKey: keys[1], keyEncryptionKeysOld: [keys[0]] })
    expect(fromSettings.decrypt('a', seal.encrypt('a', secret))).to.deep.equal(secret)
  })
})
