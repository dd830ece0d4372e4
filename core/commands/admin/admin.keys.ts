import { createSignerClient } from '../../chains/signer/client.ts'
import { sealedKeyColumn } from '../../features/certification/index.ts'
import { sealedOrganizationSecrets } from '../../features/identity/index.ts'
import { sealedHeaders } from '../../features/imports/index.ts'
import { sealedPosSecrets, sealedWalletSecrets } from '../../features/loyalty/index.ts'
import { resealColumn } from '../../kernel/sealing/reseal.ts'
import { createSealFromSettings } from '../../kernel/sealing/seal.ts'
import type { Context } from '../../kernel/work.ts'

/**
 * Reseals every value that is not sealed with the present keys: the platform's values here, the signer's in the signer.
 */
export async function resealAll({ db, settings }: Context) {
  const seal = createSealFromSettings(settings)
  const certificationKeys = await resealColumn(db, seal, sealedKeyColumn)
  const mapperHeaders = await resealColumn(db, seal, sealedHeaders)
  let posSecrets = 0
  for (const column of sealedPosSecrets) posSecrets += await resealColumn(db, seal, column)
  let walletSecrets = 0
  for (const column of sealedWalletSecrets) walletSecrets += await resealColumn(db, seal, column)
  const organizationSecrets = await resealColumn(db, seal, sealedOrganizationSecrets)
  const signer = createSignerClient(settings)
  try {
    const { resealed } = await signer.resealKeys()
    return { certificationKeys, mapperHeaders, posSecrets, walletSecrets, organizationSecrets, signerKeys: resealed }
  } finally {
    signer.close()
  }
}
