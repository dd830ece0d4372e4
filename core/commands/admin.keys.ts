import { signerAt } from '../chains/signer/client.ts'
import { sealedKeys } from '../features/certification/index.ts'
import { sealedHeaders } from '../features/imports/index.ts'
import { resealColumn } from '../kernel/reseal.ts'
import { sealFrom } from '../kernel/seal.ts'
import type { Context } from '../kernel/work.ts'

/** Seals every value again that is not sealed with the present keys: the platform's here, the signer's in the signer. */
export async function resealAll({ db, settings }: Context) {
  const seal = sealFrom(settings)
  const certificationKeys = await resealColumn(db, seal, sealedKeys)
  const mapperHeaders = await resealColumn(db, seal, sealedHeaders)
  const signer = signerAt(settings)
  try {
    const { resealed } = await signer.reseal()
    return { certificationKeys, mapperHeaders, signerKeys: resealed }
  } finally {
    signer.close()
  }
}
