import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { ImportJob } from '../../../../core/features/imports/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { startSecondServer } from '../../../support/network/second-server.ts'
import { countUploads } from '../../../support/rows/imports/kept-uploads.ts'
import { moveNextRun, readSourceEtag } from '../../../support/rows/imports/mappers.ts'
import { countPieces } from '../../../support/rows/imports/uploads.ts'
import { readJobsText } from '../../../support/rows/queue/job-records.ts'
import { waitUntilAnswer } from '../../certification/keys/keys.ts'
import { getBody, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { createWorkbook, createRow } from '../formats/workbook.maker.ts'
import { createRoute, hosts, sourceRows, startTestSources, type TestSources } from './sources.ts'

const at = (path: string, host = hosts.good) => `https://${host}${path}`

describe('POST /v1/import/mappers/{id}/run', function () {
  this.timeout(60_000)
  let sources: TestSources
  let api: TestSources['api']
  let recordedRequests: TestSources['recordedRequests']
  let routes: TestSources['routes']
  before(async () => {
    sources = await startTestSources()
    ;({ api, recordedRequests, routes } = sources)
  })
  after(() => sources.stop())
  beforeEach(() => {
    recordedRequests.length = 0
  })

  const namesOf = async (ref: string) => {
    const found = await api.get(`/v1/dpp/passports?filters[reference][eq]=${ref}`)
    return getBody<{ data: { product: { name: string } }[] }>(found).data.map(({ product }) => product.name)
  }

  it('fetches the address and imports what it gives, as the history shows', async () => {
    const ref = randomUUID()
    routes['/a/products%20new.csv'] = createRoute(`ref;name\n${ref};Bag\n;Nameless\n`)
    const mapper = await sources.make(at('/a/products%20new.csv'))
    const started = await api.post(`/v1/import/mappers/${mapper.id}/run`)
    expect(started.status, started.text).to.equal(202)
    expect(started.headers['location']).to.equal(`/v1/jobs/${started.body.jobId}`)
    expect(started.body.data).to.deep.include({
      source: 'manual',
      mapperId: mapper.id,
      onDuplicate: 'skip',
      dryRun: false,
    })
    const job = await sources.ended(String(started.body.jobId))
    expect([job.status, job.total, job.completed, job.failed]).to.deep.equal(['completed', 2, 1, 1])
    expect(job.data).to.deep.include({
      source: 'manual',
      format: 'csv',
      fileName: 'products new.csv',
      dialect: { encoding: 'utf-8', bom: false, delimiter: ';', columns: 2 },
    })
    expect(await namesOf(ref)).to.deep.equal(['Bag'])
    const [request] = recordedRequests
    expect(request?.headers.host).to.equal(hosts.good)
    expect(request?.headers).to.not.have.any.keys('authorization', 'cookie', 'x-api-key', 'if-none-match')
    const listed = await api.get('/v1/imports?filters[data.source][eq]=manual')
    expect(getBody<{ data: ImportJob[] }>(listed).data.map(({ id }) => id)).to.include(job.id)
  })

  it('skips passports that are there already', async () => {
    const ref = randomUUID()
    const mapper = await sources.make(at('/again'))
    routes['/again'] = createRoute(`ref,name\n${ref},Old\n`)
    expect((await sources.run(mapper.id)).result).to.deep.include({ created: 1 })
    routes['/again'] = createRoute(`ref,name\n${ref},New\n`)
    expect((await sources.run(mapper.id)).result).to.deep.include({ created: 0, skipped: 1 })
    expect(await namesOf(ref)).to.deep.equal(['Old'])
  })

  it('brings them up to date where the mapper says so', async () => {
    const ref = randomUUID()
    const mapper = await sources.make(at('/twice'), { onDuplicate: 'update' })
    expect(mapper.onDuplicate).to.equal('update')
    routes['/twice'] = createRoute(`ref,name\n${ref},Old\n`)
    expect((await sources.run(mapper.id)).result).to.deep.include({ created: 1 })
    routes['/twice'] = createRoute(`ref,name\n${ref},New\n`)
    expect((await sources.run(mapper.id)).result).to.deep.include({ created: 0, updated: 1 })
    expect(await namesOf(ref)).to.deep.equal(['New'])
  })

  it('ends completed with no row for an unchanged source, until the mapper changes', async () => {
    const mapper = await sources.make(at('/tagged'))
    routes['/tagged'] = (request, response) => {
      if (request.headers['if-none-match'] === '"v1"') response.writeHead(304).end()
      else createRoute(`ref,name\n${randomUUID()},Bag\n`, { etag: '"v1"' })(request, response)
    }
    expect((await sources.run(mapper.id)).completed).to.equal(1)
    const unchanged = await sources.run(mapper.id)
    expect([unchanged.status, unchanged.total, unchanged.progress, unchanged.initError]).to.deep.equal([
      'completed',
      0,
      1,
      null,
    ])
    await api.patch(`/v1/import/mappers/${mapper.id}`, {
      rows: [...sourceRows, { destination: 'data.x', kind: 'constant', value: 1 }],
    })
    expect((await sources.run(mapper.id)).total).to.equal(1)
    expect(recordedRequests.map(({ headers }) => headers['if-none-match'])).to.deep.equal([
      undefined,
      '"v1"',
      undefined,
    ])
  })

  it('takes a source again of which a row has failed, changed or not', async () => {
    const mapper = await sources.make(at('/faulty'))
    routes['/faulty'] = createRoute(`ref,name\n${randomUUID()},Bag\n,None\n`, { etag: '"v1"' })
    await sources.run(mapper.id)
    await sources.run(mapper.id)
    expect(recordedRequests.map(({ headers }) => headers['if-none-match'])).to.deep.equal([undefined, undefined])
  })

  it('does not remember what it took when the mapper has changed meanwhile', async () => {
    const mapper = await sources.make(at('/changing'))
    let release = () => {}
    routes['/changing'] = (request, response) => {
      release = () => createRoute(`ref,name\n${randomUUID()},Bag\n`, { etag: '"v1"' })(request, response)
    }
    const started = await api.post(`/v1/import/mappers/${mapper.id}/run`)
    await waitUntilAnswer(
      () => Promise.resolve(recordedRequests.length),
      (length) => length === 1,
    )
    await api.patch(`/v1/import/mappers/${mapper.id}`, { rows: sourceRows.slice(0, 4).reverse() })
    release()
    expect((await sources.ended(String(started.body.jobId))).status).to.equal('completed')
    expect(await readSourceEtag(sources.db, mapper.id)).to.equal(null)
  })

  it('goes on once at a time, whichever process it is asked of, and is told of while it does', async () => {
    const second = await startSecondServer(sources.own)
    const mapper = await sources.make(at('/held'))
    let release = () => {}
    routes['/held'] = (request, response) => {
      release = () => createRoute(`ref,name\n${randomUUID()},Bag\n`)(request, response)
    }
    const ask = (base: string) => createApiClient(sources.own.apiKey, base).post(`/v1/import/mappers/${mapper.id}/run`)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => ask(n % 2 === 0 ? sources.own.api : second.api)),
    )
    const verdicts = answers.map(formatVerdict).sort()
    expect(verdicts).to.deep.equal(['202', ...Array.from({ length: 7 }, () => '409 IMPORT_RUN_IN_PROGRESS')])
    const job = answers.find(({ status }) => status === 202)?.body.jobId
    const running = async (query = '') =>
      getBody<{ mapper: { id: string }; job: ImportJob }[]>(await api.get(`/v1/import/mappers/running${query}`)).map(
        ({ mapper: { id }, job: { id: of, status } }) => [id, of, status],
      )
    expect(await running()).to.deep.equal([[mapper.id, job, 'pending']])
    expect(await running(`?application=${sources.own.application}`)).to.have.length(1)
    expect(await running(`?application=${randomUUID()}`)).to.deep.equal([])
    await waitUntilAnswer(
      () => Promise.resolve(recordedRequests.length),
      (length) => length === 1,
    )
    release()
    expect((await sources.ended(String(job))).status).to.equal('completed')
    expect(await running()).to.deep.equal([])
    expect(recordedRequests).to.have.length(1)
    routes['/held'] = createRoute('ref,name\n')
    expect((await sources.ended(String((await ask(second.api)).body.jobId))).status).to.equal('completed')
    second.kill()
    await second.ended
  })

  it('comes by its schedule too', async () => {
    const ref = randomUUID()
    routes['/timed'] = createRoute(`ref,name\n${ref},Bag\n`)
    const mapper = await sources.make(at('/timed'), { schedule: '0 6 * * *' })
    await moveNextRun(sources.db, [mapper.id], { minutes: 0 })
    const [name] = await waitUntilAnswer(
      () => namesOf(ref),
      (names) => names.length > 0,
    )
    expect(name).to.equal('Bag')
    expect(recordedRequests.map(({ at: where }) => where)).to.deep.equal([`${hosts.good}/timed`])
  })

  it('goes on when its mapper is deleted', async () => {
    const ref = randomUUID()
    const mapper = await sources.make(at('/orphan'))
    let release = () => {}
    routes['/orphan'] = (request, response) => {
      release = () => createRoute(`ref,name\n${ref},Bag\n`, { etag: '"1"' })(request, response)
    }
    const started = await api.post(`/v1/import/mappers/${mapper.id}/run`)
    await waitUntilAnswer(
      () => Promise.resolve(recordedRequests.length),
      (length) => length === 1,
    )
    expect((await api.delete(`/v1/import/mappers/${mapper.id}`)).status).to.equal(200)
    release()
    expect((await sources.ended(String(started.body.jobId))).status).to.equal('completed')
    expect(await namesOf(ref)).to.deep.equal(['Bag'])
  })

  it('sends headers to the origin of its address alone, and leaves them in no log', async () => {
    const secret = `secret-${randomUUID()}`
    routes['/moved'] = (_, response) => void response.writeHead(302, { location: at('/there', hosts.other) }).end()
    routes['/there'] = (_, response) => void response.writeHead(302, { location: at('/back') }).end()
    routes['/back'] = createRoute(`ref,name\n${randomUUID()},Bag\n`)
    routes['/near'] = (_, response) => void response.writeHead(302, { location: '/back' }).end()
    const headers = { Authorization: `Bearer ${secret}`, Cookie: 'a=b' }
    const far = await sources.make(at('/moved'), { headers })
    expect((await sources.run(far.id)).status).to.equal('completed')
    const near = await sources.make(at('/near'), { headers })
    expect((await sources.run(near.id)).status).to.equal('completed')
    expect(
      recordedRequests.map(({ at: where, headers: { authorization } }) => `${where} ${authorization !== undefined}`),
    ).to.deep.equal([
      `${hosts.good}/moved true`,
      `${hosts.other}/there false`,
      `${hosts.good}/back false`,
      `${hosts.good}/near true`,
      `${hosts.good}/back true`,
    ])
    expect(sources.own.lines.join('\n')).to.not.contain(secret)
    expect(await readJobsText(sources.db)).to.not.contain(secret)
  })

  it('takes JSON, NDJSON and packed files, whatever servers call them', async () => {
    const json = [
      { destination: 'reference', kind: 'field', source: '$.sku' },
      ...sourceRows.slice(1, 3),
      { ...sourceRows[3], source: '$.sku' },
    ]
    const item = () => JSON.stringify({ sku: randomUUID(), name: 'Bag' })
    const cases = [
      ['csv', sourceRows, () => `ref\tname\n${randomUUID()}\tBag\n`, 'text/plain; charset=utf-8'],
      ['csv', sourceRows, () => `ref,name\n${randomUUID()},Bag\n`, 'application/octet-stream'],
      ['json', json, () => `[${item()}]`, 'application/json'],
      ['json', json, () => `${item()}\n`, 'application/x-ndjson'],
    ] as const
    for (const [format, mapped, body, type] of cases) {
      routes['/any'] = createRoute(body(), { 'content-type': type })
      const mapper = await sources.make(at('/any'), { format, rows: mapped })
      const job = await sources.run(mapper.id)
      expect([job.status, job.completed], `${type} ${JSON.stringify(job.errors)}`).to.deep.equal(['completed', 1])
    }
    routes['/any'] = createRoute(gzipSync(`ref,name\n${randomUUID()},Bag\n`), { 'content-encoding': 'gzip' })
    expect((await sources.run((await sources.make(at('/any'))).id)).completed).to.equal(1)
  })

  it('reads a source as the mapper says it is written, else as the source says', async () => {
    const bytes = (text: string, more: Buffer) => Buffer.concat([Buffer.from(text), more, Buffer.from('\n')])
    // A sign in Shift_JIS, and two letters that ISO 8859-2 and Windows-1252 read differently.
    const [japanese, polish] = [Buffer.from('8aac', 'hex'), Buffer.from('b1e6', 'hex')]
    for (const [label, name, given, said, expected] of [
      ['shift_jis', japanese, 'text/csv', { encoding: 'shift_jis' }, '\u582a'],
      ['iso-8859-2', polish, 'text/csv; charset=latin1', { encoding: 'iso-8859-2' }, '\u0105\u0107'],
      ['iso-8859-2', polish, 'text/csv; charset=iso-8859-2', {}, '\u0105\u0107'],
      ['windows-1252', polish, 'text/csv', {}, '\u00b1\u00e6'],
    ] as const) {
      const ref = randomUUID()
      routes['/written'] = createRoute(bytes(`ref|name\n${ref}|`, name), { 'content-type': given })
      const job = await sources.run((await sources.make(at('/written'), { delimiter: '|', ...said })).id)
      expect(
        [job.status, job.data.dialect?.encoding, job.data.dialect?.delimiter],
        JSON.stringify(job.errors),
      ).to.deep.equal(['completed', label, '|'])
      expect(await namesOf(ref)).to.deep.equal([expected])
    }
    routes['/written'] = createRoute('ref,name\n', { 'content-type': 'text/csv; charset=klingon' })
    expect((await sources.run((await sources.make(at('/written'))).id)).initError).to.deep.include({
      code: 'IMPORT_ENCODING_INVALID',
    })
  })

  it('reads the sheet that the mapper names, and no file that is not what it names', async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    const sheet = (name: string, ref: string) => ({
      name,
      rows: createRow(1, ['ref', 'name']) + createRow(2, [ref, name]),
    })
    routes['/book.xlsx'] = createRoute(createWorkbook([sheet('One', first), sheet('Two', second)]), {
      'content-type': 'application/octet-stream',
    })
    const run = async (path: string, more: object) => sources.run((await sources.make(at(path), more)).id)
    expect((await run('/book.xlsx', { sheet: 'two' })).data.dialect).to.deep.include({ sheet: 'Two' })
    expect([await namesOf(first), await namesOf(second)]).to.deep.equal([[], ['Two']])
    expect((await run('/book.xlsx', {})).warnings.map(({ code }) => code)).to.deep.equal(['sheets_unread'])
    expect((await run('/book.xlsx', { sheet: 'Three' })).initError?.code).to.equal('IMPORT_SHEET_MISSING')
    expect((await run('/book.xlsx', { delimiter: ';' })).initError?.code).to.equal('IMPORT_SOURCE_TYPE')
    routes['/plain'] = createRoute(`ref,name\n${randomUUID()},Bag\n`)
    expect((await run('/plain', { sheet: 'One' })).initError?.code).to.equal('IMPORT_SOURCE_TYPE')
  })

  it('takes a source that is slow, as long as it goes on', async () => {
    routes['/slow'] = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' }).write('ref,name\n')
      void (async () => {
        for (let row = 0; row < 5; row += 1) {
          await sleep(100)
          response.write(`${randomUUID()},Bag\n`)
        }
        response.end()
      })()
    }
    expect((await sources.run((await sources.make(at('/slow'))).id)).completed).to.equal(5)
  })

  it('fails with a code and a sentence where nothing can be imported, and keeps nothing', async () => {
    let asks = 0
    Object.assign(routes, {
      '/private': (_: unknown, response: never) => void redirect(response, at('/secret', hosts.hidden)),
      '/metadata': (_: unknown, response: never) => void redirect(response, 'https://169.254.169.254/latest/meta-data'),
      '/plain': (_: unknown, response: never) => void redirect(response, 'http://8.8.8.8/a.csv'),
      '/secret': createRoute('ref,name\nsecret,secret\n'),
      '/html': createRoute('<html>', { 'content-type': 'text/html' }),
      '/gone': createRoute('no', {}, 410),
      '/loop': (_: unknown, response: never) => void redirect(response, '/loop'),
      '/huge': createRoute('', { 'content-length': '268435457' }),
      '/empty': createRoute(''),
      '/busy': (...[request, response]: Parameters<ReturnType<typeof createRoute>>) => {
        asks += 1
        createRoute(
          asks === 1 ? 'no' : `ref,name\n${randomUUID()},Bag\n`,
          {},
          asks === 1 ? 503 : 200,
        )(request, response)
      },
      '/cut': (
        _: unknown,
        response: { writeHead(s: number, h: object): { write(t: string): void }; destroy(): void },
      ) => {
        response.writeHead(200, { 'content-type': 'text/csv', 'content-length': '1000' }).write('ref,name\n')
        setTimeout(() => response.destroy(), 50)
      },
      '/columns': createRoute('a,b\n1,2\n'),
    })
    const code = async (url: string) => {
      const job = await sources.run((await sources.make(url)).id)
      expect(job.finishedAt).to.be.a('string')
      if (job.initError)
        expect([job.status, job.total, job.errors[0]?.code]).to.deep.equal(['failed', 0, job.initError.code])
      expect(JSON.stringify(job)).to.not.match(/127\.0\.0\.1|169\.254/)
      return job.initError?.code ?? job.status
    }
    const cases: [string, string][] = [
      [at('/', hosts.hidden), 'IMPORT_SOURCE_BLOCKED'],
      [at('/private'), 'IMPORT_SOURCE_BLOCKED'],
      [at('/metadata'), 'IMPORT_SOURCE_BLOCKED'],
      [at('/plain'), 'IMPORT_SOURCE_BLOCKED'],
      [at('/html'), 'IMPORT_SOURCE_TYPE'],
      [at('/gone'), 'IMPORT_SOURCE_STATUS'],
      [at('/nothing'), 'IMPORT_SOURCE_STATUS'],
      [at('/loop'), 'IMPORT_SOURCE_STATUS'],
      [at('/huge'), 'IMPORT_SOURCE_TOO_LARGE'],
      [at('/', 'nobody.invalid'), 'IMPORT_SOURCE_UNREACHABLE'],
      [at('/', hosts.closed), 'IMPORT_SOURCE_UNREACHABLE'],
      [at('/', hosts.wrong), 'IMPORT_SOURCE_UNREACHABLE'],
      [at('/cut'), 'IMPORT_SOURCE_UNREACHABLE'],
      [at('/columns'), 'IMPORT_COLUMNS_MISSING'],
      [at('/empty'), 'IMPORT_SOURCE_EMPTY'],
      [at('/busy'), 'completed'],
    ]
    const found = await Promise.all(cases.map(async ([url]) => [url, await code(url)]))
    expect(found).to.deep.equal(cases)
    expect(recordedRequests.map(({ at: where }) => where)).to.not.include(`${hosts.hidden}/secret`)
    expect(await countPieces(sources.db)).to.equal(0)
    expect(await countUploads(sources.db, sources.own.organization)).to.equal(0)
  })
})

const redirect = (response: { writeHead(status: number, headers: object): { end(): void } }, location: string) =>
  response.writeHead(302, { location }).end()
