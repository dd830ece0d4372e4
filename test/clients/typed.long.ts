import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { generateSource } from 'oazapfts'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { createApiClient } from '../support/client.ts'
import { setZone } from '../support/network/dns.ts'
import { platform } from '../support/platform.ts'
import { bindRestaurant, startPosStage, webhookSecret, type PosStage } from '../support/pos/restaurants.ts'
import { sign } from '../support/pos/signing.ts'
import { readCodeFor, createEmail, createUniqueName } from '../core/identity/people.ts'
import { buildOrganization, buildShop } from '../support/world.ts'
import { createGtin } from '../core/dpp/gs1/gtin-values.ts'
import { createPublishedProduct } from '../core/dpp/gs1/gtins.ts'

const root = join(import.meta.dirname, '../..')
const typed = join(import.meta.dirname, 'typed')

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>
}
interface Calls {
  callAll(stage: object): Promise<void>
}

describe('openapi.json: generated typed clients', function () {
  this.timeout(180_000)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-clients-'))
  let document: Document
  let posStage: PosStage
  before(async () => {
    posStage = await startPosStage()
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    document = (await (await fetch(`${platform.api}/openapi.json`)).json()) as Document
  })
  after(async () => {
    await posStage.stop()
    rmSync(folder, { recursive: true })
  })

  it('type-check in openapi-fetch calls of every operation, by openapi-typescript', async () => {
    const types = astToString(await openapiTypescript(JSON.stringify(document)))
    writeFileSync(join(folder, 'document.d.ts'), types)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'core/tsconfig.json'),
        compilerOptions: {
          incremental: false,
          tsBuildInfoFile: null,
          typeRoots: [join(root, 'node_modules/@types')],
          lib: ['es2024', 'dom', 'dom.iterable'],
          types: ['node'],
          paths: { 'tessera-document': [join(folder, 'document.d.ts')] },
        },
        include: [join(typed, '*.ts')],
        exclude: [],
      }),
    )
    expect(await compile(folder)).to.equal('')
  })

  it('call every operation with openapi-fetch, by openapi-typescript', async () => {
    const { organization, application, owner, key } = await buildOrganization()
    const takenGtin = createGtin()
    await createPublishedProduct(await buildShop(), {
      idGranularity: 'model',
      modelNumber: createUniqueName('model'),
      gtin: takenGtin,
    })
    const { integrationId, restaurantId } = await bindRestaurant(posStage.pos, posStage.api, { application, key })
    const customerId = createUniqueName('customer')
    const { id: paidOrder } = posStage.pos.close({
      id: createUniqueName('order'),
      restaurantId,
      customer: { id: customerId },
      status: 1,
      points: 1,
    })
    const answers = new Map<string, number[]>()
    const { callAll } = (await import(pathToFileURL(join(typed, 'calls.ts')).href)) as Calls
    await callAll({
      baseUrl: platform.api,
      key,
      organization,
      application,
      owner,
      newEmail: createEmail,
      codeFor: readCodeFor,
      newGtin: createGtin,
      takenGtin,
      pos: { baseUrl: posStage.api, integrationId, restaurantId, customerId, paidOrder },
      sign: (body: string) => sign(body, webhookSecret),
      newDomain: () => `${createUniqueName('typed')}.example`,
      publish: ({ name, value }: { name: string; value: string }) => setZone(name, { txt: [value] }),
      recordAnswer: (call: string, status: number) => answers.set(call, [...(answers.get(call) ?? []), status]),
    })
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        operationId,
        call: `${method.toUpperCase()} ${path}`,
      })),
    )
    // No provider of identities is set up here, so a sign-in at one is called and refused.
    const isAnswered = (operation: string, status: number) =>
      status < 300 || (status === 422 && /^sign_in_(google|auth0)_v1$/.test(operation))
    const uncalled = operations.filter(
      ({ call, operationId }) => !answers.get(call)?.some((status) => isAnswered(operationId, status)),
    )
    expect(uncalled.map(({ operationId }) => operationId)).to.deep.equal([])
    expect(operations.length).to.be.greaterThan(75)
  })

  it('filter and sort lists, by oazapfts', async () => {
    const shop = await buildShop()
    for (const name of ['Bag', 'Case', 'Bagpipe']) {
      await shop.api.post('/v1/dpp/products', { application: shop.application, name })
    }
    const file = join(folder, 'generated.ts')
    writeFileSync(file, await generateSource(join(root, 'openapi.json')))
    const generated = (await import(pathToFileURL(file).href)) as {
      listDppProductsV1(given: object, options: object): Promise<{ status: number; data: { data: { name: string }[] } }>
    }
    const { status, data } = await generated.listDppProductsV1(
      { filters: [{ field: 'name', operator: 'contains', value: 'bag' }], sorters: [{ field: 'name', order: 'desc' }] },
      { baseUrl: platform.api, headers: { 'x-api-key': shop.key } },
    )
    expect(status).to.equal(200)
    expect(data.data.map(({ name }) => name)).to.deep.equal(['Bagpipe', 'Bag'])
  })

  it('filters in brackets are taken as before', async () => {
    const shop = await buildShop()
    const { body } = await createApiClient(shop.key).get(
      `/v1/applications?filters[id][eq]=${shop.application}&sorters[0][field]=name`,
    )
    expect(body['total']).to.equal(1)
  })
})

/** What the compiler has to say of a folder. */
function compile(folder: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '-p', folder], (_, out, errors) => resolve(out + errors))
  })
}
