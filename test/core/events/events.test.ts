import { expect } from 'chai'
import { request } from 'undici'
import { v7 } from 'uuid'
import { operations } from '../../../core/app/operations.ts'
import { recordEvent, recordEvents, type NewEvent } from '../../../core/features/events/index.ts'
import type { Caller } from '../../../core/kernel/caller.ts'
import { renameApplication } from '../../support/rows/applications/application-changes.ts'
import { insertApplication } from '../../support/rows/applications/new-applications.ts'
import { deleteEvents } from '../../support/rows/events/passport-events.ts'
import { insertOrganization } from '../../support/rows/identity/new-organizations.ts'
import { serveApi, type Api } from '../queue/api.ts'
import { createQueueParts, type QueueParts } from '../queue/parts.ts'
import { useServers } from '../queue/servers.ts'

interface Listed {
  total: number
  nextCursor: string | null
  data: {
    id: string
    subject: string
    type: string
    application: { id: string; name: string }
    passport?: Record<string, unknown>
    createdAt: string
    updatedAt: string
  }[]
}

describe('GET /v1/events: events', () => {
  const servers = useServers()
  const ours = v7()
  const theirs = v7()
  let shop: string
  let outlet: string
  let foreign: string
  const item = {
    id: v7(),
    product: { idGranularity: 'item', name: 'Red 100% Bag', itemNumber: 'IT-77' },
    data: { a: ['x', null, 1.5] },
  }
  const sheetPassport = { id: v7(), product: v7(), fields: { colour: 'red' } }
  let parts: QueueParts
  let api: Api

  const caller = (organization: string, permissions: object = { organization: ['read'], dpp: ['read'] }): Caller => ({
    kind: 'key',
    application: null,
    id: 'k',
    organization,
    permissions,
  })
  const list = async (query = '', organization = ours) => {
    const answer = await request(`${api.url}/v1/events${query}`, { headers: api.as(caller(organization)) })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`)
    return JSON.parse(text) as Listed
  }
  const kinds = async (query = '') => (await list(query)).data.map(({ subject, type }) => `${subject}/${type}`)
  const addApplication = async (organization: string, name: string) => {
    const id = await insertApplication(servers().db, { organization, network: 'EthereumAnvil' })
    await renameApplication(servers().db, id, name)
    return id
  }
  const record = (event: Partial<NewEvent>) =>
    parts.context.db.transaction((trx) =>
      recordEvent(trx, { organization: ours, application: shop, subject: 'dppPassport', type: 'create', ...event }),
    )

  before(async () => {
    parts = createQueueParts(servers().database.url, undefined)
    api = await serveApi(
      parts.context,
      operations.filter(({ declaration }) => declaration.id === 'list_events_v1'),
    )
    for (const id of [ours, theirs]) await insertOrganization(servers().db, { id })
    shop = await addApplication(ours, 'Shop')
    outlet = await addApplication(ours, 'Outlet')
    foreign = await addApplication(theirs, 'Foreign')
    await record({ subject: 'application', type: 'create' })
    await record({ passport: item })
    await record({ type: 'publish', passport: item })
    await record({ passport: sheetPassport, application: outlet })
    await record({ subject: 'wallet', type: 'create' })
    await record({ organization: theirs, application: foreign, passport: { ...item, id: v7() } })
  })
  after(async () => {
    await api.stop()
    await parts.close()
  })

  it('are listed newest first, with the application by name and the passport as it was then', async () => {
    const { data, total } = await list()
    expect(total).to.equal(5)
    expect(data.map(({ subject, type }) => `${subject}/${type}`)).to.deep.equal([
      'wallet/create',
      'dppPassport/create',
      'dppPassport/publish',
      'dppPassport/create',
      'application/create',
    ])
    const [wallet, sheet, published] = data
    expect(wallet).to.have.keys('id', 'subject', 'type', 'application', 'createdAt', 'updatedAt')
    expect(sheet?.application).to.deep.equal({ id: outlet, name: 'Outlet' })
    expect(sheet?.passport).to.deep.equal(sheetPassport)
    expect(published?.passport).to.deep.equal(item)
    expect(published?.updatedAt).to.equal(published?.createdAt)
    expect(published?.createdAt).to.match(/\.\d{3}Z$/)
  })

  it('keep the name of an application as it was, also of one that is gone', async () => {
    await renameApplication(servers().db, outlet, 'Renamed')
    expect((await list(`?filters[application.id][eq]=${outlet}`)).data[0]?.application.name).to.equal('Outlet')
    await renameApplication(servers().db, outlet, 'Outlet')
    const gone = v7()
    await record({ application: gone, applicationName: 'Gone', subject: 'application', type: 'delete' })
    expect((await list(`?filters[application.id][eq]=${gone}`)).data[0]?.application).to.deep.equal({
      id: gone,
      name: 'Gone',
    })
    await deleteEvents(servers().db, gone)
  })

  it("take the filters of the specification, and a sheet's passports match none on the product object", async () => {
    const passports = 'dppPassport/create'
    expect(await kinds('?filters[subject][eq]=wallet')).to.deep.equal(['wallet/create'])
    expect(await kinds('?filters[type][eq]=publish')).to.deep.equal(['dppPassport/publish'])
    expect(await kinds(`?filters[application.id][eq]=${outlet}`)).to.deep.equal([passports])
    expect(await kinds(`?filters[passport.id][eq]=${item.id}`)).to.deep.equal(['dppPassport/publish', passports])
    expect(await kinds('?filters[passport.product.idGranularity][eq]=item')).to.have.length(2)
    expect(await kinds('?filters[passport.product.idGranularity][eq]=model')).to.deep.equal([])
    expect(await kinds('?filters[passport.product.name][contains]=100%25 b')).to.have.length(2)
    expect(await kinds('?filters[passport.product.name][contains]=100_')).to.deep.equal([])
    expect(await kinds('?filters[passport.product.itemNumber][contains]=it-7')).to.have.length(2)
    const { data } = await list()
    const [newest, , third] = data
    expect((await list(`?filters[id][eq]=${third?.id}`)).data).to.deep.equal([third])
    expect((await list(`?filters[createdAt][gte]=${newest?.createdAt}`)).data[0]).to.deep.equal(newest)
    expect((await list(`?filters[updatedAt][lt]=${third?.createdAt}`)).data).to.deep.equal(data.slice(3))
    for (const wrong of [
      '?filters[passport.id][contains]=a',
      '?filters[passport.data][eq]=a',
      '?sorters[0][field]=subject&sorters[0][order]=asc',
    ]) {
      const answer = await request(`${api.url}/v1/events${wrong}`, { headers: api.as(caller(ours)) })
      expect(answer.statusCode).to.equal(400)
      await answer.body.dump()
    }
  })

  it('belong to one organization, and need its permission', async () => {
    expect((await list('', theirs)).data.map(({ application }) => application.name)).to.deep.equal(['Foreign'])
    expect((await list(`?filters[application.id][eq]=${shop}`, theirs)).data).to.deep.equal([])
    expect((await list(`?filters[passport.id][eq]=${item.id}`, theirs)).data).to.deep.equal([])
    const answer = await request(`${api.url}/v1/events`, { headers: api.as(caller(ours, { dpp: ['read'] })) })
    expect(answer.statusCode).to.equal(403)
    await answer.body.dump()
  })

  it('go on by cursor without a gap, in each order', async () => {
    const { data } = await list()
    for (const sorters of [
      '',
      '&sorters[0][field]=id&sorters[0][order]=asc',
      '&sorters[0][field]=updatedAt&sorters[0][order]=asc',
    ]) {
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await list(`?pageSize=2${sorters}${cursor && `&cursor=${cursor}`}`)
        seen.push(...page.data.map(({ id }) => id))
        cursor = page.nextCursor
      }
      const ids = data.map(({ id }) => id)
      expect(seen).to.deep.equal(sorters === '' ? ids : ids.reverse())
    }
  })

  it('are written with their change or not at all, many of them in one statement', async () => {
    const { db } = parts.context
    const application = v7()
    const events = Array.from({ length: 2_000 }, (_, line) => ({
      organization: ours,
      application,
      applicationName: 'Many',
      subject: 'dppPassport' as const,
      type: 'create' as const,
      passport: { id: v7(), product: { name: `"Bag" \\ {${line}}, ü` } },
    }))
    await db
      .transaction(async (trx) => {
        await recordEvents(trx, events)
        throw new Error('no')
      })
      .catch(() => undefined)
    expect((await list(`?filters[application.id][eq]=${application}`)).total).to.equal(0)
    const statements: string[] = []
    await db.transaction(async (trx) => {
      trx.on('query', ({ sql }: { sql: string }) => statements.push(sql))
      await recordEvents(trx, events)
      await recordEvents(trx, [])
    })
    expect(statements.filter((sql) => /insert/.test(sql))).to.have.length(1)
    const written = await list(
      `?filters[application.id][eq]=${application}&pageSize=1&sorters[0][field]=id&sorters[0][order]=asc`,
    )
    expect(written.total).to.equal(2_000)
    expect(written.data[0]?.passport).to.deep.equal(events[0]?.passport)
    await deleteEvents(servers().db, application)
  })
})
