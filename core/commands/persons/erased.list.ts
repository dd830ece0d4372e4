import { createHmac, hkdfSync } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../settings.ts'
import { SettingsError } from '../../settings.ts'

type ListSettings = Pick<Settings, 'dataDir' | 'keyEncryptionKey' | 'keyEncryptionKeysOld'>

/**
 * Who was erased, by keyed hashes of their addresses: a database that is restored from before still has them. The list
 * lies beside the database, in DATA_DIR, so that no archive of the database takes it back.
 */
const fileOf = ({ dataDir }: ListSettings) => join(dataDir, 'erased-persons.ndjson')

/**
 * Hashes an address with each key that is known, the present one first: entries of before a change of keys were hashed
 * with the key of then. A plain hash of a phone number could be guessed back. Source: RFC 5869.
 */
export function hashAddress({ keyEncryptionKey, keyEncryptionKeysOld }: ListSettings, address: string): [string, ...string[]] {
  if (keyEncryptionKey === undefined) throw new SettingsError('The list of erased persons needs KEY_ENCRYPTION_KEY')
  const hashed = (secret: string) => {
    const key = hkdfSync('sha256', Buffer.from(secret, 'base64'), '', 'tessera erased persons', 32)
    return createHmac('sha256', Buffer.from(key)).update(address).digest('base64url')
  }
  return [hashed(keyEncryptionKey), ...keyEncryptionKeysOld.map(hashed)]
}

/** Reads the hashes of all who were erased. */
export function readErased(settings: ListSettings): Set<string> {
  const file = fileOf(settings)
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter((line) => line !== '') : []
  return new Set(lines.map((line) => (JSON.parse(line) as { address: string }).address))
}

/** Adds addresses to the list, on the disk before this returns. What is there already is not added again. */
export function rememberErased(settings: ListSettings, addresses: readonly string[]): void {
  const known = readErased(settings)
  const fresh = addresses.map((address) => hashAddress(settings, address)[0]).filter((hash) => !known.has(hash))
  if (fresh.length === 0) return
  mkdirSync(settings.dataDir, { recursive: true })
  const file = openSync(fileOf(settings), 'a', 0o600)
  const at = new Date().toISOString()
  writeSync(file, fresh.map((address) => `${JSON.stringify({ address, at })}\n`).join(''))
  fsyncSync(file)
  closeSync(file)
}
