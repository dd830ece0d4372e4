import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import type { Context } from '../../../kernel/work.ts'
import type { SealedColumn } from '../../../kernel/sealing/reseal.ts'
import { createSealFromSettings } from '../../../kernel/sealing/seal.ts'

/** A key pair as it is stored; the private key is sealed. */
export interface SealedKeyPair {
  publicKey: Buffer
  sealed: Buffer
}

/** The key that a sealed private key belongs to; it cannot be opened under another id or organization. */
export interface KeyIdentity {
  id: string
  organization: string
}

const createSealName = ({ id, organization }: KeyIdentity) => `certification-key:${organization}:${id}`

/** The column with the sealed private keys. */
export const sealedKeyColumn: SealedColumn = {
  table: 'certification_keys',
  column: 'sealed',
  getSealName: createSealName,
}

const createSeal = ({ settings }: Pick<Context, 'settings'>) => createSealFromSettings(settings)

/** Creates an Ed25519 key pair. Source of the sealed form: RFC 8410, PKCS #8. */
export function createSealedKeyPair(context: Pick<Context, 'settings'>, name: KeyIdentity): SealedKeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' })
  const sealed = createSeal(context).encrypt(createSealName(name), secret)
  secret.fill(0)
  return { publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'), sealed }
}

/** Maximum number of opened keys that a process caches; when it is reached, the cache is cleared. */
const maxOpenedKeys = 1_000
const openedKeys = new WeakMap<Context['settings'], Map<string, KeyObject>>()

/**
 * Signs with a sealed key and opens it at its first use in this process.
 * @throws Error if it was sealed under another key encryption key
 */
export function signWithKey(
  context: Pick<Context, 'settings'>,
  key: KeyIdentity & Pick<SealedKeyPair, 'sealed'>,
  bytes: Uint8Array,
): Buffer {
  return sign(null, bytes, openKey(context, key))
}

function openKey(context: Pick<Context, 'settings'>, key: KeyIdentity & Pick<SealedKeyPair, 'sealed'>): KeyObject {
  const keys = openedKeys.get(context.settings) ?? new Map<string, KeyObject>()
  openedKeys.set(context.settings, keys)
  const known = keys.get(key.id)
  if (known) return known
  const secret = createSeal(context).decrypt(createSealName(key), key.sealed)
  const keyObject = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' })
  secret.fill(0)
  if (keys.size >= maxOpenedKeys) keys.clear()
  keys.set(key.id, keyObject)
  return keyObject
}
