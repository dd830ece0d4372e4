import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { buildApplication, buildBuyer, buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { createEmail, createPhone } from '../../identity/people.ts'
import { createImport, createMapper, sendFile } from '../../imports/intake/intake.maker.ts'
import { waitForImport } from '../../imports/engine/job.maker.ts'
import { assignNew, listAssignments, readGifts } from './fixtures.ts'
import { createTier, entityName, getPlaces, importAssignments, previewTable } from './imports.maker.ts'

const mapping = [
  { destination: 'email', kind: 'field', source: 'mail', transforms: ['trim'] },
  { destination: 'phoneNumber', kind: 'field', source: 'phone' },
  { destination: 'optimisticBalance', kind: 'field', source: 'points' },
  { destination: 'rewardTier', kind: 'field', source: 'tier' },
]

describe('POST /v1/imports?entityName=AccountAssignment', function () {
  this.timeout(60_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('creates pending assignments like a creation, and fails bad rows alone with line, path and value', async () => {
    const own = await buildShop()
    const gold = await createTier(own, 'Gold', 5)
    const phone = `+39${createPhone()}`
    const { counts, errorLines, errors } = await importAssignments(own, [
      { email: 'Ada@Example.com', optimisticBalance: 250, rewardTier: ' gold ' },
      { phoneNumber: phone.replace('+39', '+39 '), optimisticBalance: '7', rewardTier: gold },
      { optimisticBalance: 5 },
      { email: 'ada', optimisticBalance: 5 },
      { email: 'b@example.com', optimisticBalance: '1.5' },
      { email: 'c@example.com' },
      { email: 'd@example.com', optimisticBalance: 0 },
      { email: 'e@example.com', optimisticBalance: 1, rewardTier: 'Platinum' },
      { email: 'f@example.com', optimisticBalance: 1, network: 'StellarTestnet' },
      { email: 'g@example.com', optimisticBalance: 1, upsert: true },
      'nobody',
      { email: 'h@example.com', optimisticBalance: 1, application: shop.application },
    ])
    expect(counts).to.deep.equal({ created: 2, updated: 0, skipped: 0, failed: 10 })
    expect(errorLines).to.deep.equal([
      '2 required email',
      '3 format email',
      '4 format optimisticBalance',
      '5 required optimisticBalance',
      '6 min_value optimisticBalance',
      '7 unknown_tier rewardTier',
      '8 unusable_network network',
      '9 unknown_member upsert',
      '10 type',
      '11 mismatch application',
    ])
    expect(errors.find(({ line }) => line === 4)).to.include({ value: '1.5' })
    const found = await listAssignments(own.api)
    expect(
      found.map(({ email, phoneNumber, optimisticBalance, rewardTier }) => ({
        email,
        phoneNumber,
        optimisticBalance,
        rewardTier,
      })),
    ).to.have.deep.members([
      { email: 'ada@example.com', phoneNumber: undefined, optimisticBalance: '250', rewardTier: gold },
      { email: undefined, phoneNumber: phone, optimisticBalance: '7', rewardTier: gold },
    ])
  })

  it('skips who has one, adds with onDuplicate=update, and refuses with onDuplicate=fail', async () => {
    const [waiting, twice] = [createEmail(), createEmail()]
    const { id } = await assignNew(shop, { email: waiting })
    const rows = [
      { email: waiting.toUpperCase(), optimisticBalance: 10 },
      { email: twice, optimisticBalance: 3 },
      { email: twice, optimisticBalance: 4 },
    ]
    expect((await importAssignments(shop, rows)).counts).to.deep.equal({
      created: 1,
      updated: 0,
      skipped: 2,
      failed: 0,
    })
    const failing = await importAssignments(shop, rows, { onDuplicate: 'fail' })
    expect(failing.errorLines).to.deep.equal([0, 1, 2].map((line) => `${line} LOYALTY_FIRST_ASSIGNMENT_EXISTING email`))
    const adding = await importAssignments(shop, rows, { onDuplicate: 'update' })
    expect(adding.counts).to.deep.equal({ created: 0, updated: 3, skipped: 0, failed: 0 })
    const found = await listAssignments(shop.api)
    expect(found.find((one) => one.id === id)).to.include({ optimisticBalance: '35' })
    expect(found.find(({ email }) => email === twice)).to.include({ optimisticBalance: '10' })
  })

  it('fails a row whose contacts are those of two people, or that makes too many points', async () => {
    const [email, phoneNumber, rich] = [createEmail(), `+39${createPhone()}`, createEmail()]
    await assignNew(shop, { email })
    await assignNew(shop, { phoneNumber })
    await assignNew(shop, { email: rich, optimisticBalance: '99999999999999999' })
    const { counts, errorLines } = await importAssignments(
      shop,
      [
        { email, phoneNumber, optimisticBalance: 1 },
        { email: rich, optimisticBalance: 1 },
        { email: createEmail(), optimisticBalance: 1 },
      ],
      { onDuplicate: 'update' },
    )
    expect(counts).to.include({ created: 1, failed: 2 })
    expect(errorLines).to.deep.equal(['0 LOYALTY_FIRST_ASSIGNMENT_EXISTING email', '1 max_value optimisticBalance'])
  })

  it('gives points and tier at once to who has an account, and nothing again when the file comes again', async () => {
    const email = createEmail()
    const { account } = await buildBuyer(shop, email)
    const silver = await createTier(shop, 'Silver', 3)
    const rows = [
      { email, optimisticBalance: 20, rewardTier: 'Silver' },
      { email: createEmail(), optimisticBalance: 1 },
    ]
    expect((await importAssignments(shop, rows)).counts).to.include({ created: 2 })
    expect(await readGifts(shop, account)).to.deep.equal({ points: '20', gifts: ['assignment 20'] })
    expect((await shop.api.get(`/v1/accounts/${account}`)).body['loyalty']?.['fixedRewardTier']).to.equal(silver)
    expect((await importAssignments(shop, rows)).counts).to.include({ skipped: 2 })
    expect((await readGifts(shop, account)).points).to.equal('20')
  })

  it('tells what a dry run would do over the whole file, and stores nothing', async () => {
    const own = await buildShop()
    const known = createEmail()
    const { account } = await buildBuyer(own, known)
    const rows = Array.from({ length: 1_100 }, (_, at) => ({ email: `dry${at}@example.com`, optimisticBalance: 1 }))
    const again = [...rows, rows[0], { email: known, optimisticBalance: 5 }, { email: known, optimisticBalance: 5 }]
    const counts = { created: 1_101, updated: 0, skipped: 2, failed: 0 }
    expect((await importAssignments(own, again, { dryRun: 'true' })).counts).to.deep.equal(counts)
    const update = { dryRun: 'true', onDuplicate: 'update' }
    expect((await importAssignments(own, again, update)).counts).to.deep.equal({
      ...counts,
      created: 1_102,
      updated: 1,
      skipped: 0,
    })
    const fail = { dryRun: 'true', onDuplicate: 'fail' }
    expect((await importAssignments(own, again, fail)).counts).to.include({ failed: 1 })
    expect(await listAssignments(own.api)).to.deep.equal([])
    expect((await readGifts(own, account)).points).to.equal('0')
    expect((await importAssignments(own, again)).counts).to.deep.equal(counts)
  })

  it('stores all rows or none with atomic=true', async () => {
    const own = await buildShop()
    const rows = [
      { email: createEmail(), optimisticBalance: 1 },
      { email: 'nobody', optimisticBalance: 1 },
    ]
    expect((await importAssignments(own, rows, { atomic: 'true' })).job.initError?.code).to.equal('IMPORT_ROWS_FAILED')
    expect(await listAssignments(own.api)).to.deep.equal([])
    expect((await importAssignments(own, rows.slice(0, 1), { atomic: 'true' })).counts).to.include({ created: 1 })
  })

  it('imports 20,000 rows of CSV through a mapper', async () => {
    const own = await buildShop()
    const mapper = await createMapper(own, { entityName, rows: mapping })
    const lines = Array.from({ length: 20_000 }, (_, at) => `guest${at}@example.com;;${at + 1};`)
    const sent = await sendFile(own, ['mail;phone;points;tier', ...lines].join('\n'), {
      query: { entityName, mapperId: mapper },
      type: 'text/csv',
    })
    expect(sent.status, sent.text).to.equal(202)
    const { counts, job } = await waitForImport(own, String(sent.body.id), 120_000)
    expect(counts).to.deep.equal({ created: 20_000, updated: 0, skipped: 0, failed: 0 })
    expect(job.data).to.include({ entityName, mapperId: mapper })
    const last = await listAssignments(own.api, 'filters[email][eq]=guest19999@example.com')
    expect(last[0]).to.include({ optimisticBalance: '20000' })
  }).timeout(150_000)

  it('refuses a mapper of another entity, another organization’s application and its tier', async () => {
    const other = await buildShop()
    const mapper = await createMapper(shop)
    const wrong = await sendFile(shop, 'a,b\n', { query: { entityName, mapperId: mapper }, type: 'text/csv' })
    expect(wrong.status, wrong.text).to.equal(422)
    expect(wrong.body['errors']?.[0]).to.include({ path: 'mapperId', code: 'mismatch' })
    const application = await buildApplication(other.organization)
    expect(formatVerdict(await sendFile(shop, '[]', { query: { entityName, application } }))).to.equal('404 NOT_FOUND')
    const rewardTier = await createTier(other, 'Theirs', 1)
    const rows = [
      { email: createEmail(), optimisticBalance: 1, rewardTier },
      { email: createEmail(), optimisticBalance: 1, rewardTier: 'Theirs' },
    ]
    expect((await importAssignments(shop, rows)).errorLines).to.deep.equal(
      [0, 1].map((line) => `${line} unknown_tier rewardTier`),
    )
  })
})

describe('Imports by entity: permissions', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })
  const createKeyed = async (permissions: object): Promise<Shop> => ({
    ...shop,
    api: createApiClient((await buildKey(shop.organization, permissions)).key),
  })
  const refusal = '403 AUTH_INSUFFICIENT_PERMISSIONS'

  it('lets a key import, read and follow only what its own permissions are about', async () => {
    const loyal = await createKeyed({ loyalty: ['read', 'create'] })
    const passports = await createKeyed({ dpp: ['read', 'create', 'update', 'delete'] })
    const ended = await importAssignments(loyal, [{ email: createEmail(), optimisticBalance: 1 }])
    expect(ended.counts).to.include({ created: 1 })
    const { id } = ended.job
    const other = await createImport(shop)
    const send = (by: Shop, entity: string) => sendFile(by, '[]', { query: { entityName: entity } })
    const refused = await send(passports, entityName)
    expect(formatVerdict(refused)).to.equal(refusal)
    expect(refused.body['permission']).to.deep.equal({ resource: 'loyalty', action: 'create' })
    expect(formatVerdict(await send(loyal, 'DppPassport'))).to.equal(refusal)
    for (const [by, mine, theirs] of [
      [loyal, id, other],
      [passports, other, id],
    ] as const) {
      for (const path of ['', '/report']) {
        expect((await by.api.get(`/v1/imports/${mine}${path}`)).status).to.equal(200)
        expect(formatVerdict(await by.api.get(`/v1/imports/${theirs}${path}`))).to.equal(refusal)
      }
      expect((await by.api.get(`/v1/jobs/${mine}`)).status).to.equal(200)
      expect(formatVerdict(await by.api.get(`/v1/jobs/${theirs}`))).to.equal('404 NOT_FOUND')
      const listed = (await by.api.get('/v1/imports?pageSize=100')).body['data'] as unknown as { id: string }[]
      expect(listed.map((one) => one.id))
        .to.include(mine)
        .and.not.to.include(theirs)
    }
    const stranger = await buildShop()
    expect(formatVerdict(await stranger.api.get(`/v1/imports/${id}`))).to.equal('404 NOT_FOUND')
  })

  it('needs the permission to update for onDuplicate=update', async () => {
    const loyal = await createKeyed({ loyalty: ['read', 'create'] })
    const refused = await sendFile(loyal, '[]', { query: { entityName, onDuplicate: 'update' } })
    expect(formatVerdict(refused)).to.equal(refusal)
    expect(refused.body['permission']).to.deep.equal({ resource: 'loyalty', action: 'update' })
  })

  it('keeps mappers apart by their entity', async () => {
    const loyal = await createKeyed({ loyalty: ['read', 'create', 'update', 'delete'] })
    const passports = await createKeyed({ dpp: ['read', 'create', 'update', 'delete'] })
    const own = await createMapper(loyal, { entityName, rows: mapping })
    const theirs = await createMapper(passports)
    const path = '/v1/import/mappers'
    const body = { name: 'x', application: shop.application, entityName, type: 'file', format: 'csv', rows: mapping }
    expect(formatVerdict(await passports.api.post(path, body))).to.equal(refusal)
    const wrong = await loyal.api.post(path, { ...body, rows: [{ ...mapping[0], destination: 'product.name' }] })
    expect(wrong.status, wrong.text).to.equal(400)
    expect((await loyal.api.get(`${path}/${own}`)).body).to.include({ entityName })
    expect((await passports.api.get(`${path}/${theirs}`)).body).to.include({ entityName: 'DppPassport' })
    const listed = (await loyal.api.get(path)).body['data'] as unknown as { id: string }[]
    expect(listed.map(({ id }) => id))
      .to.include(own)
      .and.not.to.include(theirs)
    for (const refused of [
      await passports.api.get(`${path}/${own}`),
      await passports.api.patch(`${path}/${own}`, { name: 'y' }),
      await passports.api.delete(`${path}/${own}`),
      await passports.api.post(`${path}/${own}/run`),
      await passports.api.post(`${path}/preview`, { mapperId: own, sample: 'mail\n' }),
      await passports.api.post(`${path}/suggest-mapping`, { entityName, fields: [{ id: 'mail' }] }),
      await passports.api.post('/v1/imports/table', { application: shop.application, entityName, text: 'mail\na\n' }),
    ])
      expect(formatVerdict(refused)).to.equal(refusal)
    const sample = 'mail;phone;points;tier\n Ada@Example.com ;;5;\nnobody;;x;\n'
    const preview = await loyal.api.post(`${path}/preview`, { mapperId: own, sample })
    expect(preview.status, preview.text).to.equal(200)
    const rows = preview.body['rows'] as unknown as { passport: null; record: object; errors: { path: string }[] }[]
    expect(rows[0]).to.deep.include({ passport: null, record: { email: 'Ada@Example.com', optimisticBalance: '5' } })
    expect(rows[1]?.errors.map((error) => error.path)).to.have.members(['email', 'optimisticBalance'])
    expect((await loyal.api.patch(`${path}/${own}`, { name: 'y' })).body).to.include({ name: 'y', entityName })
    expect((await loyal.api.delete(`${path}/${own}`)).status).to.equal(200)
  })
})

describe('POST /v1/imports/table with assignments', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
    await createTier(shop, 'Gold', 5)
  })

  for (const [language, text, places] of [
    [
      'German',
      'Kunde;E-Mail-Adresse;Handynummer;Treuepunkte;Kundenstufe\nAda;ada@a.example;+49 171 1234567;120;Gold\nBob;bob@a.example;;7;\n',
      {
        'E-Mail-Adresse': 'email',
        Handynummer: 'phoneNumber',
        Treuepunkte: 'optimisticBalance',
        Kundenstufe: 'rewardTier',
      },
    ],
    [
      'French',
      'Courriel;Numéro de téléphone;Points fidélité;Niveau;Ville\nada@b.example;+33 6 12 34 56 78;1200;gold;Lyon\nbob@b.example;;7;;Lille\n',
      {
        Courriel: 'email',
        'Numéro de téléphone': 'phoneNumber',
        'Points fidélité': 'optimisticBalance',
        Niveau: 'rewardTier',
      },
    ],
  ] as const)
    it(`finds out what ${language} headings mean, previews, and imports`, async () => {
      const shown = await previewTable(shop, text)
      expect(getPlaces(shown.mapping)).to.deep.equal(places)
      expect(shown.preview).to.deep.include({ rows: 2, failed: 0, passports: [] })
      expect(shown.preview.records).to.have.length(2)
      expect(shown.unusedColumns).to.have.length(1)
      const { application, api } = shop
      const sent = await api.post('/v1/imports/table', { application, entityName, text, mapping: shown.mapping })
      expect(sent.status, sent.text).to.equal(202)
      expect((await waitForImport(shop, String(sent.body.id))).counts).to.include({ created: 2, failed: 0 })
    })

  it('needs no mapping for items that are assignments already', async () => {
    const text = JSON.stringify([{ email: createEmail(), optimisticBalance: 5 }])
    const sent = await shop.api.post('/v1/imports/table', { application: shop.application, entityName, text })
    expect(sent.status, sent.text).to.equal(202)
    expect((await waitForImport(shop, String(sent.body.id))).counts).to.include({ created: 1 })
  })
})
