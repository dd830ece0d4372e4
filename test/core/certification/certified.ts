import { expect } from 'chai'
import { untpItem } from '../../support/untp.ts'
import { ended, newSerial, type Shop } from '../passports/fixtures.ts'

/** A passport with a product object, of which colour and country are certified. */
export const newBody = ({ application }: Pick<Shop, 'application'>, more: object = {}) => ({
  application, product: untpItem(newSerial()), certifiedPaths: ['color', 'origin.country'],
  data: { color: 'red', origin: { country: 'FR', plant: 'A' }, notes: 'not certified' }, ...more,
})

/** A passport of this body, published and certified. @returns its id */
export async function newCertified({ api, application }: Shop, more: object = {}): Promise<string> {
  const made = await api.post('/v1/dpp/passports', newBody({ application }, more))
  expect(made.status, made.text).to.equal(201)
  const id = String(made.body.id)
  const started = await api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
  expect(started.status, started.text).to.equal(202)
  await ended(api, `/v1/jobs/${started.body.jobId}`)
  expect((await api.get(`/v1/dpp/passports/${id}`)).body.certificationStatus).to.equal('certified')
  return id
}

export const credentialAt = (id: unknown) => `/v1/dpp/passports/${id}/vc.jsonld`
export const accepting = (accept: string) => ({ headers: { accept } })
