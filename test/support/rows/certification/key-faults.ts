import type { Knex } from 'knex'

/**
 * Damages the sealed keys of an organization, so that nothing can be signed.
 * @returns the function that repairs them
 */
export async function damageKeys(db: Knex, organization: string): Promise<() => Promise<void>> {
  const keys = await db('certification_keys').where({ organization }).select<{ id: string; sealed: Buffer }[]>()
  const seal = async (id: string, sealed: Buffer) => {
    await db('certification_keys').where({ id }).update({ sealed })
  }
  for (const { id, sealed } of keys) await seal(id, Buffer.alloc(sealed.length))
  return async () => {
    for (const { id, sealed } of keys) await seal(id, sealed)
  }
}

/** Moves the time at which a revoked key was compromised, which the API takes once. */
export async function moveCompromise(db: Knex, id: string, at: Date | null): Promise<void> {
  await db('certification_keys').where({ id }).update({ compromised_at: at })
}
