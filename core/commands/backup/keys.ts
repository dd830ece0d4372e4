import type { Client } from 'pg'
import { getKeyId } from '../../kernel/sealing/seal.ts'
import type { Settings } from '../../app/settings.ts'
import { ArchiveError, type ArchiveHead } from './archive.ts'
import { isEmbedded } from './connections.ts'

/** Creates SQL that selects the ids of keys. Every sealed value begins with a mark and the id of its key. */
const selectKeyIds = (table: string, column: string) =>
  `select distinct encode(substring(${column} from 5 for 8), 'hex') as id from ${table}
   where substring(${column} from 1 for 4) = 'TSK1'`

/** Reads the ids of the keys that the sealed values of a database need. The present key is always one of them. */
export async function readNeededKeys(
  main: Client,
  signer: Client,
  { keyEncryptionKey }: Settings,
): Promise<ArchiveHead['keys']> {
  const platform = await main.query<{ id: string }>(
    `${selectKeyIds('certification_keys', 'sealed')} union ${selectKeyIds('import_mappers', 'headers')}`,
  )
  const {
    rows: [made],
  } = await signer.query<{ there: boolean }>(`select to_regclass('signer.keys') is not null as there`)
  const ofSigner = made?.there ? (await signer.query<{ id: string }>(selectKeyIds('signer.keys', 'sealed'))).rows : []
  const present = keyEncryptionKey === undefined ? [] : [getKeyId(keyEncryptionKey)]
  const sorted = (ids: readonly string[]) => [...new Set(ids)].sort()
  return {
    platform: sorted([...platform.rows.map(({ id }) => id), ...present]),
    signer: sorted(ofSigner.map(({ id }) => id)),
  }
}

/**
 * Throws if a key that an archive needs is missing, before anything is written. If the signer is a process of its own,
 * it alone may hold the keys of its values. Such keys are only returned.
 * @returns ids of the signer's keys that are not known here
 * @throws ArchiveError
 */
export function assertKeysPresent(needed: ArchiveHead['keys'], settings: Settings): string[] {
  const ids = (key: string | undefined, old: readonly string[]) =>
    new Set([...(key === undefined ? [] : [key]), ...old].map(getKeyId))
  const { keyEncryptionKey, keyEncryptionKeysOld, signerKeyEncryptionKey, signerKeyEncryptionKeysOld } = settings
  const here = ids(keyEncryptionKey, keyEncryptionKeysOld)
  const ofSigner = signerKeyEncryptionKey === undefined ? here : ids(signerKeyEncryptionKey, signerKeyEncryptionKeysOld)
  const missing = needed.platform.filter((id) => !here.has(id))
  const missingOfSigner = needed.signer.filter((id) => !ofSigner.has(id))
  if (missing.length > 0) {
    throw new ArchiveError(
      `The backup is sealed with keys that are not here (${missing.join(', ')}): ${
        isEmbedded(settings)
          ? `copy secrets.json and signer.json of its DATA_DIR into ${settings.dataDir}, or set KEY_ENCRYPTION_KEY and KEY_ENCRYPTION_KEYS_OLD`
          : 'set KEY_ENCRYPTION_KEY and KEY_ENCRYPTION_KEYS_OLD as they were'
      }. Nothing was written`,
    )
  }
  if (missingOfSigner.length > 0 && isEmbedded(settings)) {
    throw new ArchiveError(
      `The signer's keys of the backup are sealed with keys that are not here (${missingOfSigner.join(', ')}): copy signer.json of its DATA_DIR into ${
        settings.dataDir
      }, or set SIGNER_KEY_ENCRYPTION_KEY and SIGNER_KEY_ENCRYPTION_KEYS_OLD. Nothing was written`,
    )
  }
  return missingOfSigner
}
