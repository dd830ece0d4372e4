import type { CertificationKey } from '../../../../core/features/certification/index.ts'
import { signWithKey } from '../../../../core/features/certification/keys/index.ts'
import { signJwt } from '../../../../core/features/certification/suites/index.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { readStoredKey } from './keys.ts'

/**
 * Signs a credential as a token with a key of somebody else, as whoever has stolen the key does.
 * @param settings with the key encryption key of the platform
 */
export async function forgeToken(
  { db, settings }: Pick<Context, 'db' | 'settings'>,
  { id, did, kid }: Pick<CertificationKey, 'id' | 'did' | 'kid'>,
  credential: Record<string, unknown>,
): Promise<string> {
  const stored = await readStoredKey(db, id)
  return signJwt(credential, {
    verificationMethod: `${did}#${kid}`,
    sign: (bytes) => signWithKey({ settings }, stored, bytes),
  })
}
