import { expect } from 'chai'
import { readCatalogue } from '../../../tools/catalogue/catalogue.ts'
import type { ApiAnswer, ApiRequest } from '../../../tools/results/api-request.ts'
import { createToolResult, createRangeSelector, type ContentBlock } from '../../../tools/results/results.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'

const api = 'http://127.0.0.1:3333'
const { resources } = readCatalogue(createBridgeDocument(), api)
const options = { resources, wrapsStructure: true, secrets: null, keptUri: null }
const limit = 256 * 1024

const get = (path: string): ApiRequest => ({ method: 'GET', path, accept: '*/*', body: null })
const posted: ApiRequest = { method: 'POST', path: '/v1/echo', accept: '*/*', body: null }

/** What the API would answer, read as far as the bridge would. */
function answer(request: ApiRequest, mediaType: string, body: Buffer, more: Partial<ApiAnswer> = {}): ApiAnswer {
  const { to } = createRangeSelector(request, resources)(more.status ?? 200, mediaType)
  const complete = body.length <= to
  return {
    status: 200,
    mediaType,
    location: null,
    retryAfter: null,
    bytes: body.subarray(0, to),
    start: 0,
    complete,
    size: body.length,
    ...more,
  }
}
const resultOf = (request: ApiRequest, mediaType: string, body: Buffer, more?: Partial<ApiAnswer>) =>
  createToolResult(request, answer(request, mediaType, body, more), options).result

/** The first part and what the link's range leads to, put together. */
function rejoined(content: readonly ContentBlock[], body: Buffer): { text: Buffer; from: number } {
  const [first] = content
  const link = content.find((block) => block.type === 'resource_link')
  const match = resources.matchAddress(link?.type === 'resource_link' ? link.uri : '')
  if (match.is !== 'operation' || !match.byteRange) throw new Error('It has no range')
  const shown =
    first?.type === 'text'
      ? Buffer.from(first.text)
      : Buffer.from(first?.type === 'resource' ? first.resource.blob : '', 'base64')
  return {
    text: Buffer.concat([shown, body.subarray(match.byteRange.from, match.byteRange.to)]),
    from: match.byteRange.from,
  }
}

describe('tools/call: the result of a successful answer', () => {
  it('is the JSON body as structure and as text', () => {
    const result = resultOf(posted, 'application/json; charset=utf-8', Buffer.from('{"a": 1.0}'))
    expect(result).to.deep.equal({ content: [{ type: 'text', text: '{"a": 1.0}' }], structuredContent: { a: 1 } })
    expect(resultOf(posted, 'application/vc+ld+json', Buffer.from('{}')).structuredContent).to.deep.equal({})
  })

  it('wraps JSON that is no object', () => {
    expect(resultOf(posted, 'application/json', Buffer.from('[1]')).structuredContent).to.deep.equal({ result: [1] })
    expect(resultOf(posted, 'application/json', Buffer.from('null')).structuredContent).to.deep.equal({ result: null })
  })

  it('is a picture, bytes or a table by its media type', () => {
    const bytes = Buffer.from([0x89, 0x50, 0, 255])
    expect(resultOf(posted, 'image/png', bytes).content).to.deep.equal([
      { type: 'image', data: bytes.toString('base64'), mimeType: 'image/png' },
    ])
    expect(resultOf(posted, 'application/zip', bytes).content).to.deep.equal([
      {
        type: 'resource',
        resource: { uri: `${api}/v1/echo`, mimeType: 'application/zip', blob: bytes.toString('base64') },
      },
    ])
    expect(resultOf(posted, 'text/csv', Buffer.from('\ufeffa,b\r\n')).content).to.deep.equal([
      { type: 'text', text: '\ufeffa,b\r\n' },
    ])
  })

  it('keeps bytes that only claim to be text', () => {
    const bytes = Buffer.from([0x61, 0xff])
    expect(resultOf(posted, 'text/csv', bytes).content[0]).to.include({ type: 'resource' })
    expect(resultOf(posted, 'text/csv; charset=iso-8859-1', Buffer.from('abc')).content[0]).to.include({
      type: 'resource',
    })
  })

  it('says so when there is nothing', () => {
    expect(resultOf(posted, '', Buffer.alloc(0), { status: 204 }).content).to.deep.equal([
      { type: 'text', text: 'Done (204).' },
    ])
  })

  it('shows JSON that is broken as the text it is', () => {
    expect(resultOf(posted, 'application/json', Buffer.from('{"a":')).content).to.deep.equal([
      { type: 'text', text: '{"a":' },
    ])
  })
})

describe('tools/call: a result larger than 256 KiB', () => {
  it('gives the first lines of a table and a link to the rest, and loses nothing', () => {
    const body = Buffer.from(Array.from({ length: 40_000 }, (_, index) => `${index},Zürich\n`).join(''))
    const { content } = resultOf(get('/v1/widgets/x/log'), 'text/csv', body)
    const { text, from } = rejoined(content, body)
    expect(text.equals(body)).to.equal(true)
    expect(from).to.be.within(limit - 100, limit)
    expect(body[from - 1]).to.equal(0x0a)
    expect(JSON.stringify(content[1])).to.contain(`of ${body.length} bytes`)
  })

  it('cuts one long line between two characters', () => {
    for (const shift of [0, 1, 2, 3]) {
      const body = Buffer.from('x'.repeat(shift) + '😀'.repeat(100_000))
      const { text } = rejoined(resultOf(get('/v1/widgets/x/log'), 'text/csv', body).content, body)
      expect(text.equals(body)).to.equal(true)
    }
  })

  it('gives a first blob of bytes and a link to the rest', () => {
    const body = Buffer.alloc(limit + 1000, 7)
    const { content } = resultOf(get('/v1/widgets/x/image'), 'image/png', body)
    expect(content[0]).to.have.nested.property('resource.uri', `${api}/v1/widgets/x/image#bytes=0-${limit - 1}`)
    expect(rejoined(content, body).text.equals(body)).to.equal(true)
  })

  it('stays whole at exactly 256 KiB', () => {
    expect(resultOf(get('/v1/widgets/x/image'), 'image/png', Buffer.alloc(limit)).content).to.have.length(1)
  })

  it('cuts JSON in the text and in its long lists', () => {
    const rows = Array.from({ length: 50_000 }, (_, index) => ({ index }))
    const result = resultOf(get('/v1/widgets'), 'application/json', Buffer.from(JSON.stringify({ rows })))
    const shown = (result.structuredContent as { rows: unknown[] }).rows
    expect(shown).to.deep.equal(rows.slice(0, shown.length))
    expect(Buffer.byteLength(JSON.stringify(result.structuredContent))).to.be.within(limit - 20, limit)
    expect(JSON.stringify(result.content).length).to.be.below(limit * 2)
    expect(result.content.at(-1)).to.include({ type: 'resource_link' })
  })

  it('stays whole where no address can read it again', () => {
    const body = Buffer.alloc(limit * 2, 1)
    const [block] = resultOf(posted, 'application/zip', body).content
    expect(block?.type === 'resource' ? Buffer.from(block.resource.blob, 'base64').equals(body) : false).to.equal(true)
  })
})

describe('tools/call: the result of a problem', () => {
  const refused = (status: number, members: Record<string, unknown>, more: Partial<ApiAnswer> = {}, request = posted) =>
    resultOf(
      request,
      'application/problem+json',
      Buffer.from(JSON.stringify({ type: 'about:blank', title: 'T', status, ...members })),
      { status, ...more },
    )
  const text = (result: ReturnType<typeof refused>) =>
    result.content[0]?.type === 'text' ? result.content[0].text : ''

  it('is an error with status, code, detail and what to do next', () => {
    const result = refused(409, { code: 'IMPORT_RUN_IN_PROGRESS', detail: 'A run is importing.' })
    expect(result.isError).to.equal(true)
    expect(text(result)).to.equal(
      '409 IMPORT_RUN_IN_PROGRESS: A run is importing.\nWait until what is running has ended, then call again.',
    )
    expect(result._meta).to.deep.include({
      problem: {
        type: 'about:blank',
        title: 'T',
        status: 409,
        code: 'IMPORT_RUN_IN_PROGRESS',
        detail: 'A run is importing.',
      },
    })
    expect(result).not.to.have.property('structuredContent')
  })

  it('lists every violation', () => {
    const errors = [
      { path: 'name', code: 'type', message: 'must be string' },
      { path: 'fields.serial', code: 'required', message: 'is missing' },
    ]
    expect(text(refused(422, { code: 'VALIDATION_FAILED', detail: 'Not valid.', errors }))).to.contain(
      '- name: must be string\n- fields.serial: is missing',
    )
  })

  it('names the missing permission, the list to look into and the time to wait', () => {
    expect(text(refused(403, { detail: 'No.', permission: { resource: 'dpp', action: 'create' } }))).to.contain(
      'missing permission: dpp, create',
    )
    expect(text(refused(404, { detail: 'No.' }, {}, { ...posted, path: '/v1/widgets/x/mint' }))).to.contain(
      `${api}/v1/widgets`,
    )
    expect(text(refused(429, { detail: 'Slow down.' }, { retryAfter: '7' }))).to.contain('Wait 7 s')
  })

  it('says after a failed write that its outcome is not known', () => {
    expect(text(refused(500, { detail: 'Failed.' }))).to.contain('not known whether')
    expect(text(refused(500, { detail: 'Failed.' }, {}, get('/v1/widgets')))).not.to.contain('not known whether')
  })

  it('never shows a body that is no problem', () => {
    const result = resultOf(posted, 'text/html', Buffer.from('<pre>Error at /srv/secret.ts</pre>'), { status: 500 })
    expect(JSON.stringify(result)).not.to.contain('secret')
    expect(text(result)).to.match(/^500 Internal Server Error: /)
  })

  it('takes the place of a redirect', () => {
    expect(text(resultOf(posted, 'text/html', Buffer.from('moved'), { status: 302, location: '/elsewhere' }))).to.match(
      /^502 .*redirect/,
    )
  })
})

describe('tools/call: the result of a started job', () => {
  const started = (location: string | null, body = '{"jobId":"j-1"}', status = 202) =>
    createToolResult(posted, answer(posted, 'application/json', Buffer.from(body), { status, location }), options)

  it('is linked by the resource that shows its state', () => {
    const { result, job } = started('/v1/jobs/j-1')
    expect(job).to.deep.equal({ id: 'j-1', path: '/v1/jobs/j-1' })
    expect(result.content.at(-1)).to.deep.include({ type: 'resource_link', uri: `${api}/v1/jobs/j-1`, name: 'get_job' })
    expect(result.structuredContent).to.deep.equal({ jobId: 'j-1' })
  })

  it('is linked by its number where the answer named no place that can be read', () => {
    for (const location of [null, '/v1/nowhere']) {
      expect(started(location).result.content.at(-1)).to.deep.include({ uri: `${api}/v1/jobs/j-1` })
    }
  })

  it('is only what a 202 names', () => {
    expect(started(null, '{"jobId":"j-1"}', 200).job).to.equal(null)
    expect(started(null, '{"jobId":"../x"}').job).to.equal(null)
    expect(started(null, '{"matched":1}').job).to.equal(null)
  })
})
