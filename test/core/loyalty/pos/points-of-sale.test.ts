import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { buildApplication, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody, listFaultPaths } from '../../dpp/passports/fixtures.ts'

const path = '/v1/points-of-sale'

describe('POST /v1/points-of-sale', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })
  const create = (body: object) =>
    shop.api.post(path, { application: shop.application, name: 'Centre', timeZone: 'Europe/Rome', ...body })

  it('creates an active point of sale', async () => {
    const answer = await create({ externalId: 'X-1', address: 'Via Roma 1' })
    expect(answer.status, answer.text).to.equal(201)
    const { id, createdAt: _createdAt, updatedAt: _updatedAt, ...rest } = getBody<Record<string, unknown>>(answer)
    expect(answer.headers['location']).to.equal(`${path}/${id}`)
    expect(rest).to.deep.equal({
      application: shop.application,
      name: 'Centre',
      externalId: 'X-1',
      address: 'Via Roma 1',
      timeZone: 'Europe/Rome',
      status: 'active',
    })
    expect((await shop.api.get(`${path}/${id}`)).body).to.deep.equal(answer.body)
  })

  it('refuses a time zone that there is not, an offset, an identifier that is taken, and a foreign application', async () => {
    for (const timeZone of ['Europe/Atlantis', '+02:00'])
      expect(listFaultPaths(await create({ timeZone }))).to.deep.equal(['timeZone'])
    await create({ externalId: 'X-2' })
    expect(listFaultPaths(await create({ externalId: 'X-2' }))).to.deep.equal(['externalId'])
    const application = await buildApplication((await buildShop()).organization)
    expect(formatVerdict(await create({ application }))).to.equal('404 NOT_FOUND')
  })

  it('is changed, listed and deleted', async () => {
    const { id } = getBody<{ id: string }>(await create({ externalId: 'X-3' }))
    const changed = await shop.api.patch(`${path}/${id}`, { status: 'inactive', externalId: null })
    expect(changed.body).to.include({ status: 'inactive' }).and.not.to.have.property('externalId')
    const listed = await shop.api.get(`${path}?filters[status][eq]=inactive`)
    expect(getBody<{ data: object[] }>(listed).data).to.deep.equal([changed.body])
    expect((await shop.api.delete(`${path}/${id}`)).body).to.deep.equal(changed.body)
    expect(formatVerdict(await shop.api.get(`${path}/${id}`))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await shop.api.delete(`${path}/${randomUUID()}`))).to.equal('404 NOT_FOUND')
  })
})
