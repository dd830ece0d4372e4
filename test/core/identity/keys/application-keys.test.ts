import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApplication } from '../../../../core/features/applications/index.ts'
import { allPermissions } from '../../../../core/kernel/permission.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { waitUntil } from '../../../support/processes.ts'
import {
  buildApplication,
  buildBuyer,
  buildKey,
  buildPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { createSerial, formatVerdict, waitForJob } from '../../dpp/passports/fixtures.ts'
import { createEmail, getOperator } from '../people.ts'

describe('API keys of one application', () => {
  let shop: Shop
  /** The other application of the same organization, with the key of the organization. */
  let other: Shop
  let api: Client
  let sheets: { own: string; other: string }
  before(async () => {
    shop = await buildShop()
    other = { ...shop, application: await buildApplication(shop.organization) }
    const { key } = await buildKey(shop.organization, allPermissions, { application: shop.application })
    api = createApiClient(key)
    sheets = { own: await buildSheet(shop), other: await buildSheet(other) }
  })

  const create = (body: object) => api.post('/v1/dpp/passports', body)
  const describeItem = () => ({ idGranularity: 'item', name: 'Bag', itemNumber: createSerial() })

  it('create passports of the application alone, whichever way the body names it', async () => {
    const fields = { serialNumber: createSerial() }
    const made = [
      await create({ product: sheets.own, fields }),
      await create({ application: shop.application, product: describeItem() }),
      await create({ application: shop.application.toUpperCase(), product: describeItem() }),
      await create({ product: describeItem() }),
    ]
    expect(made.map(({ status, body }) => [status, body['application']?.['id']])).to.deep.equal(
      made.map(() => [201, shop.application]),
    )
    const refused = [
      await create({ product: sheets.other, fields }),
      await create({ application: shop.application, product: sheets.other, fields }),
      await create({ application: other.application, product: sheets.own, fields }),
      await create({ application: other.application, product: describeItem() }),
    ]
    expect(refused.map(({ status, body }) => [status, body['code']])).to.deep.equal(
      refused.map(() => [404, 'NOT_FOUND']),
    )
    const { body } = await shop.api.get(`/v1/dpp/passports?filters[application.id][eq]=${other.application}`)
    expect(body['total']).to.equal(0)
  })

  it('find no other application whose identifier an operator chose and no version of UUID has', async () => {
    const { db } = await getOperator()
    const id = `${randomUUID().slice(0, 13)}-0000-0000-${randomUUID().slice(24)}`
    const name = createSerial()
    await db.transaction((trx) => createApplication(trx, shop.organization, { id, name }, { network: 'EthereumAnvil' }))
    const body = { application: id, product: describeItem() }
    expect(formatVerdict(await create(body))).to.equal('404 NOT_FOUND')
    expect((await shop.api.post('/v1/dpp/passports', body)).status).to.equal(201)
  })

  it('read a draft of the application, and not one of another, on the route that everybody may use', async () => {
    const [own, foreign] = [await buildPassport(shop, sheets.own), await buildPassport(other, sheets.other)]
    expect((await api.get(`/v1/dpp/passports/${own.id}`)).status).to.equal(200)
    expect((await api.get(`/v1/dpp/passports/${foreign.id}`)).status).to.equal(404)
    expect((await shop.api.get(`/v1/dpp/passports/${foreign.id}`)).status).to.equal(200)
  })

  it('publish without filters the drafts of the application, leave the others, and read the job', async () => {
    const [own, foreign] = [await buildPassport(shop, sheets.own), await buildPassport(other, sheets.other)]
    const started = await api.post('/v1/dpp/passports/publish?skipCertification=true')
    expect(started.status, started.text).to.equal(202)
    await waitForJob(api, `/v1/jobs/${started.body['jobId']}`)
    const statusOf = async (id: string) => (await shop.api.get(`/v1/dpp/passports/${id}`)).body['status']
    expect([await statusOf(own.id), await statusOf(foreign.id)]).to.deep.equal(['published', 'draft'])
    const again = await api.post('/v1/dpp/passports/publish?skipCertification=true&dryRun=true')
    expect(again.body).to.include({ matched: 0, willChange: 0 })
    const theirs = await shop.api.post(
      `/v1/dpp/passports/publish?skipCertification=true&filters[application.id][eq]=${other.application}`,
    )
    const jobPath = `/v1/jobs/${theirs.body['jobId']}`
    await waitForJob(shop.api, jobPath)
    expect((await api.get(jobPath)).status).to.equal(404)
  })

  it('delete, archive and certify nothing of another application, whatever the filters say', async () => {
    const foreign = await buildPassport(other, sheets.other)
    for (const act of ['delete', 'archive', 'certify', 'publish']) {
      const path = `/v1/dpp/passports/${act}?dryRun=true&filters[id][eq]=${foreign.id}`
      expect((await api.post(path)).body, act).to.include({ matched: 0, willChange: 0 })
    }
    const either = encodeURIComponent(
      JSON.stringify([
        {
          operator: 'or',
          value: [
            { field: 'id', operator: 'eq', value: foreign.id },
            { field: 'application.id', operator: 'eq', value: other.application },
          ],
        },
      ]),
    )
    expect((await api.post(`/v1/dpp/passports/delete?dryRun=true&filters=${either}`)).body['matched']).to.equal(0)
  })

  it('move points of the accounts of the application alone', async () => {
    const [own, foreign] = [await buildBuyer(shop, createEmail('own')), await buildBuyer(other, createEmail('other'))]
    const mint = (account: string) => api.post(`/v1/loyalty/account/${account}/mint`, { amount: 5 })
    expect((await mint(own.account)).status).to.equal(202)
    const refused = await mint(foreign.account)
    expect([refused.status, refused.body['code']]).to.deep.equal([404, 'LOYALTY_ACCOUNT_NOT_FOUND'])
    const { body } = await api.get('/v1/accounts?pageSize=100')
    const ids = (body['data'] as unknown as { id: string }[]).map(({ id }) => id)
    expect(ids).to.include(own.account).and.to.not.include(foreign.account)
  })

  it('have the metrics of the application without naming it, and of no other', async () => {
    const { status, body } = await api.get('/v1/admin/metrics/loyalty')
    expect(status).to.equal(200)
    const named = await api.get(`/v1/admin/metrics/loyalty?application=${shop.application}`)
    expect(named.body['totals']).to.deep.equal(body['totals'])
    expect((await api.get(`/v1/admin/metrics/loyalty?application=${other.application}`)).status).to.equal(404)
  })

  it('see the one application, and are refused what concerns the whole organization', async () => {
    const { body } = await api.get('/v1/applications')
    expect((body['data'] as unknown as { id: string }[]).map(({ id }) => id)).to.deep.equal([shop.application])
    const closed = await Promise.all([
      api.post('/v1/applications', { name: 'Another' }),
      api.get('/v1/dpp/certification-keys'),
      api.get('/v1/quotas/usage'),
      api.get(`/v1/organizations/${shop.organization}/members`),
      api.delete(`/v1/applications/${shop.application}`),
      api.get(`/v1/organizations/${shop.organization}`),
      api.post('/v1/dpp/passports/build-vc', { application: shop.application, product: describeItem() }),
      api.patch(`/v1/applications/${shop.application}`, { domains: [] }),
    ])
    for (const { status, body: problem } of closed) {
      expect([status, problem['code']]).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
      expect(problem['detail']).to.contain('one application')
    }
  })

  it('are not made for an application of another organization, nor for none at all', async () => {
    const foreign = await buildShop()
    for (const application of [foreign.application, crypto.randomUUID(), 'none'])
      await expectRefusal(buildKey(shop.organization, allPermissions, { application }))
  })

  it("change what is the application's own, and not its domains, which speak for the organization", async () => {
    const changed = await api.patch(`/v1/applications/${shop.application}`, { name: createSerial() })
    expect(changed.status, changed.text).to.equal(200)
  })

  it('get a stored answer again, also when what it was about is gone', async () => {
    const { id } = await buildPassport(shop, sheets.own)
    const remove = () =>
      api.send('DELETE', `/v1/dpp/passports/${id}`, undefined, { headers: { 'idempotency-key': `remove-${id}` } })
    const [first, again] = [await remove(), await remove()]
    expect([first.status, again.status]).to.deep.equal([200, 200])
    expect(again.headers['idempotency-replayed']).to.equal('true')
  })

  it('are told what is wrong with a passport before it is made, as every key is', async () => {
    for (const body of [{ product: 'abc' }, { product: describeItem(), application: 7 }]) {
      const [limited, whole] = [
        await api.post('/v1/dpp/passports/validate', body),
        await shop.api.post('/v1/dpp/passports/validate', body),
      ]
      expect([limited.status, whole.status]).to.not.include(500)
    }
    const foreign = { application: other.application, product: describeItem() }
    const [limited, whole] = [
      await api.post('/v1/dpp/passports/validate', foreign),
      await shop.api.post('/v1/dpp/passports/validate', foreign),
    ]
    expect([formatVerdict(limited), formatVerdict(whole)]).to.deep.equal(['404 NOT_FOUND', '200'])
  })

  it('end with the application, whose deletion says so before', async () => {
    const application = await buildApplication(shop.organization)
    const { key } = await buildKey(shop.organization, allPermissions, { application })
    const client = createApiClient(key)
    expect((await client.get(`/v1/applications/${application}`)).status).to.equal(200)
    const preview = await shop.api.delete(`/v1/applications/${application}?dryRun=true`)
    expect(preview.body['warnings']).to.include('1 API key will be deleted too.')
    expect((await shop.api.delete(`/v1/applications/${application}`)).status).to.equal(200)
    await waitUntil('every process has learned that the key has ended', async () => {
      const { status, body } = await client.get('/v1/applications')
      return status === 401 && body['code'] === 'AUTH_INVALID_API_KEY'
    })
  })
})

async function expectRefusal(creation: Promise<unknown>): Promise<void> {
  const problem = await creation.then(
    () => null,
    (cause: unknown) => cause as { code: string; errors?: { path: string }[] },
  )
  expect(problem?.code).to.equal('VALIDATION_FAILED')
}
