import { expect } from 'chai'
import { type Tenant } from '../../applications/tenants.ts'
import { createSheetMaker, productFields, type SheetMaker } from './sheet-maker.ts'

describe('DELETE /v1/dpp/products/{id}', () => {
  let own: Tenant
  let create: SheetMaker['create']
  let passportOf: SheetMaker['passportOf']

  before(async () => {
    ;({ own, create, passportOf } = await createSheetMaker())
  })

  it('answers the sheet as it was', async () => {
    const sheet = await create({ productFields, fields: { brand: 'Acme' } })
    const path = `/v1/dpp/products/${sheet['id']}`
    const deleted = await own.api.delete(path)
    expect(deleted.status).to.equal(200)
    expect(deleted.body).to.deep.equal(sheet)
    expect((await own.api.get(path)).status).to.equal(404)
    expect((await own.api.delete(path)).status).to.equal(404)
  })

  it('is refused while the sheet has passports', async () => {
    const { id } = await create()
    const passport = await passportOf(id)
    const refused = await own.api.delete(`/v1/dpp/products/${id}`)
    expect(refused.status).to.equal(409)
    expect(refused.body.code).to.equal('DPP_PRODUCT_HAS_PASSPORTS')
    expect((await own.api.delete(`/v1/dpp/passports/${passport}`)).status).to.equal(200)
    expect((await own.api.delete(`/v1/dpp/products/${id}`)).status).to.equal(200)
  })

  it('leaves no passport without its sheet while passports are created from it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await create()
      const [deleted, ...made] = await Promise.all([
        own.api.delete(`/v1/dpp/products/${id}`),
        ...Array.from({ length: 4 }, () => own.api.post('/v1/dpp/passports', { product: id, fields: {} })),
      ])
      const found = made.map(({ status }) => status)
      expect(
        found.filter((status) => ![201, 404].includes(status)),
        `${deleted?.status}`,
      ).to.deep.equal([])
      expect(found.includes(201)).to.equal(deleted?.status === 409)
    }
  })

  it('needs dpp:delete', async () => {
    const { id } = await create()
    expect((await (await own.limited({ dpp: ['read', 'update'] })).delete(`/v1/dpp/products/${id}`)).status).to.equal(
      403,
    )
  })
})
