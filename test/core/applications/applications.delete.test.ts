import { expect } from 'chai'
import { createApplicationMaker, type ApplicationMaker } from './application-maker.ts'
import { buildBuyer } from '../../support/world.ts'
import type { Tenant } from './tenants.ts'

describe('DELETE /v1/applications/{appId}', () => {
  let own: Tenant
  let create: ApplicationMaker['create']

  before(async () => {
    ;({ own, create } = await createApplicationMaker())
  })

  it('answers the application as it was and takes its sheets along', async () => {
    const id = await create()
    const sheet = await own.api.post('/v1/dpp/products', { application: id, name: 'Bag' })
    const before = await own.api.get(`/v1/applications/${id}`)
    const deleted = await own.api.delete(`/v1/applications/${id}`)
    expect(deleted.status).to.equal(200)
    expect(deleted.body).to.deep.equal(before.body)
    expect((await own.api.get(`/v1/applications/${id}`)).status).to.equal(404)
    expect((await own.api.get(`/v1/dpp/products/${sheet.body.id}`)).status).to.equal(404)
    expect((await own.api.delete(`/v1/applications/${id}`)).status).to.equal(404)
  })

  it('is refused while there are passports or accounts', async () => {
    const withPassport = await create()
    const sheet = await own.api.post('/v1/dpp/products', { application: withPassport, name: 'Bag' })
    const passport = await own.api.post('/v1/dpp/passports', { product: sheet.body.id, fields: {} })
    expect(passport.status, passport.text).to.equal(201)
    const refused = await own.api.delete(`/v1/applications/${withPassport}`)
    expect(refused.status).to.equal(409)
    expect(refused.body.code).to.equal('APPLICATION_IN_USE')
    await own.api.delete(`/v1/dpp/passports/${passport.body.id}`)
    expect((await own.api.delete(`/v1/applications/${withPassport}`)).status).to.equal(200)

    const withAccount = await create()
    await buildBuyer({ application: withAccount })
    expect((await own.api.delete(`/v1/applications/${withAccount}`)).body.code).to.equal('APPLICATION_IN_USE')
  })

  it('leaves no passport without its application while passports are created', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await create()
      const sheet = await own.api.post('/v1/dpp/products', { application: id, name: 'Bag' })
      const [deleted, ...made] = await Promise.all([
        own.api.delete(`/v1/applications/${id}`),
        ...Array.from({ length: 4 }, () => own.api.post('/v1/dpp/passports', { product: sheet.body.id, fields: {} })),
      ])
      const statuses = made.map(({ status }) => status)
      expect(
        deleted?.status === 200 ? statuses.includes(201) : !statuses.includes(201),
        `${deleted?.status} ${statuses}`,
      ).to.equal(false)
      expect(statuses.filter((status) => ![201, 404].includes(status))).to.deep.equal([])
    }
  })

  it('leaves one that is no longer what the caller has read', async () => {
    const id = await create()
    const { headers } = await own.api.get(`/v1/applications/${id}`)
    await own.api.patch(`/v1/applications/${id}`, { websiteUrl: 'https://shop.example.com/' })
    const stale = { headers: { 'if-match': String(headers['etag']) } }
    const refused = await own.api.delete(`/v1/applications/${id}`, stale)
    expect([refused.status, refused.body.code]).to.deep.equal([412, 'PRECONDITION_FAILED'])
    const present = await own.api.get(`/v1/applications/${id}`)
    const fresh = { headers: { 'if-match': String(present.headers['etag']) } }
    expect((await own.api.delete(`/v1/applications/${id}`, fresh)).status).to.equal(200)
  })

  it('needs application:delete', async () => {
    const id = await create()
    expect(
      (await (await own.limited({ application: ['read', 'update'] })).delete(`/v1/applications/${id}`)).status,
    ).to.equal(403)
  })
})
