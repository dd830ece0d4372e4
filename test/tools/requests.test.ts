import { expect } from 'chai'
import { readCatalogue } from '../../tools/catalogue.ts'
import { ArgumentError, prepareRequest } from '../../tools/prepare.ts'
import type { ApiRequest } from '../../tools/request.ts'
import { violations } from '../../tools/violations.ts'
import { bridgeDocument } from '../support/bridge-document.ts'

const catalogue = readCatalogue(bridgeDocument(), 'http://127.0.0.1:3333')

function tool(name: string) {
  const found = catalogue.tools.get(name)
  if (!found) throw new Error(`There is no ${name}`)
  return found
}
function request(name: string, given: Record<string, unknown>): ApiRequest {
  const { operation, plan, routes } = tool(name)
  return prepareRequest(operation, plan, given, routes)
}
const wrong = (name: string, given: unknown) =>
  violations(tool(name).validate(given)).map(({ path, message }) => `${path} ${message}`)

const id = '0190a1b2-0000-7000-8000-000000000001'

describe('a request', () => {
  it('takes path, query and body from flat arguments', () => {
    const made = request('update_widget', { id_path: 'a b', name_query: 'q&=', name: 'n', note: null })
    expect(made).to.include({ method: 'PATCH', path: '/v1/widgets/a%20b?name=q%26%3D' })
    expect(made.body).to.deep.equal({ mediaType: 'application/json', content: '{"name":"n","note":null}' })
  })

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

  it('spells filters and sorters as the list form in JSON', () => {
    const byField = {
      filters: { status: { eq: 'draft', ne: 'x' }, createdAt: { gt: '2026' } },
      sorters: { name: 'desc' },
    }
    const query = new URLSearchParams(request('publish_widgets', byField).path.split('?')[1])
    expect(JSON.parse(query.get('filters') ?? '')).to.deep.equal([
      { field: 'status', operator: 'eq', value: 'draft' },
      { field: 'status', operator: 'ne', value: 'x' },
      { field: 'createdAt', operator: 'gt', value: '2026' },
    ])
    expect(JSON.parse(query.get('sorters') ?? '')).to.deep.equal([{ field: 'name', order: 'desc' }])
    const group = [{ operator: 'or', value: [{ field: 'status', operator: 'eq', value: 'draft' }] }]
    const asList = new URLSearchParams(request('publish_widgets', { filters: group }).path.split('?')[1])
    expect(JSON.parse(asList.get('filters') ?? '')).to.deep.equal(group)
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
    const document = bridgeDocument()
    const { delete: deletion } = document.paths['/v1/widgets/{id}'] as Record<string, unknown>
    document.paths['/v1/widgets/all'] = {
      delete: { ...(deletion as Record<string, unknown>), 'x-mcp-type': undefined, parameters: [] },
    }
    const found = readCatalogue(document, 'http://127.0.0.1:3333').tools.get('delete_widget')
    if (!found) throw new Error('There is no delete_widget')
    for (const id of ['all', 'ALL'])
      expect(() => prepareRequest(found.operation, found.plan, { id }, found.routes)).to.throw(ArgumentError)
  })
})

describe('wrong arguments', () => {
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
