import { createUntpItem } from '../../../support/values/untp.ts'
import { createSerial } from '../../dpp/passports/fixtures.ts'
import type { Shop } from '../../../support/world.ts'

/** A passport with a product object, of which colour and country are certified. */
export const createBody = ({ application }: Pick<Shop, 'application'>, more: object = {}) => ({
  application,
  product: createUntpItem(createSerial()),
  certifiedPaths: ['color', 'origin.country'],
  data: { color: 'red', origin: { country: 'FR', plant: 'A' }, notes: 'not certified' },
  ...more,
})

export const getCredentialPath = (id: unknown) => `/v1/dpp/passports/${id}/vc.jsonld`
export const createAcceptOptions = (accept: string) => ({ headers: { accept } })
