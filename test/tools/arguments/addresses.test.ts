import { expect } from 'chai'
import fc from 'fast-check'
import { AddressError } from '../../../tools/arguments/address.ts'
import { readCatalogue } from '../../../tools/catalogue/catalogue.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'

const api = 'http://127.0.0.1:3333'
const { resources } = readCatalogue(createBridgeDocument(), api)

function matched(rest: string): { name: string; path: string } {
  const match = resources.matchAddress(api + rest)
  if (match.is !== 'operation') throw new Error('It is a schema')
  return { name: match.operation.name, path: match.request.path }
}

describe('tools/addresses: addresses of resources', () => {
  it('are listed without parameters, or as templates of RFC 6570', () => {
    expect(resources.statics.map(({ uri }) => uri)).to.have.members([`${api}/v1/widgets`, `${api}/v1/widgets/stats`])
    expect(resources.templates.map(({ uriTemplate }) => uriTemplate)).to.include.members([
      `${api}/v1/widgets/{id}`,
      `${api}/v1/widgets/{id}/image{?format}`,
    ])
    expect(resources.statics.find(({ name }) => name === 'list_widgets')?.description).to.contain(
      '{?currentPage,pageSize,filters,sorters}',
    )
  })

  it('let a literal segment win over a parameter', () => {
    expect(matched('/v1/widgets/stats')).to.deep.equal({ name: 'get_widgets_stats', path: '/v1/widgets/stats' })
    expect(matched('/v1/widgets/%73tats').name).to.equal('get_widgets_stats')
    expect(matched('/v1/widgets/stats/stats')).to.deep.equal({
      name: 'get_widget_stats',
      path: '/v1/widgets/stats/stats',
    })
    expect(matched('/v1/widgets/x')).to.deep.equal({ name: 'get_widget', path: '/v1/widgets/x' })
  })

  it('take any subset of the query in any order, on static ones too', () => {
    const filters = encodeURIComponent('{"status":{"eq":"draft"}}')
    const { path } = matched(
      `/v1/widgets?sorters=${encodeURIComponent('[{"field":"name"}]')}&filters=${filters}&currentPage=2`,
    )
    const query = new URLSearchParams(path.split('?')[1])
    expect([...query]).to.deep.equal([
      ['sorters', '[{"field":"name"}]'],
      ['filters[status][eq]', 'draft'],
      ['currentPage', '2'],
    ])
    expect(matched('/v1/widgets?').path).to.equal('/v1/widgets')
    expect(matched('/v1/widgets?filters[status][eq]=draft').path).to.equal(
      '/v1/widgets?filters%5Bstatus%5D%5Beq%5D=draft',
    )
    expect(matched('/v1/widgets?filters=not+json').path).to.equal('/v1/widgets?filters=not%20json')
  })

  for (const rest of [
    '/v1/widgets/..',
    '/v1/widgets/%2e%2e/secret',
    '/v1/widgets/../llm',
    '/v1/widgets/%2E',
    '/v1/widgets//',
    '/v1/widgets/',
    '/v1/widgets/a%00b',
    '/v1/widgets/%',
    '/v1/widgets/%ff',
    '/v1/widgets/secret',
    '/v1/jobs/1/sse',
    '/v1/llm/chat',
    '/v1/nothing',
    '/v1/widgets?colour=red',
    '/v1/widgets?a=%',
    '/v1/widgets/x?currentPage=1',
    '/v1/widgets#rows',
    '/v1/widgets#bytes=5-4',
    '',
  ]) {
    it(`do not lead to anything at ${JSON.stringify(rest)}`, () => {
      expect(() => resources.matchAddress(api + rest)).to.throw(AddressError)
    })
  }

  it('are refused for another origin', () => {
    for (const uri of [
      'http://127.0.0.1:33331/v1/widgets',
      'http://127.0.0.1:3333.example.org/v1/widgets',
      'http://u@127.0.0.1:3333/v1/widgets',
      'file:///v1/widgets',
      '',
    ]) {
      expect(() => resources.matchAddress(uri), uri).to.throw(AddressError)
    }
  })

  it('keep an encoded slash inside its segment', () => {
    expect(matched('/v1/widgets/a%2Fstats')).to.deep.equal({ name: 'get_widget', path: '/v1/widgets/a%2Fstats' })
    expect(matched('/v1/widgets/%252e%252e').path).to.equal('/v1/widgets/%252e%252e')
  })

  it('carry any text as an id, unless it cannot be one segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        fc.pre(
          text.isWellFormed()
            && !/^\.{1,2}$|[\u0000-\u001f\u007f]/.test(text)
            && !['stats', 'secret', 'publish'].includes(text.toLowerCase()),
        )
        expect(matched(`/v1/widgets/${encodeURIComponent(text)}/log`).path).to.equal(
          `/v1/widgets/${encodeURIComponent(text)}/log`,
        )
      }),
    )
  })

  it('name a part of the body by a range', () => {
    const match = resources.matchAddress(`${api}/v1/widgets/x/log#bytes=10-19`)
    expect(match).to.deep.include({ byteRange: { from: 10, to: 20 } })
    expect(resources.matchAddress(`${api}/v1/widgets/x/log#bytes=10-`)).to.deep.include({
      byteRange: { from: 10, to: Infinity },
    })
  })
})
