import { expect } from 'chai'
import { readCatalogue } from '../../../tools/catalogue/catalogue.ts'
import { ArgumentError } from '../../../tools/arguments/request-factory.ts'
import type { ApiRequest } from '../../../tools/results/api-request.ts'
import { toIssues } from '../../../tools/results/issues.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'

const catalogue = readCatalogue(createBridgeDocument(), 'http://127.0.0.1:3333')

function tool(name: string) {
  const found = catalogue.tools.get(name)
  if (!found) throw new Error(`There is no ${name}`)
  return found
}
function request(name: string, given: Record<string, unknown>): ApiRequest {
  return tool(name).createRequest(given)
}
const queryOf = (given: Record<string, unknown>) => [
  ...new URLSearchParams(request('publish_widgets', given).path.split('?')[1]),
]
const wrong = (name: string, given: unknown) =>
  toIssues(tool(name).validateArguments(given)).map(({ path, message }) => `${path} ${message}`)

const id = '0190a1b2-0000-7000-8000-000000000001'

describe('tools/requests: the API request of a tool call', () => {
  it('takes path, query and body from flat arguments', () => {
    const made = request('update_widget', { id_path: 'a b', name_query: 'q&=', name: 'n', note: null })
    expect(made).to.include({ method: 'PATCH', path: '/v1/widgets/a%20b?name=q%26%3D' })
    expect(made.body).to.deep.equal({ mediaType: 'application/json', content: '{"name":"n","note":null}' })
  })

  it('shows the API a filter without an operator, which left out would mean all rows', () => {
    expect(wrong('publish_widgets', { filters: { status: {} } })).not.to.deep.equal([])
    expect(queryOf({ filters: { status: {}, createdAt: { gt: '2026' } } })).to.deep.equal([
      ['filters[status]', ''],
      ['filters[createdAt][gt]', '2026'],
    ])
  })

  it('says of a value that must not be null what it says', () => {
    expect(wrong('publish_widgets', { filters: { status: { null: false } } })).not.to.deep.equal([])
    expect(queryOf({ filters: { status: { null: false } } })).to.deep.equal([['filters[status][nnull]', '']])
  })

  it('are refused by the first of many wrong entries, at once and in little memory', () => {
    const items = Array.from({ length: 500_000 }, () => 1)
    expect(wrong('mint_widget', { id, items })).to.have.length(1)
    expect(wrong('publish_widgets', { filters: items.slice(0, 16_000) }).length).to.be.within(1, 20)
  }).timeout(5_000)

  it('sends a root array, a free object, a text and bytes as they are', () => {
    expect(request('mint_widget', { id, items: [{ serial: 'a' }] }).body?.content).to.equal('[{"serial":"a"}]')
    expect(request('check', { body: { any: [1] } }).body?.content).to.equal('{"any":[1]}')
    expect(request('note', { body: 'Grüße' }).body).to.deep.equal({ mediaType: 'text/plain', content: 'Grüße' })
    expect(request('upload', { body: 'AAH/' }).body).to.deep.equal({
      mediaType: 'application/pdf',
      content: Buffer.from([0, 1, 255]),
    })
  })

  it('has no body where an optional one was not given, and an empty object where one is needed', () => {
    expect(request('forget', {}).body).to.equal(null)
    expect(request('update_widget', { id_path: 'a' }).body?.content).to.equal('{}')
    expect(request('draw', {}).body).to.equal(null)
  })

  it('spells filters and sorters by field as bracket queries', () => {
    const byField = {
      filters: { status: { eq: 'draft', ne: 'a&b=[c]' }, 'maker.createdAt': { gt: 2026, null: true, nnull: '' } },
      sorters: { name: 'desc', createdAt: 'asc' },
    }
    expect(queryOf(byField)).to.deep.equal([
      ['filters[status][eq]', 'draft'],
      ['filters[status][ne]', 'a&b=[c]'],
      ['filters[maker.createdAt][gt]', '2026'],
      ['filters[maker.createdAt][null]', ''],
      ['filters[maker.createdAt][nnull]', ''],
      ['sorters[0][field]', 'name'],
      ['sorters[0][order]', 'desc'],
      ['sorters[1][field]', 'createdAt'],
      ['sorters[1][order]', 'asc'],
    ])
    expect(request('publish_widgets', { filters: { status: { eq: 'x' } } }).path).to.equal(
      '/v1/widgets/publish?filters%5Bstatus%5D%5Beq%5D=x',
    )
    expect(request('publish_widgets', { filters: {}, sorters: {} }).path).to.equal('/v1/widgets/publish')
  })

  it('sends lists of filters, groups, and what brackets cannot say as JSON, for the API to judge', () => {
    const group = [{ operator: 'or', value: [{ field: 'status', operator: 'eq', value: 'draft' }] }]
    expect(queryOf({ filters: group })).to.deep.equal([['filters', JSON.stringify(group)]])
    for (const operand of [['draft', 'published'], null, { a: 1 }]) {
      const sent = [{ field: 'status', operator: 'eq', value: operand }]
      expect(queryOf({ filters: { status: { eq: operand } } })).to.deep.equal([['filters', JSON.stringify(sent)]])
    }
    for (const field of ['7', 'a[b', '']) {
      const sent = [{ field, operator: 'eq', value: 1 }]
      expect(queryOf({ filters: { [field]: { eq: 1 } } })).to.deep.equal([['filters', JSON.stringify(sent)]])
    }
    expect(queryOf({ sorters: { name: null } })).to.deep.equal([['sorters', '[{"field":"name","order":null}]']])
  })

  it('has the members of a body in the order in which they were given', () => {
    const given = { note: 'n', name_query: 'q', name: 'm', id_path: 'a', id: 'i' }
    expect(request('update_widget', given).body?.content).to.equal('{"note":"n","name":"m","id":"i"}')
  })

  it('asks for the JSON that the operation answers, whichever kind, and else for anything', () => {
    expect(request('check', { body: {} }).accept).to.equal('application/json, application/problem+json')
    expect(request('draw', {}).accept).to.equal('*/*')
    const document = createBridgeDocument()
    const [check] = Object.values(document.paths['/v1/check'] as Record<string, Record<string, unknown>>)
    const content = { 'application/ld+json': {}, 'application/vc+jwt': {} }
    document.paths['/v1/check'] = { post: { ...check, responses: { 200: { description: 'It.', content } } } }
    const made = readCatalogue(document, 'http://127.0.0.1:3333').tools.get('check')?.createRequest({ body: {} })
    expect(made?.accept).to.equal('application/ld+json, application/problem+json')
  })

  it('refuses a number that is too large to be kept, by its path, and never sends another value for it', () => {
    const given = JSON.parse('{"name":"n","status":"draft","fields":{"sizes":[1,{"weight":1e400}]}}') as object
    expect(() => request('create_widget', { ...given })).to.throw(ArgumentError, 'fields.sizes[1].weight is a number')
    expect(() => request('check', { body: { a: -Infinity } })).to.throw(ArgumentError, 'body.a is a number')
    expect(() => request('mint_widget', { id, items: [{ serial: 's', n: Infinity }] })).to.throw(
      'items[0].n is a number',
    )
    expect(request('check', { body: { a: 1.7e308 } }).body?.content).to.equal('{"a":1.7e+308}')
  })

  it('spells parameters of each style as OpenAPI does', () => {
    const colours = { R: 100, 'G,': 'a b' }
    const list = ['blue', 'a,b']
    for (const [style, explode, value, query] of [
      ['form', true, list, 'colour=blue&colour=a%2Cb'],
      ['form', false, list, 'colour=blue,a%2Cb'],
      ['form', true, colours, 'R=100&G%2C=a%20b'],
      ['form', false, colours, 'colour=R,100,G%2C,a%20b'],
      ['deepObject', true, colours, 'colour%5BR%5D=100&colour%5BG%2C%5D=a%20b'],
      ['form', true, [], ''],
      ['form', false, [], ''],
      ['form', false, 'a,b', 'colour=a%2Cb'],
    ] as const) {
      const document = createBridgeDocument()
      const [wait] = Object.values(document.paths['/v1/wait'] as Record<string, Record<string, unknown>>)
      const parameters = [{ name: 'colour', in: 'query', style, explode, schema: {} }]
      document.paths['/v1/wait'] = { post: { ...wait, parameters } }
      const made = readCatalogue(document, 'http://127.0.0.1:3333').tools.get('wait')?.createRequest({ colour: value })
      expect(made?.path).to.equal(query === '' ? '/v1/wait' : `/v1/wait?${query}`)
    }
  })

  it('refuses bytes that are not base64, and text that is no Unicode', () => {
    for (const body of ['AAH', 'AA H/', 'AAH/AA', '_-8=', '\u00fc']) {
      expect(() => request('upload', { body }), body).to.throw(ArgumentError, 'body must be base64')
    }
    expect(() => request('note', { body: '\ud800' })).to.throw(ArgumentError, 'body is not well-formed text')
    expect(() => request('publish_widgets', { tags: ['\ud800'] })).to.throw(ArgumentError, 'tags is not')
  })

  it('repeats a list parameter and spells numbers plainly', () => {
    expect(request('publish_widgets', { tags: ['a', 'b&c'], pageSize: 5 }).path).to.equal(
      '/v1/widgets/publish?pageSize=5&tags=a&tags=b%26c',
    )
  })

  for (const [given, sent] of Object.entries({
    '../../v1/llm/chat': '..%2F..%2Fv1%2Fllm%2Fchat',
    '%2e%2e': '%252e%252e',
    '..%2f': '..%252f',
    'a?b=c': 'a%3Fb%3Dc',
    'a#b': 'a%23b',
    'a\\b': 'a%5Cb',
    'a;b=1': 'a%3Bb%3D1',
    ' ': '%20',
    ä: '%C3%A4',
  })) {
    it(`keeps the id ${JSON.stringify(given)} one segment`, () => {
      expect(request('delete_widget', { id: given }).path).to.equal(`/v1/widgets/${sent}`)
    })
  }

  for (const given of ['', '.', '..', 'a\u0000b', 'a\r\nX-Evil: 1', '\ud800']) {
    it(`refuses the id ${JSON.stringify(given)}`, () => {
      expect(() => request('delete_widget', { id: given })).to.throw(ArgumentError)
    })
  }

  it('refuses an id that spells the way to another operation of the same method', () => {
    const document = createBridgeDocument()
    const { delete: deletion } = document.paths['/v1/widgets/{id}'] as Record<string, unknown>
    document.paths['/v1/widgets/all'] = {
      delete: { ...(deletion as Record<string, unknown>), 'x-mcp-type': undefined, parameters: [] },
    }
    const found = readCatalogue(document, 'http://127.0.0.1:3333').tools.get('delete_widget')
    if (!found) throw new Error('There is no delete_widget')
    for (const id of ['all', 'ALL']) expect(() => found.createRequest({ id })).to.throw(ArgumentError)
  })
})

describe('tools/requests: wrong arguments', () => {
  it('are named by their path, all at once', () => {
    expect(wrong('mint_widget', { id: 'x', items: [{ serial: 1 }, {}], more: true })).to.have.members([
      'more is not known here',
      'id must match format "uuid"',
      'items[0].serial must be string',
      'items[1].serial is missing',
    ])
  })

  it('are not told about branches that were never meant', () => {
    expect(wrong('publish_widgets', { filters: { colour: { eq: 1 } } })).to.deep.equal([
      'filters.colour is not known here',
    ])
    expect(wrong('publish_widgets', { filters: { status: { like: 1 } } })).to.deep.equal([
      'filters.status.like is not known here',
    ])
    expect(wrong('update_widget', { id_path: 'a', note: 3 })).to.deep.equal(['note must be string'])
    expect(wrong('publish_widgets', { filters: [{ field: 'colour', operator: 'eq' }] })).to.deep.equal([
      'filters[0].field must be one of ["status","createdAt"]',
    ])
  })

  it('include members that JSON can carry and JavaScript treats apart', () => {
    expect(wrong('echo', JSON.parse('{"value":"a","__proto__":{"delay":1}}'))).to.deep.equal([
      '__proto__ is not known here',
    ])
    expect(wrong('echo', JSON.parse('{"value":"a","constructor":1}'))).to.deep.equal(['constructor is not known here'])
    expect(wrong('echo', {})).to.deep.equal(['value is missing'])
  })

  it('are at most twenty', () => {
    expect(wrong('mint_widget', { id, items: Array.from({ length: 100 }, () => ({})) })).to.have.length(20)
  })
})
