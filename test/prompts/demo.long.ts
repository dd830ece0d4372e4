import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import type { Plan } from '../../prompts/demo/plan.ts'
import { connectClient } from '../support/bridge/bridge-client.ts'
import { createApiClient as rest, type Client as Rest } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { signInBuyer } from '../core/identity/people.ts'
import { buildOrganization, type Tenant } from '../support/world.ts'
import { Executor, readPlan } from './executor.ts'

const size = 3

/** What a tenant has, by plain reads: how many applications, sheets, passports and tokens. */
async function counts(api: Rest) {
  const total = async (path: string) => Number((await api.get(path)).body['total'])
  const stats = (await api.get('/v1/dpp/products/stats')).body
  return {
    applications: await total('/v1/applications'),
    sheets: await total('/v1/dpp/products'),
    passports: await total('/v1/dpp/passports'),
    tokens: Number(stats['minted']),
  }
}

interface Row {
  id: string
  name?: string
  status: string
  token?: unknown
  reference?: string | null
}

async function rowsOf(api: Rest, path: string): Promise<Row[]> {
  return (await api.get(`${path}?pageSize=100`)).body['data'] as unknown as Row[]
}

async function claim(link: string, application: string): Promise<void> {
  const buyer = rest({ bearer: String((await signInBuyer(application)).body['token']) })
  const magicToken = new URL(link).searchParams.get('token')
  const begun = await buyer.post('/v1/dpp/claim/magicToken', { magicToken })
  expect(begun.status, begun.text).to.equal(202)
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const { body } = await buyer.get(String(begun.headers['location']))
    if (body['status'] !== 'pending') return expect(body['status']).to.equal('completed') as unknown as void
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The claim did not end')
}

const messageOf = (cause: unknown) => (cause as Error).message

describe('Prompt prepare_demo_environment, run without a model', function () {
  this.timeout(120_000)
  let tenant: Tenant
  let api: Rest
  let client: Client
  let plan: Plan
  let first: Executor
  const args = { scenario: 'passport', size: String(size), network: 'EthereumAnvil', runId: 'fair-1' }

  before(async () => {
    tenant = await buildOrganization()
    api = rest(tenant.key)
    client = await connectClient(platform.bridge, { 'x-api-key': tenant.key })
    plan = (await readPlan(client, args)).plan
  })
  after(() => client.close())

  it('only reads in a dry run', async () => {
    const before = await counts(api)
    const dry = (await readPlan(client, { ...args, dryRun: 'true' })).plan
    const { done, would } = await new Executor(client).look(dry.steps)
    expect(done).to.deep.equal([])
    expect(would).to.deep.equal(plan.steps.filter((step) => 'tool' in step).map(({ id }) => id))
    expect(await counts(api)).to.deep.equal(before)
  })

  it('makes what it says, and passes its own checks', async () => {
    const before = await counts(api)
    first = new Executor(client)
    await first.run(plan.steps)
    for (const check of plan.checks) await first.check(check)
    expect(first.skipped).to.deep.equal([])
    expect(await counts(api)).to.deep.equal({
      applications: before.applications + 1,
      sheets: 2,
      passports: 2 * size,
      tokens: size,
    })
    const passports = await rowsOf(api, '/v1/dpp/passports')
    expect(passports.map(({ status }) => status)).to.deep.equal(passports.map(() => 'published'))
    expect(passports.flatMap(({ reference }) => reference ?? []).sort()).to.deep.equal([
      'demo-fair-1-001',
      'demo-fair-1-002',
      'demo-fair-1-003',
    ])
    expect(first.values.get('claimLink')).to.contain('/claim?token=')
  })

  it('makes nothing new a second time under the same runId', async () => {
    const before = [await counts(api), await rowsOf(api, '/v1/dpp/passports'), await rowsOf(api, '/v1/dpp/products')]
    const again = new Executor(client)
    const fresh = (await readPlan(client, args)).plan
    expect(fresh).to.deep.equal(plan)
    await again.run(fresh.steps)
    for (const check of fresh.checks) await again.check(check)
    expect(again.called).to.deep.equal(['get_dpp_passport_magic_token'])
    expect(again.values.get('claimLink')).to.equal(first.values.get('claimLink'))
    expect([
      await counts(api),
      await rowsOf(api, '/v1/dpp/passports'),
      await rowsOf(api, '/v1/dpp/products'),
    ]).to.deep.equal(before)
  })

  it('reports in a dry run what is already done', async () => {
    const dry = (await readPlan(client, { ...args, dryRun: 'true' })).plan
    expect((await new Executor(client).look(dry.steps)).would).to.deep.equal(['claim link'])
  })

  it('creates another demo for another runId', async () => {
    const before = await counts(api)
    const other = (await readPlan(client, { ...args, runId: 'fair-1-b', size: '1' })).plan
    await new Executor(client).run(other.steps)
    expect((await counts(api)).applications).to.equal(before.applications + 1)
  })

  it('is taken away in another conversation, and what stays is exactly what the plan names', async () => {
    await claim(String(first.values.get('claimLink')), String(first.values.get('application')))
    const later = new Executor(client)
    await later.gather((await readPlan(client, args)).plan.steps)
    expect(later.values.size).to.equal(1 + 2 + 2 * size)
    await later.run(plan.teardown)
    for (const { what, read, expect: expected } of plan.stays) await later.check({ id: what, read, expect: expected })
    expect(later.stays).to.have.members([
      'The batch sheet, ARCHIVED: it has passports.',
      'Passport 001, archived: its token is on chain, in the account of who claimed it, which stays too.',
      'The single sheet, ARCHIVED: it has passports.',
      'The application "Demo (fair-1)": it has passports.',
    ])
    const ofRun = (row: Row) => row.name?.includes('(fair-1)')
    expect((await rowsOf(api, '/v1/applications')).filter(ofRun)).to.have.length(1)
    const sheets = (await rowsOf(api, '/v1/dpp/products')).filter(ofRun)
    expect(sheets.map(({ status }) => status)).to.deep.equal(['ARCHIVED', 'ARCHIVED'])
    const filters = encodeURIComponent(
      JSON.stringify([{ field: 'application.id', operator: 'eq', value: first.values.get('application') }]),
    )
    const left = (await api.get(`/v1/dpp/passports?filters=${filters}`)).body['data'] as unknown as Row[]
    expect(left).to.have.length(size + 1)
    for (const { status, token } of left)
      expect({ status, minted: token !== null }).to.deep.equal({ status: 'archived', minted: true })
  })

  it('is taken away a second time without doing anything but trying again', async () => {
    const before = [await counts(api), await rowsOf(api, '/v1/dpp/passports')]
    const again = new Executor(client)
    await again.gather(plan.steps)
    await again.run(plan.teardown)
    expect([await counts(api), await rowsOf(api, '/v1/dpp/passports')]).to.deep.equal(before)
  })

  it('stops before it would fill again what was taken away', async () => {
    const before = await counts(api)
    const failure = await new Executor(client).run((await readPlan(client, args)).plan.steps).catch(messageOf)
    expect(failure).to.match(/^not torn down before does not match/)
    expect(await counts(api)).to.deep.equal(before)
  })

  it('goes on where a run was broken off, in an application that is named, and leaves that as it was', async () => {
    const application = async () => (await api.get(`/v1/applications/${tenant.application}`)).body
    const { dppSettings: _, ...before } = await application()
    const named = (await readPlan(client, { ...args, size: '1', applicationId: tenant.application })).plan
    const sheets = (await counts(api)).sheets
    await new Executor(client).run(named.steps.slice(0, 5))
    const run = new Executor(client)
    await run.run(named.steps)
    expect(run.called).to.include('mint_dpp_product').and.not.to.include('create_dpp_passport')
    expect((await counts(api)).sheets).to.equal(sheets + 2)
    await run.run(named.teardown)
    expect(run.called).not.to.include.members(['create_application']).and.not.to.include.members(['delete_application'])
    for (const { what, read, expect: expected } of named.stays) await run.check({ id: what, read, expect: expected })
    const { dppSettings, ...after } = await application()
    expect(after).to.deep.equal(before)
    expect(named.stays.map(({ what }) => what).join()).to.contain(
      'The token contract of the application on EthereumAnvil',
    )
    expect(dppSettings).to.have.nested.property('tokens[0].network', 'EthereumAnvil')
  })

  it('does nothing in an application of another organization', async () => {
    const other = await buildOrganization()
    const before = await counts(rest(other.key))
    const foreign = (await readPlan(client, { ...args, applicationId: other.application })).plan
    const failure = await new Executor(client).run(foreign.steps).catch(messageOf)
    expect(failure).to.match(/^application does not match/)
    expect(await counts(rest(other.key))).to.deep.equal(before)
  })
})
