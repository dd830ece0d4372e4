import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Mapper } from '../../../../core/features/imports/index.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { readSealedHeaders, readSourceEtag, rememberSourceEtag } from '../../../support/rows/imports/mappers.ts'
import { getOperator } from '../../identity/people.ts'
import { buildApplication, buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { getBody, formatVerdict } from '../../dpp/passports/fixtures.ts'

const path = '/v1/import/mappers'

/** Where an answer finds fault and of what kind. */
const faults = (answer: Answer): string[] =>
  (getBody<{ errors?: { path: string; code: string }[] }>(answer).errors ?? []).map(
    ({ path: at, code }) => `${at} ${code}`,
  )

const rows = [
  { destination: 'reference', kind: 'field', source: 'SKU', required: true },
  { destination: 'product.name', kind: 'template', value: '{{Brand}} {{Model}}', transforms: ['trim'] },
]

describe('/v1/import/mappers: mappers', () => {
  let shop: Shop
  let other: Shop
  before(async () => {
    ;[shop, other] = [await buildShop(), await buildShop()]
  })

  const body = (more: object = {}) => ({
    application: shop.application,
    name: `Mapper ${randomUUID()}`,
    type: 'file',
    format: 'csv',
    rows,
    ...more,
  })
  const url = { type: 'url', url: 'https://files.example/products.csv' }
  const create = (more: object = {}): Promise<Answer> => shop.api.post(path, body(more))
  async function made(more: object = {}): Promise<Mapper> {
    const answer = await create(more)
    expect(answer.status, answer.text).to.equal(201)
    return getBody<Mapper>(answer)
  }

  it('are created, read, changed and deleted', async () => {
    const created = await create({ name: 'Autumn' })
    const { id, createdAt, updatedAt, ...rest } = getBody<Mapper>(created)
    expect(created.headers['location']).to.equal(`${path}/${id}`)
    expect(rest).to.deep.equal({
      application: shop.application,
      entityName: 'DppPassport',
      name: 'Autumn',
      type: 'file',
      format: 'csv',
      rows,
      url: null,
      schedule: null,
      headers: null,
      onDuplicate: null,
      encoding: null,
      delimiter: null,
      sheet: null,
      nextRunAt: null,
    })
    expect(createdAt).to.equal(updatedAt)
    expect((await shop.api.get(`${path}/${id}`)).body).to.deep.equal(created.body)
    const changed = await shop.api.patch(`${path}/${id}`, { name: 'Winter', rows: [rows[1], rows[0]] })
    expect(changed.body).to.deep.include({ name: 'Winter', rows: [rows[1], rows[0]] })
    expect(Date.parse(String(changed.body.updatedAt))).to.be.greaterThan(Date.parse(updatedAt))
    const deleted = await shop.api.delete(`${path}/${id}`)
    expect([deleted.status, deleted.body]).to.deep.equal([200, changed.body])
    expect(formatVerdict(await shop.api.get(`${path}/${id}`))).to.equal('404 NOT_FOUND')
  })

  it('are listed with filters and in order, those of one organization alone', async () => {
    const own = await buildShop()
    const [second] = [await buildApplication(own.organization)]
    for (const [name, application, more] of [
      ['b-two', own.application, {}],
      ['a-one', second, url],
      ['c-three', own.application, url],
    ] as const) {
      expect((await own.api.post(path, body({ name, application, ...more }))).status).to.equal(201)
    }
    const names = async (query: string) =>
      getBody<{ data: Mapper[] }>(await own.api.get(`${path}?${query}`)).data.map(({ name }) => name)
    expect(await names('sorters[0][field]=name&sorters[0][order]=asc')).to.deep.equal(['a-one', 'b-two', 'c-three'])
    expect(await names('')).to.deep.equal(['c-three', 'a-one', 'b-two'])
    expect(await names('filters[type][eq]=file')).to.deep.equal(['b-two'])
    expect(await names(`filters[application.id][eq]=${second}`)).to.deep.equal(['a-one'])
    expect(await names('filters[name][contains]=THREE')).to.deep.equal(['c-three'])
    expect(formatVerdict(await own.api.get(`${path}?filters[format][eq]=csv`))).to.equal('400 INVALID_FILTER')
    expect(formatVerdict(await own.api.get(`${path}?sorters[0][field]=url`))).to.equal('400 INVALID_SORTER')
    expect(formatVerdict(await own.api.get(`${path}?pageSize=0`))).to.equal('400 INVALID_PAGINATION')
    expect(formatVerdict(await own.api.get(`${path}?nonsense=1`))).to.equal('400 INVALID_REQUEST')
  })

  it('have a name of their own in their application', async () => {
    const { id, name } = await made()
    expect(formatVerdict(await create({ name }))).to.equal('409 IMPORT_MAPPER_DUPLICATE_NAME')
    const second = await made()
    expect(formatVerdict(await shop.api.patch(`${path}/${second.id}`, { name }))).to.equal(
      '409 IMPORT_MAPPER_DUPLICATE_NAME',
    )
    expect(formatVerdict(await shop.api.patch(`${path}/${id}`, { name }))).to.equal('200')
    await made({ name, application: await buildApplication(shop.organization) })
    const race = await Promise.all([1, 2, 3].map(() => create({ name: 'Raced' })))
    expect(race.map(formatVerdict).sort()).to.deep.equal([
      '201',
      ...Array.from({ length: 2 }, () => '409 IMPORT_MAPPER_DUPLICATE_NAME'),
    ])
  })

  it('describe the format of their source, with type url', async () => {
    const { id, ...found } = await made({ ...url, encoding: 'Latin1', delimiter: 'tab' })
    expect(found).to.deep.include({ encoding: 'Latin1', delimiter: 'tab', sheet: null })
    const changed = await shop.api.patch(`${path}/${id}`, { encoding: null, delimiter: null, sheet: 'Bags' })
    expect(changed.body, changed.text).to.deep.include({ encoding: null, delimiter: null, sheet: 'Bags' })
    const json = { ...url, format: 'json', rows: [{ destination: 'reference', kind: 'field', source: '$.a' }] }
    for (const [more, expectedFaults] of [
      [{ encoding: 'utf-8' }, ['encoding type']],
      [{ delimiter: ';', sheet: 'a' }, ['delimiter type', 'sheet type']],
      [{ ...json, encoding: 'utf-8' }, ['encoding format']],
      [{ ...url, encoding: 'klingon' }, ['encoding encoding']],
      [{ ...url, sheet: 'a', delimiter: ';' }, ['delimiter format']],
      [{ ...url, delimiter: ';;' }, ['delimiter format']],
      [{ ...url, delimiter: '"' }, ['delimiter format']],
      [{ ...url, sheet: '' }, ['sheet min_length']],
    ] as const)
      expect(faults(await create(more)), JSON.stringify(more)).to.deep.equal(expectedFaults)
  })

  it('are seen and changed by nobody else, and made in no application of others', async () => {
    const { id } = await made()
    for (const answer of [
      await other.api.get(`${path}/${id}`),
      await other.api.patch(`${path}/${id}`, { name: 'x' }),
      await other.api.delete(`${path}/${id}`),
      await other.api.post(`${path}/${id}/run`),
      await create({ application: other.application }),
      await create({ application: randomUUID() }),
      await shop.api.post(`${path}/${randomUUID()}/run`),
    ])
      expect(formatVerdict(answer)).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await shop.api.get(`${path}/nonsense`))).to.equal('400 INVALID_REQUEST')
  })

  it('take each their permission', async () => {
    const { id } = await made(url)
    const { key } = await buildKey(shop.organization, { dpp: ['read'] })
    const reader = createApiClient(key)
    expect((await reader.get(`${path}/${id}`)).status).to.equal(200)
    const refused = async (answer: Promise<Answer>) =>
      ((await answer).body['permission'] as unknown as { action: string }).action
    expect(await refused(reader.post(path, body()))).to.equal('create')
    expect(await refused(reader.patch(`${path}/${id}`, {}))).to.equal('update')
    expect(await refused(reader.post(`${path}/${id}/run`))).to.equal('update')
    expect(await refused(reader.delete(`${path}/${id}`))).to.equal('delete')
  })

  it('answer 400 with every path for whatever is wrong with a body', async () => {
    const wrong = await create({
      rows: [
        { destination: 'data.a', kind: 'field', source: 'a', transforms: ['trim', 'shout'] },
        { destination: 'nowhere', kind: 'constant', value: 1 },
        { destination: 'data.a', kind: 'constant', value: 1 },
        { destination: 'data.b', kind: 'template', value: '{{' },
      ],
    })
    expect(formatVerdict(wrong)).to.equal('400 INVALID_REQUEST')
    expect(faults(wrong)).to.have.members([
      'rows[0].transforms[1] transform',
      'rows[1].destination unknown_path',
      'rows[2].destination clash',
      'rows[3].value placeholder',
    ])
    for (const [more, at] of [
      [{ name: ' ' }, 'name'],
      [{ type: 'ftp' }, 'type'],
      [{ nonsense: 1 }, 'nonsense'],
      [{ rows: 'x' }, 'rows'],
      [{ application: 'x' }, 'application'],
      [{ rows: [{ destination: 'data.a', kind: 'magic' }] }, 'rows[0].kind'],
      [{ format: 'json', rows: [{ destination: 'data.a', kind: 'field', source: '$[' }] }, 'rows[0].source'],
      [
        { rows: Array.from({ length: 501 }, (_, n) => ({ destination: `data.d${n}`, kind: 'constant', value: 1 })) },
        'rows',
      ],
    ] as const) {
      const answer = await create(more)
      expect(formatVerdict(answer), at).to.equal('400 INVALID_REQUEST')
      expect(faults(answer)[0]?.split(' ')[0], answer.text).to.equal(at)
    }
    const { id } = await made()
    expect(
      formatVerdict(
        await shop.api.patch(`${path}/${id}`, { rows: [{ destination: 'x', kind: 'constant', value: 1 }] }),
      ),
    ).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await shop.api.patch(`${path}/${id}`, { rows: null }))).to.equal('400 INVALID_REQUEST')
  })

  it('have an address that may be fetched with type url, and none otherwise', async () => {
    expect(await made(url)).to.include({ type: 'url', url: url.url })
    for (const address of [
      'http://files.example/a.csv',
      'ftp://files.example/a.csv',
      'https://user:pass@files.example/',
      'nonsense',
      'https://127.0.0.1/',
      'https://[::1]/a',
      'https://169.254.169.254/latest',
      'file:///etc/passwd',
      'https://10.0.0.1:8443/x',
    ]) {
      const answer = await create({ ...url, url: address })
      expect([formatVerdict(answer), ...faults(answer)], address).to.deep.equal(['400 INVALID_REQUEST', 'url url'])
    }
    expect(faults(await create({ type: 'url' }))).to.deep.equal(['url required'])
    expect(faults(await create({ url: url.url, schedule: '0 6 * * *', headers: { 'X-Key': 'a' } }))).to.have.members([
      'url type',
      'schedule schedule',
      'headers type',
    ])
    const { id } = await made(url)
    expect(faults(await shop.api.patch(`${path}/${id}`, { type: 'file' }))).to.deep.equal(['url type'])
    expect((await shop.api.patch(`${path}/${id}`, { type: 'file', url: null })).body).to.include({
      type: 'file',
      url: null,
    })
  })

  it('keep the values of headers to themselves', async () => {
    const secret = `secret-${randomUUID()}`
    const created = await create({ ...url, headers: { Authorization: `Bearer ${secret}`, 'X-Tenant': '5' } })
    const { id, headers } = getBody<Mapper>(created)
    expect(headers).to.deep.equal({ Authorization: null, 'X-Tenant': null })
    const changed = await shop.api.patch(`${path}/${id}`, { headers: { 'x-tenant': null, 'X-More': `${secret}-2` } })
    expect(getBody<Mapper>(changed).headers).to.deep.equal({ Authorization: null, 'X-More': null })
    for (const answer of [created, changed, await shop.api.get(`${path}/${id}`), await shop.api.get(path)])
      expect(answer.text).to.not.contain(secret)
    const { db } = await getOperator()
    expect((await readSealedHeaders(db, id))?.includes(secret)).to.equal(false)
    expect(getBody<Mapper>(await shop.api.patch(`${path}/${id}`, { headers: null })).headers).to.equal(null)
    expect(await readSealedHeaders(db, id)).to.equal(null)
  })

  it('refuse headers that a fetch sets itself, and what no header can have', async () => {
    for (const headers of [
      { Host: 'x' },
      { 'content-length': '5' },
      { Connection: 'close' },
      { 'If-None-Match': '"x"' },
      { 'Proxy-Authorization': 'x' },
      { 'X Y': 'a' },
      { '': 'a' },
      { 'X-A': 'a\r\nX-B: b' },
      { 'X-A': '' },
      { 'X-A': 'é' },
    ]) {
      const answer = await create({ ...url, headers })
      expect(formatVerdict(answer), JSON.stringify(headers)).to.equal('400 INVALID_REQUEST')
      expect(faults(answer)[0]).to.match(/^headers/)
    }
    expect(faults(await create({ ...url, headers: { 'X-A': 'a', 'x-a': 'b' } }))).to.deep.equal([
      'headers.X-A header',
      'headers.x-a header',
    ])
  })

  it('have schedules of five fields in UTC, at least 15 minutes apart', async () => {
    for (const [schedule, next] of [
      ['*/15 * * * *', /:(00|15|30|45):00\.000Z$/],
      ['30 6 * * mon', /T06:30:00\.000Z$/],
      ['0 0 29 2 *', /-02-29T00:00:00\.000Z$/],
    ] as const) {
      const { nextRunAt } = await made({ ...url, schedule })
      expect(nextRunAt).to.match(next)
      expect(Date.parse(nextRunAt ?? '')).to.be.greaterThan(Date.now() - 1_000)
    }
    await made({ ...url, schedule: '0,50 0,23 * * 1' })
    for (const schedule of [
      '*/14 * * * *',
      '* * * * *',
      '0,10 6 * * *',
      '0 0 * * * *',
      '@daily',
      '0 6 * *',
      'nonsense',
      '61 * * * *',
      '0 0 30 2 *',
      '0,50 0,23 * * *',
      '0,50 * * * *',
      '0 6 L * *',
      '',
      '0 25 * * *',
    ]) {
      const answer = await create({ ...url, schedule })
      expect([formatVerdict(answer), ...faults(answer)], schedule).to.deep.equal([
        '400 INVALID_REQUEST',
        'schedule schedule',
      ])
    }
    const { id } = await made({ ...url, schedule: '0 6 * * *' })
    expect((await shop.api.patch(`${path}/${id}`, { schedule: null })).body).to.include({
      schedule: null,
      nextRunAt: null,
    })
  })

  it('forget what was fetched last when what decides about it changes, and not otherwise', async () => {
    const { db } = await getOperator()
    const { id } = await made(url)
    for (const [patch, etag] of [
      [{ name: randomUUID() }, '"1"'],
      [{ schedule: '0 6 * * *' }, '"1"'],
      [{ url: 'https://files.example/2' }, null],
      [{ rows: [rows[0]] }, null],
      [{ headers: { 'X-A': 'b' } }, null],
      [{ format: 'json', rows: [{ ...rows[0], source: '$.a' }] }, null],
    ] as const) {
      await rememberSourceEtag(db, id, '"1"')
      expect((await shop.api.patch(`${path}/${id}`, patch)).status).to.equal(200)
      expect(await readSourceEtag(db, id), JSON.stringify(patch)).to.equal(etag)
    }
  })

  it('change under If-Match only as they were read', async () => {
    const { id } = await made()
    const read = await shop.api.get(`${path}/${id}`)
    const etag = String(read.headers['etag'])
    expect((await shop.api.get(`${path}/${id}`, { headers: { 'if-none-match': etag } })).status).to.equal(304)
    const ifMatch = { headers: { 'if-match': etag } }
    expect((await shop.api.patch(`${path}/${id}`, { name: randomUUID() }, ifMatch)).status).to.equal(200)
    expect(formatVerdict(await shop.api.patch(`${path}/${id}`, { name: 'x' }, ifMatch))).to.equal(
      '412 PRECONDITION_FAILED',
    )
    expect(formatVerdict(await shop.api.delete(`${path}/${id}`, ifMatch))).to.equal('412 PRECONDITION_FAILED')
  })

  it('cannot be run when they are for files', async () => {
    const { id } = await made()
    expect(formatVerdict(await shop.api.post(`${path}/${id}/run`))).to.equal('400 IMPORT_MAPPER_NOT_URL')
    expect(formatVerdict(await shop.api.post(`${path}/nonsense/run`))).to.equal('400 INVALID_REQUEST')
  })

  it('are listed as running, none at first', async () => {
    const { api } = await buildShop()
    expect((await api.get(`${path}/running`)).body).to.deep.equal([])
    expect(formatVerdict(await api.get(`${path}/running?application=nonsense`))).to.equal('400 INVALID_REQUEST')
  })
})
