import type { Knex } from 'knex'

/** A certification key with its sealed private half. */
export interface SealedKey {
  id: string
  organization: string
  sealed: Buffer
}

/** Lists the sealed keys of all organizations. */
export async function listSealedKeys(db: Knex): Promise<SealedKey[]> {
  return db('certification_keys').orderBy('id').select<SealedKey[]>('id', 'organization', 'sealed')
}

/** Replaces the sealed private half of a key. */
export async function replaceSealedKey(db: Knex, { id, sealed }: Pick<SealedKey, 'id' | 'sealed'>): Promise<void> {
  await db('certification_keys').where({ id }).update({ sealed })
}
