import { createHmac, hkdfSync } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../app/settings.ts'
import { SettingsError } from '../../app/settings.ts'

type ListSettings = Pick<Settings, 'dataDir' | 'keyEncryptionKey' | 'keyEncryptionKeysOld'>

/**
 * Returns the file with the list of erased persons. The list has keyed hashes of their addresses, because a database
 * that is restored from an earlier time still has these persons. The list is in DATA_DIR, beside the database, so that
 * no archive of the database replaces it.
 */
const getListFile = ({ dataDir }: ListSettings) => join(dataDir, 'erased-persons.ndjson')

/**
 * Hashes an address with each known key, the present one first. Entries from before a change of keys were hashed with
 * the key of that time. The hashes are keyed, because a plain hash of a phone number could be reversed by guessing.
 * Source: RFC 5869.
 */
export function hashAddress(
  { keyEncryptionKey, keyEncryptionKeysOld }: ListSettings,
  address: string,
): [string, ...string[]] {
  if (keyEncryptionKey === undefined) throw new SettingsError('The list of erased persons needs KEY_ENCRYPTION_KEY')
  const hashWith = (secret: string) => {
    const key = hkdfSync('sha256', Buffer.from(secret, 'base64'), '', 'tessera erased persons', 32)
    return createHmac('sha256', Buffer.from(key)).update(address).digest('base64url')
  }
  return [hashWith(keyEncryptionKey), ...keyEncryptionKeysOld.map(hashWith)]
}

/** Reads the hashed addresses of all erased persons. */
export function readErased(settings: ListSettings): Set<string> {
  const file = getListFile(settings)
  const lines = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
  return new Set(lines.map((line) => (JSON.parse(line) as { address: string }).address))
}

/** Adds addresses to the list and syncs it to the disk. Addresses that are already on the list are skipped. */
export function addErased(settings: ListSettings, addresses: readonly string[]): void {
  const known = readErased(settings)
  const fresh = addresses.map((address) => hashAddress(settings, address)[0]).filter((hash) => !known.has(hash))
  if (fresh.length === 0) return
  mkdirSync(settings.dataDir, { recursive: true })
  const file = openSync(getListFile(settings), 'a', 0o600)
  const at = new Date().toISOString()
  writeSync(file, fresh.map((address) => `${JSON.stringify({ address, at })}\n`).join(''))
  fsyncSync(file)
  closeSync(file)
}
