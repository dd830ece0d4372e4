import { randomInt } from 'node:crypto'
import { expect } from 'chai'
import { getRows } from '../../core/dpp/passports/fixtures.ts'
import { createUniqueName } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import type { CarefulAssistant } from './careful-assistant.ts'
import type { Goal, Scene } from './goal.ts'

const models = 3
const itemsPerModel = 5

/** A model or an item of a shop, by the columns of a table. */
interface Row {
  granularity: 'model' | 'item'
  name: string
  model: string
  serial: string
  origin: string
}

/** Models, each followed by its items, with numbers of this run. */
function createRows(prefix: string): Row[] {
  return ['PT', 'FR', 'IT'].slice(0, models).flatMap((origin, at) => {
    const model = `${prefix}-${at + 1}`
    const shared = { name: `Bag ${randomInt(1_000, 10_000)}`, model, origin }
    const items = Array.from({ length: itemsPerModel }, (_, item): Row => {
      return { granularity: 'item', serial: `${model}-${item + 1}`, ...shared }
    })
    return [{ granularity: 'model' as const, serial: '', ...shared }, ...items]
  })
}

/** Formats rows as a table whose columns need a mapping. */
const formatTable = (rows: readonly Row[]): string =>
  [
    'granularity,name,model,serial,origin',
    ...rows.map(({ granularity, name, model, serial, origin }) => [granularity, name, model, serial, origin].join()),
  ].join('\n')

/** Formats rows as bodies of passports, as the guide explains them: they need no mapping. */
const formatBodies = (rows: readonly Row[]): string =>
  JSON.stringify(
    rows.map(({ granularity, name, model, serial, origin }) => ({
      product: { idGranularity: granularity, name, modelNumber: model, ...(serial && { itemNumber: serial }) },
      data: { origin },
      certifiedPaths: ['origin'],
    })),
  )

const mapping = [
  { destination: 'product.idGranularity', kind: 'field', source: 'granularity', required: true },
  { destination: 'product.name', kind: 'field', source: 'name', required: true },
  { destination: 'product.modelNumber', kind: 'field', source: 'model' },
  { destination: 'product.itemNumber', kind: 'field', source: 'serial' },
  { destination: 'data.origin', kind: 'field', source: 'origin' },
  { destination: 'certifiedPaths[0]', kind: 'constant', value: 'origin' },
]

/** Goal a: a demo shop, certified, with a link for one buyer, and cleaned up. */
export const demoShop: Goal = {
  letter: 'a',
  title: 'a demo shop of 3 models with 5 items each, published and certified, one claim link, cleaned up',
  limits: { calls: 8, tokens: 6_000 },
  async reach(scene) {
    const assistant = await scene.connect()
    const application = await openShop(assistant, scene)
    await clearUp(assistant, scene, application)
  },
}

async function openShop(assistant: CarefulAssistant, { shop, readsGuide }: Scene): Promise<string> {
  const made = await assistant.achieve('create an application', 'create_application', {
    name: createUniqueName('Demo'),
  })
  const application = String(made.body['id'])
  const mine = { 'application.id': { eq: application } }
  const rows = createRows(createUniqueName('M'))
  const imported = await assistant.achieve('import a table of products', 'import_table', {
    application,
    network: 'EthereumAnvil',
    ...(readsGuide ? { format: 'json', text: formatBodies(rows) } : { text: formatTable(rows), mapping }),
  })
  expect(imported.body['completed'], imported.text).to.equal(models * (1 + itemsPerModel))
  const published = await assistant.achieve('publish and certify passports', 'publish_dpp_passports', { filters: mine })
  expect(published.text).to.contain('completed')
  const items = await assistant.achieve('list passports', 'list_dpp_passports', {
    filters: { ...mine, 'product.idGranularity': { eq: 'item' } },
    fields: 'id,status,certificationStatus',
    pageSize: 1,
  })
  expect(items.body['data']?.[0]).to.include({ status: 'published', certificationStatus: 'certified' })
  const link = await assistant.achieve('claim link for a buyer', 'get_dpp_passport_magic_token', {
    id: String(items.body['data']?.[0]?.['id']),
  })
  await assertOpenShop(application, shop.api, String(link.body['url']))
  return application
}

async function assertOpenShop(application: string, api: Scene['shop']['api'], url: string): Promise<void> {
  const stored = getRows(await api.get(`/v1/dpp/passports?filters[application.id][eq]=${application}&pageSize=100`))
  const certified = stored.filter(({ certificationStatus }) => certificationStatus === 'certified')
  expect(certified).to.have.length(models * (1 + itemsPerModel))
  expect(url).to.contain('/claim?token=')
  const { status } = await createApiClient().get(new URL(url).pathname + new URL(url).search, {
    skipsDocumentCheck: true,
    headers: { accept: 'text/html' },
  })
  expect(status).to.equal(200)
}

async function clearUp(assistant: CarefulAssistant, { shop }: Scene, application: string): Promise<void> {
  const mine = { 'application.id': { eq: application } }
  const deleted = await assistant.achieve('delete many passports', 'delete_dpp_passports', { filters: mine })
  expect(deleted.text).to.contain('completed')
  await assistant.achieve('delete an application', 'delete_application', { appId: application })
  expect((await shop.api.get(`/v1/applications/${application}`)).status).to.equal(404)
}
