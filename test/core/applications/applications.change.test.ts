import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApplicationMaker, type ApplicationMaker } from './application-maker.ts'
import { listErrorPaths, getRows, type Tenant } from './tenants.ts'

describe('PATCH /v1/applications/{appId}', () => {
  let own: Tenant
  let other: Tenant
  let create: ApplicationMaker['create']
  let eventTypes: ApplicationMaker['eventTypes']

  before(async () => {
    ;({ own, other, create, eventTypes } = await createApplicationMaker())
  })

  it('merges objects, replaces arrays and clears with null', async () => {
    const id = await create({
      domains: ['a.example', 'b.example'],
      websiteUrl: 'https://a.example',
      theme: { title: 'Old', primaryColor: '#000000' },
      loyaltySettings: { welcomeBonus: 5, frequencyCapPer24h: 9, currency: 'EUR' },
    })
    const changed = await own.api.patch(`/v1/applications/${id}`, {
      domains: ['C.example'],
      websiteUrl: null,
      theme: { title: null, secondaryColor: '#fff' },
      loyaltySettings: { welcomeBonus: 7, frequencyCapPer24h: null },
    })
    expect(changed.status, changed.text).to.equal(200)
    expect(changed.body).to.deep.include({
      domains: ['c.example'],
      websiteUrl: null,
      theme: { primaryColor: '#000000', secondaryColor: '#fff' },
      loyaltySettings: {
        tokens: [],
        currency: 'EUR',
        welcomeBonus: '7',
        frequencyCapPer24h: 3,
        conversionWindowDays: 7,
      },
    })
    expect(String(changed.body.updatedAt) > String(changed.body.createdAt)).to.equal(true)
    expect((await own.api.get(`/v1/applications/${id}`)).body).to.deep.equal(changed.body)
  })

  it('leaves no trace of a patch that changes nothing', async () => {
    const id = await create({ theme: { title: 'Same' } })
    const before = await own.api.get(`/v1/applications/${id}`)
    const after = await own.api.patch(`/v1/applications/${id}`, { theme: { title: 'Same', mode: null } })
    expect(after.body).to.deep.equal(before.body)
    expect(await eventTypes(id)).to.deep.equal(['create'])
  })

  it('refuses a slug that is taken and wrong values', async () => {
    const slug = `held-${randomUUID().slice(0, 8)}`
    await create({ slug })
    const id = await create()
    expect((await own.api.patch(`/v1/applications/${id}`, { slug })).body.code).to.equal('APPLICATION_SLUG_TAKEN')
    const wrong = await own.api.patch(`/v1/applications/${id}`, { name: null, dppSettings: {} })
    expect(wrong.status).to.equal(422)
    expect(listErrorPaths(wrong).sort()).to.deep.equal(['dppSettings', 'name'])
  })

  it('refuses to overwrite what changed since it was read', async () => {
    const id = await create()
    const etag = String((await own.api.get(`/v1/applications/${id}`)).headers['etag'])
    const first = await own.api.patch(`/v1/applications/${id}`, { name: 'First' }, { headers: { 'if-match': etag } })
    expect(first.status).to.equal(200)
    const second = await own.api.patch(`/v1/applications/${id}`, { name: 'Second' }, { headers: { 'if-match': etag } })
    expect(second.body.code).to.equal('PRECONDITION_FAILED')
    const third = await own.api.patch(
      `/v1/applications/${id}`,
      { name: 'Third' },
      { headers: { 'if-match': String(first.headers['etag']) } },
    )
    expect(third.body.name).to.equal('Third')
  })

  it('does not tell a foreign application from an absent one', async () => {
    const id = await create()
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { name: 'Mine' } : undefined
      const foreign = await other.api.send(method, `/v1/applications/${id}`, body)
      const absent = await other.api.send(method, `/v1/applications/${randomUUID()}`, body)
      expect(foreign.status).to.equal(404)
      const same = ({ instance: _instance, requestId: _requestId, ...rest }: Record<string, unknown>) => rest
      expect(same(foreign.body)).to.deep.equal(same(absent.body))
    }
    expect((await own.api.get(`/v1/applications/${id}`)).status).to.equal(200)
  })

  it('leave an event of each change, with the name as it was then', async () => {
    const id = await create({ name: 'Before' })
    await own.api.patch(`/v1/applications/${id}`, { name: 'After' })
    await own.api.delete(`/v1/applications/${id}`)
    expect(await eventTypes(id)).to.deep.equal(['create', 'update', 'delete'])
    const events = getRows(await own.api.get(`/v1/events?filters[application.id][eq]=${id}`))
    expect(events.map(({ subject, application }) => ({ subject, application }))).to.deep.equal([
      { subject: 'application', application: { id, name: 'After' } },
      { subject: 'application', application: { id, name: 'After' } },
      { subject: 'application', application: { id, name: 'Before' } },
    ])
  })
})
