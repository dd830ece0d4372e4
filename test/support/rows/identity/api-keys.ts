import type { Knex } from 'knex'
import { insertApiKey, type AuthContext } from '../../../../core/features/identity/auth.ts'
import { createApiKeySecret } from '../../../../core/features/identity/index.ts'
import type { Context } from '../../../../core/kernel/work.ts'

/** Reads when a key ends, as it is stored: no answer shows it. */
export async function readKeyExpiry({ db }: Pick<Context, 'db'>, id: string): Promise<Date | null> {
  const row = await db('api_keys').where({ id }).first<{ expires_at: Date | null } | undefined>('expires_at')
  if (!row) throw new Error(`There is no key ${id}`)
  return row.expires_at
}

/** A key as it is stored, with all columns. */
export interface StoredApiKey {
  [column: string]: unknown
  /** Its hash. */
  key: string
  /** Facts of the key as JSON. */
  metadata: string
}

/** Reads a key as it is stored, which is what a copy of the database has of it. */
export async function readStoredApiKey(db: Knex, id: string): Promise<StoredApiKey> {
  const row = await db('api_keys').where({ id }).first<StoredApiKey | undefined>('*')
  if (!row) throw new Error(`There is no key ${id}`)
  return row
}

/** Disables a key without the notice to running processes, as if the notice had got lost. */
export async function disableApiKeySilently(db: Knex, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('alter table api_keys disable trigger tell_key_change')
    await trx('api_keys').where({ id }).update({ enabled: false })
    await trx.raw('alter table api_keys enable trigger tell_key_change')
  })
}

/** Counts the keys of all organizations, in whatever state they are. */
export async function countApiKeys(db: Knex): Promise<number> {
  const [row] = await db('api_keys').count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Stores the permissions of a key as another version may have written them. */
export async function storePermissions(db: Knex, id: string, permissions: string | null): Promise<void> {
  await db('api_keys').where({ id }).update({ permissions })
}

/** A key whose end has come while it was created. */
export interface EndedKey {
  organization: string
  /** Identifier of an owner. */
  user: string
  expiresAt: Date
}

/** Stores a key whose end has come already, which is refused before. @returns the key's id */
export const insertEndedKey = (parts: AuthContext, key: EndedKey): Promise<string> =>
  parts.db.transaction((trx) =>
    insertApiKey(parts, trx, { ...key, name: 'Ended', permissions: {}, secret: createApiKeySecret('test') }),
  )
