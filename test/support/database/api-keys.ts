import type { Context } from '../../../core/kernel/work.ts'

/** Reads when a key ends, as it is stored: no answer shows it. */
export async function readKeyExpiry({ db }: Pick<Context, 'db'>, id: string): Promise<Date | null> {
  const row = await db('api_keys').where({ id }).first<{ expires_at: Date | null } | undefined>('expires_at')
  if (!row) throw new Error(`There is no key ${id}`)
  return row.expires_at
}
