import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { allPermissions } from '../../../../core/kernel/permission.ts'
import { createApiClient, type Answer, type Client } from '../../../support/client.ts'
import { insertImport } from '../../../support/rows/imports/imports.ts'
import { buildApplication, buildKey, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { createSerial, formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { createItemRow, findByReference, runImport, waitForImport } from '../../imports/engine/job.maker.ts'
import { createForm, createImport, createMapper, productRows, sendFile } from '../../imports/intake/intake.maker.ts'
import { assignNew, listAssignments } from '../../loyalty/assignments/fixtures.ts'
import { createTier, importAssignments } from '../../loyalty/assignments/imports.maker.ts'
import { createEmail, getOperator } from '../people.ts'

const mappers = '/v1/import/mappers'
const notFound = '404 NOT_FOUND'

const listIds = ({ status, text, body }: Answer): string[] => {
  expect(status, text).to.equal(200)
  return getBody<{ data: { id: string }[] }>({ body } as Answer).data.map(({ id }) => id)
}

describe('API keys of one application: imports and mappers', function () {
  this.timeout(60_000)
  /** The application of the key, with the key of the organization. */
  let shop: Shop
  /** The other application of the same organization, with the key of the organization. */
  let other: Shop
  /** The application of the key, with that key. */
  let limited: Shop
  let api: Client
  let ids: Record<'mapper' | 'import', { own: string; other: string }>
  before(async () => {
    shop = await buildShop()
    other = { ...shop, application: await buildApplication(shop.organization) }
    const { key } = await buildKey(shop.organization, allPermissions, { application: shop.application })
    api = createApiClient(key)
    limited = { ...shop, key, api }
    ids = {
      mapper: { own: await createMapper(shop), other: await createMapper(other) },
      import: { own: await createImport(shop), other: await createImport(other, [{ nonsense: true }]) },
    }
  })

  const createNewMapper = (more: object = {}) => ({
    application: shop.application,
    name: randomUUID(),
    type: 'file',
    format: 'csv',
    rows: productRows,
    ...more,
  })

  it('list_import_mappers_v1 and list_imports_v1: list those of the application alone, whatever the filters say', async () => {
    for (const [path, field, { own, other: foreign }] of [
      [mappers, 'application.id', ids.mapper],
      ['/v1/imports', 'data.applicationId', ids.import],
    ] as const) {
      expect(listIds(await api.get(`${path}?pageSize=100`)))
        .to.include(own)
        .and.to.not.include(foreign)
      expect(listIds(await shop.api.get(`${path}?pageSize=100`))).to.include.members([own, foreign])
      expect(listIds(await api.get(`${path}?filters[${field}][eq]=${other.application}`)), path).to.deep.equal([])
    }
    const bySlice = `/v1/imports?filters[parent][eq]=${ids.import.other}`
    expect(listIds(await api.get(bySlice))).to.deep.equal([])
    expect(listIds(await shop.api.get(bySlice))).to.have.length(1)
  })

  it('get_, update_, delete_ and run_import_mapper_v1: serve a mapper of the application, and find none of another', async () => {
    const own = await createMapper(limited)
    const renamed = await api.patch(`${mappers}/${own}`, { name: createSerial() })
    expect(renamed.status, renamed.text).to.equal(200)
    expect((await api.get(`${mappers}/${own}`)).body).to.deep.equal(renamed.body)
    expect(formatVerdict(await api.post(`${mappers}/${own}/run`))).to.match(/ IMPORT_MAPPER_NOT_URL$/)
    expect((await api.delete(`${mappers}/${own}?dryRun=true`)).status).to.equal(200)
    expect((await api.delete(`${mappers}/${own}`)).status).to.equal(200)

    const foreign = `${mappers}/${ids.mapper.other}`
    const before = (await shop.api.get(foreign)).body
    const refused = [
      await api.get(foreign),
      await api.patch(foreign, { name: createSerial() }),
      await api.delete(foreign),
      await api.delete(`${foreign}?dryRun=true`),
      await api.post(`${foreign}/run`),
    ]
    expect(refused.map(formatVerdict)).to.deep.equal(refused.map(() => notFound))
    expect((await shop.api.get(foreign)).body).to.deep.equal(before)
  })

  it('create_import_mapper_v1: makes mappers of the application, and none of another', async () => {
    const made = await api.post(mappers, createNewMapper({ application: shop.application.toUpperCase() }))
    expect([made.status, made.body['application']], made.text).to.deep.equal([201, shop.application])
    expect(formatVerdict(await api.post(mappers, createNewMapper({ application: other.application })))).to.equal(
      notFound,
    )
    // The name of a mapper of another application says nothing either.
    const { name } = (await shop.api.get(`${mappers}/${ids.mapper.other}`)).body
    expect((await api.post(mappers, createNewMapper({ name }))).status).to.equal(201)
  })

  it('list_running_import_mappers_v1: lists the imports of the application, and finds no other application', async () => {
    const { db } = await getOperator()
    const going = await insertImport(db, shop, { status: 'pending', mapper: ids.mapper.own })
    await insertImport(db, other, { status: 'pending', mapper: ids.mapper.other })
    const read = async (query: string) =>
      getBody<{ job: { id: string } }[]>(await api.get(`${mappers}/running${query}`)).map(({ job }) => job.id)
    expect(await read('')).to.deep.equal([going])
    expect(await read(`?application=${shop.application}`)).to.deep.equal([going])
    expect(formatVerdict(await api.get(`${mappers}/running?application=${other.application}`))).to.equal(notFound)
    expect(getBody<object[]>(await shop.api.get(`${mappers}/running`))).to.have.length(2)
  })

  it('preview_import_mapper_v1: tries mappers in the application, and finds none of another, however it is named', async () => {
    const sample = 'ref,name\nA-1,Bag\n'
    const mapper = { format: 'csv', rows: productRows }
    const preview = async (body: object) => formatVerdict(await api.post(`${mappers}/preview`, { sample, ...body }))
    const own = { application: shop.application }
    const foreign = { application: other.application }
    for (const body of [
      { mapper },
      { mapper, ...own },
      { mapper: { ...mapper, ...own } },
      { mapperId: ids.mapper.own },
      { mapperId: ids.mapper.own, ...own },
    ])
      expect(await preview(body), JSON.stringify(body)).to.equal('200')
    for (const body of [
      { mapper, ...foreign },
      { mapper: { ...mapper, ...foreign } },
      { mapper: { ...mapper, ...foreign }, ...own },
      { mapper: { ...mapper, ...own }, ...foreign },
      { mapperId: ids.mapper.other },
      { mapperId: ids.mapper.other, ...own },
      { mapperId: ids.mapper.own, ...foreign },
    ])
      expect(await preview(body), JSON.stringify(body)).to.equal(notFound)
  })

  it('suggest_import_mapping_v1: suggests for the application, and finds no other', async () => {
    const suggest = async (body: object) =>
      formatVerdict(await api.post(`${mappers}/suggest-mapping`, { fields: [{ id: 'name', example: 'Bag' }], ...body }))
    expect(await suggest({})).to.equal('200')
    expect(await suggest({ application: shop.application })).to.equal('200')
    expect(await suggest({ application: other.application })).to.equal(notFound)
  })

  it('get_import_v1, follow_import_v1 and get_import_report_v1: serve an import of the application, and find none of another', async () => {
    const [slice] = listIds(await shop.api.get(`/v1/imports?filters[parent][eq]=${ids.import.other}`))
    for (const path of ['', '/report', '/progress']) {
      const own = await api.get(`/v1/imports/${ids.import.own}${path}`)
      expect(own.status, own.text).to.equal(200)
      for (const foreign of [ids.import.other, slice])
        expect(formatVerdict(await api.get(`/v1/imports/${foreign}${path}`)), path).to.equal(notFound)
    }
    const headers = { accept: 'text/csv' }
    expect((await api.get(`/v1/imports/${ids.import.own}/report`, { headers })).status).to.equal(200)
    const csv = await api.get(`/v1/imports/${ids.import.other}/report`, { headers })
    expect([csv.status, csv.text.includes('nonsense')]).to.deep.equal([404, false])
    expect(formatVerdict(await api.get(`/v1/jobs/${ids.import.other}`))).to.equal(notFound)
  })

  it('create_import_v1: imports into the application, with a mapper of it, and follows the job', async () => {
    const [one, two] = [createSerial(), createSerial()]
    const sent = await sendFile(limited, `ref,name\n${one},Bag\n`, {
      query: { mapperId: ids.mapper.own },
      type: 'text/csv',
    })
    expect(sent.status, sent.text).to.equal(202)
    expect(sent.body['data']).to.include({ applicationId: shop.application, mapperId: ids.mapper.own })
    expect((await waitForImport(limited, String(sent.body.id))).counts).to.include({ created: 1, failed: 0 })
    expect((await api.get(`/v1/jobs/${sent.body.id}`)).status).to.equal(200)
    await runImport(limited, [createItemRow(two)], { application: shop.application.toUpperCase() })
    for (const reference of [one, two])
      expect((await findByReference(shop, reference)).application.id).to.equal(shop.application)
  })

  it('create_import_v1: finds no other application and no mapper of one, in whatever form the file comes', async () => {
    const csv = 'ref,name\nA-1,Bag\n'
    const form = createForm([{ file: 'bags.csv', type: 'text/csv', content: csv }])
    const files = [
      { raw: csv, type: 'text/csv' },
      { raw: form.raw, type: form.type },
      { raw: JSON.stringify({ text: csv }), type: 'application/vnd.tessera.import+json' },
      { raw: JSON.stringify([createItemRow(createSerial())]), type: 'application/json' },
    ]
    for (const { raw, type } of files)
      for (const query of [
        { application: other.application },
        { application: other.application, mapperId: ids.mapper.other },
        { application: other.application, mapperId: ids.mapper.own },
        { mapperId: ids.mapper.other },
      ])
        expect(formatVerdict(await sendFile(limited, raw, { query, type })), `${type} ${Object.keys(query)}`).to.equal(
          notFound,
        )
    expect(
      listIds(await shop.api.get(`/v1/dpp/passports?filters[application.id][eq]=${other.application}`)),
    ).to.deep.equal([])
  })

  it('create_import_v1: does not tell of a mapper of another application what it reads and makes', async () => {
    const rows = [{ destination: 'reference', kind: 'field', source: 'Secret column', required: true }]
    const mapperId = await createMapper(other, { rows: [...rows, ...productRows.slice(1)] })
    const query = { application: other.application, mapperId }
    const [limitedAnswer, whole] = [
      await sendFile(limited, 'a,b\n1,2\n', { query, type: 'text/csv' }),
      await sendFile(other, 'a,b\n1,2\n', { query, type: 'text/csv' }),
    ]
    expect(whole.text).to.contain('Secret column')
    expect([formatVerdict(limitedAnswer), limitedAnswer.text.includes('Secret')]).to.deep.equal([notFound, false])
    for (const more of [{ entityName: 'AccountAssignment' }, { onDuplicate: 'update' }, { dryRun: 'true' }])
      expect(formatVerdict(await sendFile(limited, '[]', { query: { ...query, ...more } }))).to.equal(notFound)
  })

  it('create_import_v1: fails rows of another application, and knows its sheets no better than absent ones', async () => {
    const sheets = { own: await buildSheet(shop), other: await buildSheet(other) }
    const fields = () => ({ fields: { serialNumber: createSerial() } })
    const { errors, errorLines, counts } = await runImport(limited, [
      { product: sheets.own, ...fields() },
      { product: sheets.other, ...fields() },
      { product: randomUUID(), ...fields() },
      createItemRow(createSerial(), {}, { application: other.application }),
      createItemRow(createSerial(), {}, { application: randomUUID() }),
    ])
    expect(errorLines).to.deep.equal([
      '1 not_found product',
      '2 not_found product',
      '3 mismatch application',
      '4 mismatch application',
    ])
    expect(errors[1]?.message).to.equal(errors[0]?.message)
    expect(errors[3]?.message).to.equal(errors[2]?.message)
    expect(counts).to.include({ created: 1, failed: 4 })
  })

  it('create_import_v1: changes no passport of another application that has the reference or the numbers of a row', async () => {
    const reference = createSerial()
    const row = (name: string) => createItemRow(reference, { name, gtin: '09520123456788' })
    await runImport(other, [row('Theirs')])
    const theirs = await findByReference(other, reference)
    for (const onDuplicate of ['update', 'fail', 'skip'])
      expect(
        (await runImport(limited, [row(`Ours ${onDuplicate}`)], { onDuplicate, dryRun: 'true' })).counts,
      ).to.deep.equal({ created: 1, updated: 0, skipped: 0, failed: 0 })
    expect((await runImport(limited, [row('Ours')], { onDuplicate: 'update' })).counts).to.include({ created: 1 })
    expect((await runImport(limited, [row('Ours, newer')], { onDuplicate: 'update' })).counts).to.include({
      updated: 1,
    })
    expect((await shop.api.get(`/v1/dpp/passports/${theirs.id}`)).body).to.deep.equal(theirs)
  })

  it('create_import_v1: gives nothing to people of another application, and knows no tier of it', async () => {
    const email = createEmail('waiting')
    const foreignTier = await createTier(other, 'Platinum', 5)
    const waiting = await assignNew(other, { email })
    const { errorLines, counts } = await importAssignments(
      limited,
      [
        { email, optimisticBalance: 7 },
        { email: createEmail('tier'), optimisticBalance: 1, rewardTier: foreignTier },
        { email: createEmail('name'), optimisticBalance: 1, rewardTier: 'Platinum' },
        { email: createEmail('foreign'), optimisticBalance: 1, application: other.application },
      ],
      { onDuplicate: 'update' },
    )
    expect(errorLines).to.deep.equal([
      '1 unknown_tier rewardTier',
      '2 unknown_tier rewardTier',
      '3 mismatch application',
    ])
    expect(counts).to.include({ created: 1, updated: 0, failed: 3 })
    const theirs = await listAssignments(shop.api, `filters[application.id][eq]=${other.application}`)
    expect(theirs).to.deep.equal([waiting])
  })

  it('import_table_v1: imports into the application, however it is spelt, and finds no other', async () => {
    const reference = createSerial()
    const table = { text: `ref,name\n${reference},Bag\n`, mapping: productRows }
    const send = (body: object) => api.post('/v1/imports/table', { ...table, ...body })
    const application = shop.application.toUpperCase()
    const preview = await send({ application, dryRun: true })
    expect([preview.status, preview.body['preview']?.['failed']], preview.text).to.deep.equal([200, 0])
    const sent = await send({ application })
    expect(sent.status, sent.text).to.equal(202)
    await waitForImport(limited, String(sent.body.id))
    expect((await findByReference(shop, reference)).application.id).to.equal(shop.application)
    for (const more of [{}, { dryRun: true }, { onDuplicate: 'update' }])
      expect(formatVerdict(await send({ application: other.application, ...more }))).to.equal(notFound)
  })
})
