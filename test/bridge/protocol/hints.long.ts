import { readFileSync } from 'node:fs'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { ReadResourceResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'chai'
import { request } from 'undici'
import { ensureCertificationKey } from '../../../core/features/certification/index.ts'
import { getOperator } from '../../core/identity/people.ts'
import { buildOrganization } from '../../support/world.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import {
  callConfirmedTool,
  callMcpTool,
  connectClient,
  readResourceText,
  getResultText,
} from '../../support/bridge/bridge-client.ts'
import { findChangedTables, computeChecksums, type ChecksumExclusions } from '../../support/values/checksum.ts'
import { listPlainOperations, createPlainRequest } from '../../support/bridge/openapi-client.ts'
import { platform } from '../../support/platform.ts'
import { createStage, type Stage } from './hints.ts'

const operations = listPlainOperations(
  JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as Record<string, unknown>,
)

/** When and from where a key was used last is noted of every request, whatever it does. */
const keyUse = { 'api_keys.last_request': null, 'api_keys.last_address': null }

/** What is written beside every request: its line in the log, the counts of what has happened, and blocks of units. */
const besides = [
  'request_log',
  'metric_days',
  'metric_folds',
  'metric_organizations',
  'meter_blocks',
  'meter_periods',
  'meter_uses',
]

const nothing: ChecksumExclusions = { tables: besides, columns: keyUse }

/** Each asynchronous call is a job of its own, each check counts, and what is looked at again is known to be of that instant. */
const records: ChecksumExclusions = {
  tables: [...besides, 'jobs', 'loyalty_tier_reviews', 'domain_checks'],
  columns: {
    ...keyUse,
    'did_web_domains.updated_at': null,
    'did_web_domains.checked_at': null,
    'did_web_domains.last_check': `last_check - 'checkedAt'`,
    'did_web_domains.missing_since': null,
    'application_domains.updated_at': null,
    'application_domains.checked_at': null,
    'application_domains.next_check_at': null,
  },
}

/** A call and what is done until it has ended. */
interface Call {
  readonly name: string
  readonly work: () => Promise<unknown>
}

/** An organization that an agent of its own works for. */
interface Played extends Stage {
  readonly agent: Client
  readonly tools: readonly Tool[]
}

describe('tools/list: annotations (readOnlyHint, destructiveHint, idempotentHint)', function () {
  this.timeout(120_000)
  const agents: Client[] = []
  let first: Played
  before(async () => {
    first = await play()
  })
  after(async () => {
    for (const agent of agents) await agent.close()
  })

  async function play(): Promise<Played> {
    const stage = await createStage()
    const agent = await connectClient(`${platform.bridge}?read=tools`, { 'x-api-key': stage.shop.key })
    agents.push(agent)
    return { ...stage, agent, tools: (await agent.listTools()).tools }
  }

  const state = async (unseen: ChecksumExclusions, naming?: string) =>
    computeChecksums((await getOperator()).db, unseen, naming)

  /** What each call changes, by tables; where all together change nothing that is not asked. */
  async function changes(unseen: ChecksumExclusions, calls: readonly Call[], together: boolean): Promise<string[]> {
    const found: string[] = []
    let before = await state(unseen)
    for (const [at, { name, work }] of calls.entries()) {
      await work()
      if (together && at < calls.length - 1) continue
      const after = await state(unseen)
      const tables = findChangedTables(before, after)
      if (tables.length > 0) found.push(`${together ? 'something' : name} changes ${tables.join(', ')}`)
      before = after
    }
    return found
  }

  /** Once more with things that are as new as the first ones were: what others do meanwhile does not come again. */
  async function changedEachTime(
    unseen: ChecksumExclusions,
    callsOf: (on: Played) => Promise<Call[]>,
  ): Promise<string[]> {
    let found = await changes(unseen, await callsOf(first), true)
    for (let attempt = 0; found.length > 0 && attempt < 2; attempt++) {
      found = await changes(unseen, await callsOf(await play()), false)
    }
    return found
  }

  it('changes no row of the database with readOnlyHint', async () => {
    const found = await changedEachTime(nothing, async ({ agent, tools, reads }) => {
      const names = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name)
      expect(names).to.include.members(Object.keys(reads))
      return names.map((name) => ({
        name,
        work: async () => {
          const result = await callMcpTool(agent, name, reads[name] ?? {})
          expect(result.isError, `${name}: ${getResultText(result)}`).to.equal(undefined)
        },
      }))
    })
    expect(found).to.deep.equal([])
  })

  it('creates nothing that an organization lacks with readOnlyHint', async () => {
    const { key, organization } = await buildOrganization()
    // Made with every organization; one that is older than keys are gets its first one at the first look.
    await ensureCertificationKey(await getOperator(), organization)
    const stranger = await connectClient(`${platform.bridge}?read=tools&readonly=true`, { 'x-api-key': key })
    const { tools: reading } = await stranger.listTools()
    expect(reading).to.have.length.above(25)
    const before = await state(nothing, organization)
    for (const { name } of reading) await callMcpTool(stranger, name, first.reads[name] ?? {})
    expect(findChangedTables(before, await state(nothing, organization))).to.deep.equal([])
    await stranger.close()
  })

  it('leaves the same after a second call with idempotentHint', async () => {
    const found = await changedEachTime(records, async ({ agent, tools, again, shop }) => {
      const names = tools.filter(({ annotations }) => annotations?.idempotentHint && !annotations.readOnlyHint)
      expect(names.map(({ name }) => name)).to.have.members(Object.keys(again))
      const done = async (name: string) => {
        const result = await callConfirmedTool(agent, name, again[name] ?? {})
        const jobId = result.structuredContent?.['jobId']
        if (typeof jobId === 'string') await waitForJob(shop.api, `/v1/jobs/${jobId}`)
        return result
      }
      for (const name of Object.keys(again)) {
        const result = await done(name)
        expect(result.isError, `${name}: ${getResultText(result)}`).to.equal(undefined)
      }
      return Object.keys(again).map((name) => ({ name, work: () => done(name) }))
    })
    expect(found).to.deep.equal([])
  })

  it('finds the same with filters and sorters by field, as a list and in an address', async () => {
    const byField = {
      status: { eq: 'published' },
      'application.id': { eq: first.shop.application },
      certifyJob: { null: true },
    }
    const asList = [
      { field: 'status', operator: 'eq', value: 'published' },
      { operator: 'and', value: [{ field: 'application.id', operator: 'eq', value: first.shop.application }] },
      { field: 'certifyJob', operator: 'null' },
    ]
    const ids = (body: unknown) => (body as { data: { id: string }[] }).data.map(({ id }) => id)
    const found = async (filters: unknown, sorters: unknown) => {
      const { structuredContent, ...result } = await callMcpTool(first.agent, 'list_dpp_passports', {
        filters,
        sorters,
      })
      expect(structuredContent, getResultText(result)).to.be.an('object')
      return ids(structuredContent)
    }
    const rest = await first.shop.api.get(
      `/v1/dpp/passports?filters[status][eq]=published&filters[application.id][eq]=${first.shop.application}`
        + '&filters[certifyJob][null]&sorters[0][field]=createdAt&sorters[0][order]=asc',
    )
    expect(ids(rest.body)).to.have.length.above(1)
    expect(await found(byField, { createdAt: 'asc' })).to.deep.equal(ids(rest.body))
    expect(await found(asList, [{ field: 'createdAt', order: 'asc' }])).to.deep.equal(ids(rest.body))
    expect(await found(byField, { createdAt: 'desc' })).to.deep.equal(ids(rest.body).reverse())
    const address = `${platform.api}/v1/dpp/passports?sorters=${encodeURIComponent('{"createdAt":"asc"}')}`
    const { text } = await readResourceText(
      first.agent,
      `${address}&filters=${encodeURIComponent(JSON.stringify(byField))}`,
    )
    expect(ids(JSON.parse(text))).to.deep.equal(ids(rest.body))
  })

  for (const operation of operations.filter(({ exposedAs }) => exposedAs === 'resource')) {
    it(`reads the resource ${operation.name} as REST answers it, byte for byte`, async () => {
      const { target } = createPlainRequest(operation, first.reads[operation.name] ?? {})
      const headers = { 'x-api-key': first.shop.key, accept: '*/*' }
      const rest = await request(platform.api + target, { headers })
      const body = Buffer.from(await rest.body.arrayBuffer())
      expect(rest.statusCode, body.toString()).to.equal(200)
      const { contents } = (await first.agent.readResource({ uri: platform.api + target })) as ReadResourceResult
      const [read] = contents
      expect(contents).to.have.length(1)
      expect(read?.mimeType).to.equal(rest.headers['content-type'])
      const bytes = read && 'text' in read ? Buffer.from(read.text) : Buffer.from(read?.blob ?? '', 'base64')
      // The time of an answer is that of each call.
      const timeless = (answer: Buffer) => answer.toString('latin1').replace(/"asOf":"[^"]+"/, '')
      expect(timeless(bytes), `${bytes.toString()} is not ${body.toString()}`).to.equal(timeless(body))
    })
  }
})
