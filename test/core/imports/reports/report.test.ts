import { parse } from 'csv-parse/sync'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { request } from 'undici'
import { platform } from '../../../support/platform.ts'
import { insertErrors, insertNumberedErrors } from '../../../support/rows/imports/errors.ts'
import { insertImport } from '../../../support/rows/imports/imports.ts'
import { getOperator } from '../../identity/people.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildShop, type Shop } from '../../../support/world.ts'

type Row = Record<string, unknown>
const csv = { accept: 'text/csv' }

describe('GET /v1/imports/{id}/report', () => {
  let shop: Shop
  let id: string
  let db: Knex
  const linesOf = (errors: unknown) => (errors as Row[]).map(({ line }) => line)

  before(async () => {
    shop = await buildShop()
    ;({ db } = await getOperator())
    id = await insertImport(db, shop, { completed: 5, failed: 250, total: 255, created: 2, updated: 1, skipped: 2 })
    await insertNumberedErrors(db, id, 250)
  })

  it('has the import, its counts and the errors by line, a page at a time', async () => {
    const { body } = await shop.api.get(`/v1/imports/${id}/report`)
    expect(body['job']).to.deep.equal((await shop.api.get(`/v1/imports/${id}`)).body)
    expect(body['counts']).to.deep.equal({ created: 2, updated: 1, skipped: 2, failed: 250 })
    expect(linesOf(body['errors'])).to.deep.equal(Array.from({ length: 100 }, (_, at) => at + 2))
    expect((body['errors'] as unknown as Row[])[0]).to.deep.equal({
      line: 2,
      path: 'product.name',
      code: 'required',
      message: 'line 2 has no name',
      value: 'value of 2',
    })
    expect(body['nextPage']).to.equal(2)
    const last = (await shop.api.get(`/v1/imports/${id}/report?currentPage=3`)).body
    expect([linesOf(last['errors'])[0], linesOf(last['errors']).length, last['nextPage']]).to.deep.equal([
      202,
      50,
      null,
    ])
    const whole = (await shop.api.get(`/v1/imports/${id}/report?pageSize=1000`)).body
    expect([linesOf(whole['errors']).length, whole['nextPage']]).to.deep.equal([250, null])
    expect((await shop.api.get(`/v1/imports/${id}/report?pageSize=125&currentPage=2`)).body['nextPage']).to.equal(null)
  })

  it('keeps several errors of one line together, in the order they were found', async () => {
    const two = await insertImport(db, shop, { failed: 1 })
    await insertErrors(db, two, [
      { line: 7, path: 'b' },
      { line: 7, path: 'a' },
    ])
    const { body } = await shop.api.get(`/v1/imports/${two}/report`)
    expect((body['errors'] as unknown as Row[]).map(({ path, value }) => [path, value])).to.deep.equal([
      ['b', null],
      ['a', null],
    ])
  })

  it('shows of a slice the errors of its own lines only', async () => {
    const slice = await insertImport(db, shop, {
      failed: 10,
      sliceOf: { parent: id, lines: { first: 11, last: 20 } },
    })
    const { body } = await shop.api.get(`/v1/imports/${slice}/report`)
    expect(linesOf(body['errors'])).to.deep.equal(Array.from({ length: 10 }, (_, at) => at + 11))
    const { text } = await shop.api.get(`/v1/imports/${slice}/report`, { headers: csv })
    expect(text.trim().split('\r\n')).to.have.length(11)
  })

  it('has of a real import the physical lines, and of each of its slices those that fell to it', async function () {
    this.timeout(30_000)
    const row = (line: number) =>
      JSON.stringify({
        reference: `R-${line}`,
        product: {
          name: line === 5 || line === 1_100 ? '' : 'Bag',
          idGranularity: 'item',
          itemNumber: `${id}-${line}`,
        },
      })
    const started = await shop.api.post(
      `/v1/imports?entityName=DppPassport&application=${shop.application}`,
      undefined,
      {
        raw: Array.from({ length: 1_200 }, (_, at) => row(at + 1)).join('\n'),
        headers: { 'content-type': 'application/x-ndjson' },
      },
    )
    expect(started.status, started.text).to.equal(202)
    const path = `/v1/imports/${started.body.id}`
    await shop.api.get(`${path}/progress`, { headers: { accept: 'text/event-stream' } })
    const { body } = await shop.api.get(`${path}/report`)
    expect(body['counts']).to.deep.equal({ created: 1_198, updated: 0, skipped: 0, failed: 2 })
    expect(linesOf(body['errors'])).to.deep.equal([5, 1_100])
    const slices = (await shop.api.get(`/v1/imports?filters[parent][eq]=${started.body.id}`)).body[
      'data'
    ] as unknown as Row[]
    const reports = await Promise.all(slices.map(({ id: slice }) => shop.api.get(`/v1/imports/${slice}/report`)))
    expect(reports.map((report) => linesOf(report.body['errors'])).sort()).to.deep.equal([[1_100], [5]])
    expect(slices.reduce((sum, slice) => sum + Number(slice['total']), 0)).to.equal(1_200)
  })

  it('is all errors as a CSV file for who asks for one', async () => {
    const { text, headers } = await shop.api.get(`/v1/imports/${id}/report`, { headers: csv })
    expect(headers['content-type']).to.match(/^text\/csv; charset=utf-8/)
    expect(headers['content-disposition']).to.equal(`attachment; filename="import-${id}.csv"`)
    expect(text.split('\r\n')[0]).to.equal('line,path,code,message,value,severity,count')
    const rows = parse(text, { columns: true }) as Row[]
    expect(rows).to.have.length(250)
    expect(rows[249]).to.deep.equal({
      line: '251',
      path: 'product.name',
      code: 'required',
      message: 'line 251 has no name',
      value: 'value of 251',
      severity: 'error',
      count: '',
    })
    const none = await shop.api.get(`/v1/imports/${await insertImport(db, shop)}/report`, { headers: csv })
    expect(none.text).to.equal('line,path,code,message,value,severity,count\r\n')
  })

  it('has the warnings in that file too, before the errors, and told apart from them', async () => {
    const warnings = [
      { code: 'encoding_guessed', path: '', message: 'The file is not UTF-8, and nobody said what it is.', count: 1 },
      { code: 'column_missing', path: 'data.color', message: '=HYPERLINK("x"), "b"', count: 2 },
    ]
    const warned = await insertImport(db, shop, { failed: 1, warnings })
    await insertNumberedErrors(db, warned, 1)
    const { text } = await shop.api.get(`/v1/imports/${warned}/report`, { headers: csv })
    expect((parse(text, { columns: true }) as Row[]).map((row) => Object.values(row))).to.deep.equal([
      ['', '', 'encoding_guessed', 'The file is not UTF-8, and nobody said what it is.', '', 'warning', '1'],
      ['', 'data.color', 'column_missing', `'=HYPERLINK("x"), "b"`, '', 'warning', '2'],
      ['2', 'product.name', 'required', 'line 2 has no name', 'value of 2', 'error', ''],
    ])
  })

  it('writes values into it that neither break its cells nor become formulas', async () => {
    const wild = await insertImport(db, shop, { failed: 1 })
    const values = ['=HYPERLINK("https://evil.example")', '+1', '-2', '@sum', 'a "b", c\r\nd', 'Größe — çà', '\t=1+1']
    await insertErrors(
      db,
      wild,
      values.map((value, line) => ({ line, value })),
    )
    const { text } = await shop.api.get(`/v1/imports/${wild}/report`, { headers: csv })
    const read = (parse(text, { columns: true }) as { value: string }[]).map(({ value }) => value)
    expect(read.slice(0, 4)).to.deep.equal(values.slice(0, 4).map((value) => `'${value}`))
    expect(read.slice(4, 6)).to.deep.equal(values.slice(4, 6))
    expect(read[6]).to.equal(`'\t=1+1`)
  })

  it('refuses pages out of bounds and media types that it does not write', async () => {
    const path = `/v1/imports/${id}/report`
    for (const query of ['pageSize=1001', 'pageSize=0', 'currentPage=0']) {
      expect(formatVerdict(await shop.api.get(`${path}?${query}`)), query).to.equal('400 INVALID_PAGINATION')
    }
    expect(formatVerdict(await shop.api.get(`${path}?page=2`))).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await shop.api.get(path, { headers: { accept: 'application/pdf' } }))).to.equal(
      '406 NOT_ACCEPTABLE',
    )
    const choosy = await shop.api.get(path, { headers: { accept: 'text/csv;q=0.1, application/json' } })
    expect(choosy.headers['content-type']).to.match(/^application\/json/)
    expect(choosy.headers['vary']).to.match(/accept/i)
  })

  it('streams many errors as fast as they are read, each once', async function () {
    this.timeout(60_000)
    const many = await insertImport(db, shop, { failed: 30_000 })
    await insertNumberedErrors(db, many, 30_000)
    const answer = await request(`${platform.api}/v1/imports/${many}/report`, {
      headers: { ...csv, 'x-api-key': shop.key },
    })
    let next = 1
    let rest = ''
    for await (const part of answer.body) {
      const lines = (rest + String(part)).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        expect(line.startsWith(next === 1 ? 'line,' : `${next},`), line).to.equal(true)
        next++
      }
    }
    expect(next).to.equal(30_002)
    const { body } = await shop.api.get(`/v1/imports/${many}/report?pageSize=1000&currentPage=30`)
    expect([linesOf(body['errors'])[999], body['nextPage']]).to.deep.equal([30_001, null])
  })
})
