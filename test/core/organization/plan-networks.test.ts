import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createApiClient, type Answer, type Client } from '../../support/client.ts'
import { createTemporaryFolder, removeFolder } from '../../support/folders.ts'
import { readSigningSettings, startSecondServer, type SecondServer } from '../../support/network/second-server.ts'
import { platform } from '../../support/platform.ts'
import { buildPassport, buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { createSerial, formatVerdict, getBody } from '../dpp/passports/fixtures.ts'
import { createItemRow } from '../imports/engine/job.maker.ts'
import { createEmail, getOperator } from '../identity/people.ts'
import { previewTable } from '../loyalty/assignments/imports.maker.ts'
import { setPlan } from './quotas.fixtures.ts'

const listIssues = ({ body }: Answer) =>
  ((body['errors'] ?? []) as unknown as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)

function expectRefusal(answer: Answer, path = 'network'): void {
  expect(formatVerdict(answer), answer.text).to.equal('422 VALIDATION_FAILED')
  expect(listIssues(answer)).to.deep.equal([`${path} network_not_in_plan`])
}

describe('Plans: the networks that they have', function () {
  this.timeout(120_000)
  let folder: string
  let server: SecondServer
  let shop: Shop
  /** Of a process whose plan `free` has no network on which this installation sends. */
  let api: Client
  before(async () => {
    folder = createTemporaryFolder()
    const file = join(folder, 'plans.json')
    const { plans } = await getOperator()
    writeFileSync(
      file,
      JSON.stringify(plans.map((plan) => (plan.id === 'free' ? { ...plan, networks: ['BaseSepolia'] } : plan))),
    )
    server = await startSecondServer(platform, {
      PLANS_FILE: file,
      ANVIL_RPC_URL: platform.rpc,
      ...readSigningSettings(platform),
    })
    shop = await buildShop()
    api = createApiClient(shop.key, server.api)
  })
  after(async () => {
    server?.kill()
    await server?.ended
    await removeFolder(folder)
  })

  it('are the only ones where an organization begins something; what it has stays', async () => {
    const { application } = shop
    const sheet = await buildSheet(shop)
    await buildPassport(shop, sheet)
    const newSheet = { application, name: 'Bag', passportsFields: [], network: 'EthereumAnvil' }
    const mint = () => api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: createSerial() }])
    expect(formatVerdict(await api.post('/v1/dpp/products', newSheet)), 'every network').to.equal('201')
    await setPlan(shop, 'free')

    expectRefusal(await api.post('/v1/dpp/products', newSheet))
    expectRefusal(await mint())
    expectRefusal(await api.post('/v1/dpp/passports/publish'))
    const row = createItemRow(createSerial())
    expectRefusal(
      await api.post(`/v1/imports?entityName=DppPassport&application=${application}&network=EthereumAnvil`, [row]),
    )
    const gift = { application, email: createEmail('gift'), optimisticBalance: '5' }
    expectRefusal(await api.post('/v1/account-assignments', { ...gift, network: 'EthereumAnvil' }))
    expectRefusal(
      await api.patch(`/v1/applications/${application}`, { defaultNetwork: 'XdcMainnet' }),
      'defaultNetwork',
    )
    expectRefusal(await api.post('/v1/applications', { name: 'Other', defaultNetwork: 'XdcMainnet' }), 'defaultNetwork')
    const other = await api.post('/v1/dpp/products', { ...newSheet, network: 'BaseSepolia' })
    expect(formatVerdict(other)).to.equal('201')
    expectRefusal(await api.patch(`/v1/dpp/products/${other.body.id}`, { network: 'EthereumAnvil' }))
    expect(
      formatVerdict(await api.patch(`/v1/dpp/products/${sheet}`, { network: 'EthereumAnvil', name: 'Box' })),
    ).to.equal('200')

    const text = `email,points,network\n${createEmail('row')},5,EthereumAnvil\n`
    const { preview } = await previewTable({ ...shop, api }, text)
    expect(preview.errors.map((error) => (error as { code?: string }).code)).to.deep.equal(['network_not_in_plan'])
    const names = ['network', 'product.name', 'product.idGranularity', 'product.itemNumber']
    const mapped = await api.post('/v1/imports/table', {
      application,
      text: `${names.join(',')}\nEthereumAnvil,Bag,item,${createSerial()}\n`,
      mapping: names.map((name) => ({ destination: name, kind: 'field', source: name })),
      dryRun: true,
    })
    const { errors } = getBody<{ preview: { errors: { code: string }[] } }>(mapped).preview
    expect(errors.map(({ code }) => code)).to.deep.equal(['network_not_in_plan'])
    await setPlan(shop, 'growth')
    expect(formatVerdict(await mint())).to.equal('202')
  })
})
