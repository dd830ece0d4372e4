import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import { connectClient } from '../../support/bridge/bridge-client.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { sendReply, useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'
import { connectModernClient } from '../../support/bridge/modern-client.ts'
import { platform } from '../../support/platform.ts'
import { buildProductPassport, buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { createMapper } from '../../core/imports/intake/intake.maker.ts'

const passports = () => `${platform.api}/v1/dpp/passports/{id}{?fields}`

/** The part of both reference clients that completes arguments. */
type Completer = Pick<Client, 'complete' | 'close'>

describe('completion/complete: ids in resource templates', () => {
  let shop: Shop
  let client: Client
  let clients: Completer[]

  before(async () => {
    shop = await buildShop()
    const headers = { 'x-api-key': shop.key }
    client = await connectClient(platform.bridge, headers)
    clients = [client, (await connectModernClient(platform.bridge, headers)) as unknown as Completer]
  })
  after(async () => {
    for (const one of clients) await one.close()
  })

  const complete = async (uri: string, value: string, name = 'id', by: Completer = client) =>
    (await by.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion
  const buildItem = async (itemNumber: string, name: string, reference: string) =>
    (await buildProductPassport(shop, { name, itemNumber }, { reference })).id

  it('finds a passport by its id, then by reference, number and name', async () => {
    const named = await buildItem('N-1', 'Kettle R-77', 'other-1')
    const containing = await buildItem('N-2', 'Pan', 'x-R-77-y')
    const numbered = await buildItem('R-77', 'Pot', 'other-2')
    const referenced = await buildItem('N-3', 'Lid', `R-77-of-${named}`)
    for (const by of clients) {
      const found = await complete(passports(), 'R-77', 'id', by)
      expect(found).to.deep.include({ total: 4, hasMore: false })
      expect(found.values[0]).to.equal(numbered)
      expect(new Set(found.values.slice(1, 3))).to.deep.equal(new Set([containing, referenced]))
      expect(found.values[3]).to.equal(named)
      const exact = await complete(`${platform.api}/v1/dpp/passports/{id}/readiness`, named.toUpperCase(), 'id', by)
      expect(exact).to.deep.include({ values: [named, referenced], total: 2, hasMore: false })
    }
  })

  it('finds at most 20 passports of all, with the total', async () => {
    for (let number = 0; number < 22; number++) await buildItem(`M-${number}`, 'Many', `many-${number}`)
    const { values, total, hasMore } = await complete(passports(), 'MANY')
    expect([new Set(values).size, total, hasMore]).to.deep.equal([20, 22, true])
    const all = await complete(passports(), '')
    expect([all.values.length, all.hasMore]).to.deep.equal([20, true])
  })

  it('finds sheets and mappers by their names', async () => {
    const sheet = await buildSheet(shop, { name: 'Enamel sheet' })
    const mapper = await createMapper(shop, { name: 'Supplier file' })
    expect((await complete(`${platform.api}/v1/dpp/products/{id}{?version}`, 'enamel')).values).to.deep.equal([sheet])
    expect((await complete(`${platform.api}/v1/import/mappers/{id}`, 'SUPPLIER')).values).to.deep.equal([mapper])
    expect((await complete(`${platform.api}/v1/import/mappers/{id}`, mapper)).values).to.deep.equal([mapper])
  })

  it("finds nothing of another organization's", async () => {
    const stranger = await buildShop()
    const theirs = await connectClient(platform.bridge, { 'x-api-key': stranger.key })
    const id = await buildItem('S-1', 'Secret saucer', 'secret-1')
    expect((await complete(passports(), 'saucer')).values).to.deep.equal([id])
    for (const value of ['saucer', id, ''])
      expect(await complete(passports(), value, 'id', theirs)).to.deep.equal({ values: [], total: 0, hasMore: false })
    await theirs.close()
  })

  it('completes an argument with a fixed list of values', async () => {
    const { resourceTemplates } = await client.listResourceTemplates()
    const codes = resourceTemplates.find(({ name }) => name === 'get_dpp_passport_qr_code')?.uriTemplate ?? ''
    expect((await complete(codes, 's', 'format')).values).to.deep.equal(['svg'])
    const prompt = { type: 'ref/prompt', name: 'prepare_demo_environment' } as const
    const { completion } = await client.complete({ ref: prompt, argument: { name: 'scenario', value: 'pa' } })
    expect(completion.values).to.deep.equal(['passport'])
  })
})

describe('completion/complete: ids below a thing that the client has chosen', () => {
  const { api, bridge } = useFixtureBridge()
  const document = createBridgeDocument()
  const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
  const createParameter = (name: string, place = 'path') => ({
    name,
    in: place,
    required: place === 'path',
    schema: { type: 'string' },
  })
  const createRead = (name: string, parameters: string[], more: object = {}) => ({
    get: {
      operationId: `${name}_v1`,
      summary: name,
      parameters: [...parameters.map((one) => createParameter(one)), createParameter('pageSize', 'query')],
      'x-mcp-type': 'resource',
      'x-mcp-name': name,
      'x-mcp-hints': hints,
      responses: { 200: { description: 'It.', content: { 'application/json': { schema: { type: 'object' } } } } },
      ...more,
    },
  })
  const search = { id: ['eq'], label: ['contains'] }
  document.paths['/v1/boxes/{box}/parts'] = createRead('list_parts', ['box'], { 'x-mcp-search': search })
  document.paths['/v1/boxes/{box}/parts/{id}'] = createRead('get_part', ['box', 'id'])
  api.document = document

  it('asks the list of that thing, in two requests, and nothing without it', async () => {
    const client = await connectClient(bridge.url)
    const { resourceTemplates } = await client.listResourceTemplates()
    const uri = resourceTemplates.find(({ name }) => name === 'get_part')?.uriTemplate ?? ''
    api.setHandler('GET /v1/boxes/b%2F1/parts', (_, response) => sendReply(response, 200, { data: [], total: 0 }))
    const request = { ref: { type: 'ref/resource', uri }, argument: { name: 'id', value: 'x' } } as const
    expect((await client.complete(request)).completion.values).to.deep.equal([])
    expect(api.recordedRequests).to.deep.equal([])
    await client.complete({ ...request, context: { arguments: { box: 'b/1' } } })
    const filters = api.recordedRequests.map(({ url }) => new URL(url, api.url).searchParams.get('filters'))
    expect(filters.sort()).to.deep.equal([
      '[{"field":"id","operator":"eq","value":"x"}]',
      '[{"field":"label","operator":"contains","value":"x"}]',
    ])
    await client.close()
  })
})
