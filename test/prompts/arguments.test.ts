import { readFileSync } from 'node:fs'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import { connectClient, catchError } from '../support/bridge/bridge-client.ts'
import { startTestBridge, FixtureApi, type TestBridge } from '../support/bridge/bridge-fixture.ts'
import { readPlan } from './executor.ts'

interface Operation {
  'x-mcp-name'?: string
  'x-mcp-type'?: string
}
interface Document {
  paths: Record<string, Record<string, Operation>>
}

const document = () => JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as Document

/** The document without some of its operations for assistants. */
function without(...names: string[]): Document {
  const smaller = document()
  for (const operation of Object.values(smaller.paths).flatMap((methods) => Object.values(methods))) {
    if (names.includes(operation['x-mcp-name'] ?? '')) delete operation['x-mcp-type']
  }
  return smaller
}

/** A client of a bridge that loaded this document. The API behind it answers nothing else. */
async function offering(offered: unknown) {
  const api = new FixtureApi()
  api.document = offered
  await api.start()
  const bridge: TestBridge = await startTestBridge(api.url)
  await bridge.ready
  const client = await connectClient(bridge.url)
  const close = async () => {
    await client.close()
    await bridge.stop()
    await api.stop()
  }
  return { api, client, close }
}

describe('prompts: arguments of every prompt', () => {
  let setting: Awaited<ReturnType<typeof offering>>
  let client: Client
  before(async () => {
    setting = await offering(document())
    client = setting.client
  })
  after(() => setting.close())

  const refused = (args: Record<string, string>) =>
    catchError(client.getPrompt({ name: 'prepare_demo_environment', arguments: args }))

  it('are listed with their arguments', async () => {
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).to.deep.equal(['prepare_demo_environment'])
    expect(prompts[0]?.arguments?.filter(({ required }) => required).map(({ name }) => name)).to.deep.equal([
      'scenario',
    ])
    expect(prompts[0]?.arguments?.map(({ name }) => name)).to.have.members([
      'applicationId',
      'scenario',
      'size',
      'network',
      'runId',
      'dryRun',
    ])
    expect((await catchError(client.listPrompts({ cursor: 'x' }))).code).to.equal(-32602)
  })

  it('refuse a name that there is not', async () => {
    expect((await catchError(client.getPrompt({ name: 'nothing' }))).code).to.equal(-32602)
  })

  for (const [argument, value, words] of [
    ['scenario', 'party', 'passport, loyalty, invest, full'],
    ['size', '0', 'from 1 to 25'],
    ['size', '26', 'from 1 to 25'],
    ['size', '2.5', 'from 1 to 25'],
    ['size', 'many', 'from 1 to 25'],
    ['network', 'BaseMainnet', 'EthereumAnvil, BaseSepolia'],
    ['network', 'baseSepolia', 'EthereumAnvil, BaseSepolia'],
    ['runId', 'Fair 1', 'small letters'],
    ['runId', '-a', 'small letters'],
    ['runId', 'a'.repeat(33), 'small letters'],
    ['runId', '${x}', 'small letters'],
    ['applicationId', 'my shop', 'lookup_application_id'],
    ['dryRun', 'yes', 'true, false'],
    ['colour', 'red', 'is not an argument'],
  ] as const) {
    it(`refuse ${argument} ${JSON.stringify(value)} by the argument's name`, async () => {
      const { code, message, data } = await refused({ scenario: 'passport', [argument]: value })
      expect(code).to.equal(-32602)
      expect(message).to.contain(`${argument} `).and.to.contain(words)
      expect(data).to.deep.equal({ argument })
    })
  }

  it('refuse a call without the scenario', async () => {
    expect(await refused({}))
      .to.include({ code: -32602 })
      .and.to.have.property('message')
      .that.contains('scenario is missing')
  })

  it('ask nothing of the API, and choose a test network and a new runId by themselves', async () => {
    const plans = await Promise.all([1, 2].map(async () => (await readPlan(client, { scenario: 'passport' })).plan))
    expect(setting.api.recordedRequests).to.deep.equal([])
    expect(plans[0]?.runId)
      .to.match(/^[0-9a-f]{8}$/)
      .and.not.to.equal(plans[1]?.runId)
    expect(JSON.stringify(plans[0])).to.contain('"network":"EthereumAnvil"').and.not.to.contain('Mainnet')
  })

  it('plan only calls that the listed tools take, and reads that the listed resources answer', async () => {
    const { tools } = await client.listTools()
    const names = new Set(tools.map(({ name }) => name))
    const { plan } = await readPlan(client, { scenario: 'full', size: '25' })
    const calls = [...plan.steps, ...plan.teardown].flatMap((step) =>
      'tool' in step ? [step, ...Object.values(step.refused ?? {})] : [],
    )
    expect(calls.flatMap(({ tool }) => tool ?? []).filter((name) => !names.has(name))).to.deep.equal([])
    const keys = (name: string) => Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {})
    for (const { tool, arguments: args } of calls) expect(keys(tool ?? '')).to.include.members(Object.keys(args ?? {}))
    expect(plan.teardown).to.have.length(25 + 1 + 25 + 1 + 1 + 20 + 3)
  })

  it('hold no call in a dry run', async () => {
    const { plan, text } = await readPlan(client, { scenario: 'passport', dryRun: 'true' })
    expect([...plan.steps, ...plan.teardown].filter((step) => 'tool' in step)).to.deep.equal([])
    expect(text).to.contain('This is a dry run')
  })
})

describe('prompts: a scenario with operations that the API does not offer', () => {
  let whole: Awaited<ReturnType<typeof offering>>
  before(async () => {
    whole = await offering(document())
  })
  after(() => whole.close())

  it('is planned not at all, and the operations are named', async () => {
    const { plan, text } = await readPlan(whole.client, { scenario: 'invest' })
    expect([plan.steps, plan.checks, plan.teardown, plan.stays]).to.deep.equal([[], [], [], []])
    expect(plan.unplanned.map((one) => one.scenario)).to.deep.equal(['invest'])
    expect(plan.unplanned[0]?.missing).to.include('create_invest_fund')
    expect(text).to.match(/The scenario invest cannot be prepared: the API does not offer .*create_invest_fund/)
    expect(text).to.contain('nothing to do')
  })

  it('does not keep the others of full from being planned', async () => {
    const { plan } = await readPlan(whole.client, { scenario: 'full', runId: 'one' })
    const passport = await readPlan(whole.client, { scenario: 'passport', runId: 'one' })
    const loyalty = await readPlan(whole.client, { scenario: 'loyalty', runId: 'one' })
    const ids = (one: typeof passport) => one.plan.steps.map(({ id }) => id)
    expect(plan.steps.map(({ id }) => id)).to.deep.equal([...new Set([...ids(passport), ...ids(loyalty)])])
    expect(plan.unplanned.map(({ scenario }) => scenario)).to.deep.equal(['invest'])
  })

  it('names what a smaller document lacks, each operation that the passport plan uses', async () => {
    for (const name of ['mint_dpp_product', 'create_application', 'get_job', 'list_dpp_passports']) {
      const { client, close } = await offering(without(name))
      const { plan } = await readPlan(client, { scenario: 'passport' })
      expect(plan.unplanned, name).to.deep.equal([{ scenario: 'passport', missing: [name] }])
      expect(plan.steps).to.deep.equal([])
      await close()
    }
  })

  it('needs nothing to make an application where one is named', async () => {
    const { client, close } = await offering(without('create_application', 'delete_application'))
    const { plan } = await readPlan(client, {
      scenario: 'passport',
      applicationId: '01a1f9e3-0777-7510-9c71-5c5742ed06e8',
    })
    expect(plan.unplanned).to.deep.equal([])
    expect(plan.steps).not.to.deep.equal([])
    await close()
  })

  it('says so where the API offers them all and there is no plan yet', async () => {
    const [missing] = (await readPlan(whole.client, { scenario: 'invest' })).plan.unplanned
    const larger = document()
    const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
    for (const name of missing?.missing ?? []) {
      const get = { 'x-mcp-type': 'resource', 'x-mcp-name': name, 'x-mcp-hints': hints, responses: {} }
      larger.paths[`/v1/later/${name}`] = { get }
    }
    const { client, close } = await offering(larger)
    const { plan, text } = await readPlan(client, { scenario: 'invest' })
    expect(plan.unplanned).to.deep.equal([{ scenario: 'invest', missing: [] }])
    expect(plan.steps).to.deep.equal([])
    expect(text).to.contain('The scenario invest cannot be prepared: there is no plan for it yet.')
    await close()
  })

  it('has no tool that finds applications where the API does not list them', async () => {
    const { client, close } = await offering(without('list_applications'))
    expect((await client.listTools()).tools.map(({ name }) => name)).not.to.include('lookup_application_id')
    expect((await readPlan(client, { scenario: 'passport' })).plan.unplanned[0]?.missing).to.deep.equal([
      'lookup_application_id',
      'list_applications',
    ])
    await close()
  })
})
