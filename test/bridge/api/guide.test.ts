import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { createGuide } from '../../../core/app/guide.ts'
import { catchError, connectClient, readResourceText } from '../../support/bridge/bridge-client.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'
import { parseResult, sendModernRequest } from '../../support/bridge/modern-client.ts'
import { platform } from '../../support/platform.ts'
import { createUntpItem } from '../../support/values/untp.ts'

const guide = 'tessera://guide'
/** Matches what may be a name of a tool or resource; arguments have no such first word. */
const namePattern =
  /`((?:list|get|create|update|delete|publish|certify|mint|validate|verify|set|revoke|rotate|suggest|preview|import|run)_[a-z_]+)`/g

describe('resources/read of tessera://guide', () => {
  let client: Client
  before(async () => {
    client = await connectClient(platform.bridge, { 'x-api-key': platform.apiKey })
  })
  after(() => client.close())

  it('is the first resource, in Markdown, and takes at most 1,500 tokens', async () => {
    const { resources } = await client.listResources()
    expect(resources[0]).to.include({ uri: guide, mimeType: 'text/markdown' })
    const { mimeType, text } = await readResourceText(client, guide)
    expect(mimeType).to.equal('text/markdown')
    expect(countTokens(text)).to.be.within(500, 1500)
  })

  it('names both flows, and no operation that the bridge does not offer', async () => {
    const { text } = await readResourceText(client, guide)
    for (const word of [
      'Sheet flow',
      'Product flow',
      'certifiedPaths',
      'cannot be undone',
      'again',
      'dryRun',
      'fields=',
    ])
      expect(text).to.contain(word)
    const { tools } = await client.listTools()
    const { resources } = await client.listResources()
    const { resourceTemplates } = await client.listResourceTemplates()
    const offered = new Set([...tools, ...resources, ...resourceTemplates].map(({ name }) => name))
    const named = [...text.matchAll(namePattern)].map(([, name]) => String(name))
    expect(named).to.include.members(['mint_dpp_product', 'publish_dpp_passports', 'create_import'])
    expect(named.filter((name) => !offered.has(name))).to.deep.equal([])
  })

  it('is named by the instructions of each view', async () => {
    for (const query of ['', '?view=search', '?toolsets=dpp&readonly=true']) {
      const session = await connectClient(platform.bridge + query)
      expect(session.getInstructions(), query).to.contain(`Read the resource ${guide} first`)
      await session.close()
    }
  })

  it('leaves out a line that names an operation that the document lacks', () => {
    const names = new Set(['create_import', 'suggest_import_mapping', 'preview_import_mapper', 'create_import_mapper'])
    const text = createGuide(names)
    expect(text).to.contain('`create_import`').and.not.to.contain('import_table')
    expect(text).not.to.match(/Sheet flow|\{[a-z_]+\}/)
    expect(createGuide(new Set([...names, 'import_table']))).to.contain('`import_table` with `application` and `text`')
    expect(
      countTokens(createGuide(new Set([...text.matchAll(namePattern)].map(([, name]) => String(name))))),
    ).to.be.below(1500)
  })

  it('is read in the modern era, and every cache may share it', async () => {
    const answer = parseResult(await sendModernRequest(platform.bridge, 'resources/read', { uri: guide }))
    expect(answer).to.deep.include({ cacheScope: 'public' })
    expect(answer).to.have.nested.property('contents[0].text').that.contains('# Guide')
  })
})

describe('resources/read of tessera://schemas/<name>', () => {
  it('is the UNTP product as a schema that needs nothing else', async () => {
    const client = await connectClient(platform.bridge)
    const { resources } = await client.listResources()
    const listed = resources.filter(({ uri }) => uri.startsWith('tessera://schemas/'))
    expect(listed.map(({ uri }) => uri)).to.include('tessera://schemas/untp-product')
    for (const { uri } of listed) {
      const { mimeType, text } = await readResourceText(client, uri)
      expect(mimeType).to.equal('application/schema+json')
      expect(text).not.to.contain('#/components')
    }
    const { text } = await readResourceText(client, 'tessera://schemas/untp-product')
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(text) as object)
    expect(validate(createUntpItem('I-1')), JSON.stringify(validate.errors)).to.equal(true)
    expect(validate({ ...createUntpItem('I-1'), idGranularity: 'box' })).to.equal(false)
    expect(validate({ name: 'Bag', idGranularity: 'model', modelNumber: 'M' })).to.equal(false)
    await client.close()
  })
})

describe("the bridge's own resources of another document", () => {
  const { api, bridge } = useFixtureBridge()
  const document: Record<string, unknown> & ReturnType<typeof createBridgeDocument> = createBridgeDocument()
  document['x-mcp-server'] = { guide: 'Widgets\u202e first.' }
  const marked = { ...document.components.schemas['Part'], 'x-mcp-resource': 'part' }
  document.components.schemas['Part'] = marked
  document.components.schemas['Widget'] = { ...document.components.schemas['Widget'], 'x-mcp-resource': 'widget' }
  api.document = document
  const plain = useFixtureBridge()

  it('are its own guide, with visible characters, and its marked schemas', async () => {
    const client = await connectClient(bridge.url)
    const { resources } = await client.listResources()
    const uris = [guide, 'tessera://schemas/part', 'tessera://schemas/widget']
    expect(resources.slice(0, 3).map(({ uri }) => uri)).to.deep.equal(uris)
    expect((await readResourceText(client, guide)).text).to.equal('Widgets[U+202E] first.')
    expect((await readResourceText(client, `${guide}#bytes=0-6`)).text).to.equal('Widgets')
    const { text } = await readResourceText(client, 'tessera://schemas/widget')
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(text) as object)
    expect(validate({ id: 'w', name: 'x', part: { name: 'p', parts: [{ name: 'q' }] } })).to.equal(true)
    expect(validate({ id: 'w', name: 'x', part: { name: 'p', parts: [{}] } })).to.equal(false)
    expect((await readResourceText(client, 'tessera://schemas/Size')).text).to.contain('"unit"')
    expect((await catchError(client.readResource({ uri: 'tessera://schemas/none' }))).code).to.equal(-32002)
    expect(api.recordedRequests.filter(({ url }) => url !== '/openapi.json')).to.deep.equal([])
    await client.close()
  })

  it('are none where the document has none', async () => {
    const client = await connectClient(plain.bridge.url)
    const { resources } = await client.listResources()
    expect(JSON.stringify(resources)).not.to.contain('tessera:')
    expect(client.getInstructions()).not.to.contain('tessera:')
    expect((await catchError(client.readResource({ uri: guide }))).code).to.equal(-32002)
    await client.close()
  })
})
