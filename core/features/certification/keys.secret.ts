import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import type { Context } from '../../kernel/work.ts'
import type { SealedColumn } from '../../kernel/reseal.ts'
import { sealFrom } from '../../kernel/seal.ts'

/** A key pair as it is stored: the private half only sealed. */
export interface SealedPair {
  publicKey: Buffer
  sealed: Buffer
}

/** What a sealed key belongs to; it opens under no other name. */
export interface KeyName {
  id: string
  organization: string
}

const nameOf = ({ id, organization }: KeyName) => `certification-key:${organization}:${id}`

/** Where the private halves of keys lie. */
export const sealedKeys: SealedColumn = { table: 'certification_keys', column: 'sealed', nameOf }

const sealFor = ({ settings }: Pick<Context, 'settings'>) => sealFrom(settings)

/** A new Ed25519 pair. Source: RFC 8410 for the sealed form, PKCS #8. */
export function newPair(context: Pick<Context, 'settings'>, name: KeyName): SealedPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' })
  const sealed = sealFor(context).close(nameOf(name), secret)
  secret.fill(0)
  return { publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'), sealed }
}

/** Opened keys of a process that are remembered; past it, all are opened again. */
const remembered = 1_000
const opened = new WeakMap<Context['settings'], Map<string, KeyObject>>()

/** Signs with a sealed key, opened at its first use in this process. @throws Error under another key encryption key */
export function signWith(
  context: Pick<Context, 'settings'>,
  key: KeyName & Pick<SealedPair, 'sealed'>,
  bytes: Uint8Array,
): Buffer {
  return sign(null, bytes, openedKey(context, key))
}

function openedKey(context: Pick<Context, 'settings'>, key: KeyName & Pick<SealedPair, 'sealed'>): KeyObject {
  const keys = opened.get(context.settings) ?? new Map<string, KeyObject>()
  opened.set(context.settings, keys)
  const known = keys.get(key.id)
  if (known) return known
  const secret = sealFor(context).open(nameOf(key), key.sealed)
  const made = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' })
  secret.fill(0)
  if (keys.size >= remembered) keys.clear()
  keys.set(key.id, made)
  return made
}
