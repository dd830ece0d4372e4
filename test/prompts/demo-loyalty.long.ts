import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import type { Plan } from '../../prompts/demo/plan.ts'
import { connectClient } from '../support/bridge/bridge-client.ts'
import { createApiClient, type Client as Rest } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { createEmail, signInBuyer } from '../core/identity/people.ts'
import { buildOrganization, type Tenant } from '../support/world.ts'
import { Executor, readPlan } from './executor.ts'

/** Counts what a programme of points has, by plain reads. */
async function countProgramme(api: Rest) {
  const count = async (path: string) => Number((await api.get(path)).body['total'])
  return {
    applications: await count('/v1/applications'),
    tiers: await count('/v1/loyalty/reward-tiers'),
    assignments: await count('/v1/account-assignments'),
    orders: await count('/v1/loyalty/orders'),
  }
}

async function readBalances(api: Rest): Promise<string[]> {
  const { body } = await api.get('/v1/accounts?pageSize=100')
  return (body['data'] as unknown as { loyalty: { optimisticBalance: string } }[]).map(
    ({ loyalty }) => loyalty.optimisticBalance,
  )
}

describe('Prompt prepare_demo_environment, scenario loyalty, run without a model', function () {
  this.timeout(180_000)
  let tenant: Tenant
  let api: Rest
  let client: Client
  let plan: Plan
  const args = { scenario: 'loyalty', network: 'EthereumAnvil', runId: 'club-1' }

  before(async () => {
    tenant = await buildOrganization()
    api = createApiClient(tenant.key)
    client = await connectClient(platform.bridge, { 'x-api-key': tenant.key })
    plan = (await readPlan(client, args)).plan
  })
  after(() => client.close())

  it('makes a programme, three tiers and points for twenty customers in an application of its own', async () => {
    const before = await countProgramme(api)
    const first = new Executor(client)
    await first.run(plan.steps)
    for (const check of plan.checks) await first.check(check)
    expect(first.skipped).to.deep.equal([])
    expect(await countProgramme(api)).to.deep.equal({
      applications: before.applications + 1,
      tiers: before.tiers + 3,
      assignments: before.assignments + 20,
      orders: before.orders,
    })
  })

  it('makes nothing new a second time under the same runId', async () => {
    const before = await countProgramme(api)
    const again = new Executor(client)
    await again.run((await readPlan(client, args)).plan.steps)
    for (const check of plan.checks) await again.check(check)
    expect(again.called).to.deep.equal([])
    expect(await countProgramme(api)).to.deep.equal(before)
  })

  it('reports in a dry run that everything is done', async () => {
    const dry = (await readPlan(client, { ...args, dryRun: 'true' })).plan
    expect((await new Executor(client).look(dry.steps)).would).to.deep.equal([])
  })

  it('leaves nothing behind when it is taken away in another conversation', async () => {
    const before = await countProgramme(api)
    const later = new Executor(client)
    await later.gather(plan.steps)
    expect(later.values.size).to.equal(1 + 3 + 20)
    await later.run(plan.teardown)
    expect(later.stays).to.deep.equal([])
    expect(await countProgramme(api)).to.deep.equal({
      applications: before.applications - 1,
      tiers: before.tiers - 3,
      assignments: before.assignments - 20,
      orders: before.orders,
    })
    const again = new Executor(client)
    await again.gather(plan.steps)
    await again.run(plan.teardown)
    expect(again.called).to.deep.equal([])
  })

  it('credits the accounts of an application that is named, once, and takes the points back', async () => {
    const application = tenant.application
    for (const name of ['first', 'second']) await signInBuyer(application, createEmail(name))
    const named = (await readPlan(client, { ...args, applicationId: application })).plan
    const first = new Executor(client)
    await first.run(named.steps)
    for (const check of named.checks) await first.check(check)
    expect(await readBalances(api)).to.deep.equal(['120', '120'])
    const orders = await countProgramme(api)
    const again = new Executor(client)
    await again.run(named.steps)
    expect(again.called).to.deep.equal([])
    expect(await countProgramme(api)).to.deep.equal(orders)
    const later = new Executor(client)
    await later.gather(named.steps)
    await later.run(named.teardown)
    expect(await readBalances(api)).to.deep.equal(['0', '0'])
    for (const { what, read, expect: expected } of named.stays) await later.check({ id: what, read, expect: expected })
    expect(await countProgramme(api)).to.include({ tiers: 0, assignments: 0, orders: orders.orders + 2 })
  })

  it('names a tier that was there before, and makes the others', async () => {
    const { application } = tenant
    const own = { application, name: 'Ours', requiredVisits: 5, currencyToPointRatio: 1 }
    expect((await api.post('/v1/loyalty/reward-tiers', own)).status).to.equal(201)
    const named = (await readPlan(client, { ...args, runId: 'club-2', applicationId: application })).plan
    const run = new Executor(client)
    await run.run(named.steps)
    expect(run.stays).to.deep.equal([
      'Another tier of 5 visits, which was there before: the demo has no Silver of its own.',
    ])
    expect(await countProgramme(api)).to.include({ tiers: 3 })
  })
})
