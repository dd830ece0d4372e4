import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import type { OpenAPIV3_1 } from 'openapi-types'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { createGtin } from '../core/dpp/gs1/gtin-values.ts'
import { createPublishedProduct } from '../core/dpp/gs1/gtins.ts'
import { readCodeFor, createEmail, createUniqueName, listMessagesTo } from '../core/identity/people.ts'
import { keepFigures } from '../figures/keep-figures.ts'
import { createApiClient } from '../support/client.ts'
import { setZone } from '../support/network/dns.ts'
import { platform } from '../support/platform.ts'
import { bindRestaurant, startPosStage, webhookSecret, type PosStage } from '../support/pos/restaurants.ts'
import { sign } from '../support/pos/signing.ts'
import { buildOrganization, buildShop } from '../support/world.ts'
import { writeOazapftsClient } from './oazapfts.ts'

const root = join(import.meta.dirname, '../..')
const typed = join(import.meta.dirname, 'typed')
/** Imports a file whose types the test writes itself, which is why no other type check reads it. */
const importTyped = async <T>(...path: string[]) => (await import(pathToFileURL(join(...path)).href)) as T

type Calls = Record<'callAll' | 'callWithEveryBody', (stage: object) => Promise<void>>
interface ClientModule {
  createTypedClient(target: object, headers: Record<string, string>): object
}
/** How often each operation was answered, by method and path, and with which statuses. */
type Answers = Map<string, number[]>
interface ClientFigures {
  client: string
  operations: number
  called: number
  calls: number
  mistakesRefused: number
}

describe('openapi.json: generated typed clients', function () {
  this.timeout(300_000)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-clients-'))
  const figures: ClientFigures[] = []
  const mistakesRefused = new Map<string, number>()
  let document: OpenAPIV3_1.Document
  let posStage: PosStage
  before(async () => {
    posStage = await startPosStage()
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    document = (await (await fetch(`${platform.api}/openapi.json`)).json()) as OpenAPIV3_1.Document
    writeFileSync(join(folder, 'document.d.ts'), astToString(await openapiTypescript(JSON.stringify(document))))
    await writeOazapftsClient(document, folder)
  })
  after(async () => {
    await posStage.stop()
    rmSync(folder, { recursive: true })
  })

  it('type-check in openapi-fetch calls of every operation, by openapi-typescript', async () => {
    await assertTypes('openapi-fetch', { 'tessera-document': 'document.d.ts' })
  })

  it('type-check in calls of every operation, by oazapfts', async () => {
    // The function of its runtime that writes a body answers `body?: string | undefined`, and the one that sends it takes
    // `body?: string`: with this flag its own two types do not fit each other. All other flags are ours.
    const looser = { exactOptionalPropertyTypes: false }
    await assertTypes('oazapfts', { 'tessera-operations': 'operations.ts' }, looser)
  })

  it('call every operation with openapi-fetch, by openapi-typescript', async () => {
    const { answers, stage } = await callAll('openapi-fetch', {})
    assertAllAnswered('openapi-fetch', answers)
    await (await importTyped<Calls>(typed, 'openapi-fetch/bodies.ts')).callWithEveryBody(stage)
  })

  it('call every operation with the functions of oazapfts', async () => {
    const { answers } = await callAll('oazapfts', await importTyped<object>(folder, 'operations.ts'))
    assertAllAnswered('oazapfts', answers)
  })

  it('call the same operations, and leave their figures', () => {
    expect(figures.map(({ client }) => client)).to.deep.equal(['openapi-fetch', 'oazapfts'])
    const [first, second] = figures
    expect(second).to.deep.equal({ ...first, client: 'oazapfts' })
    keepFigures('clients/typed-clients', {
      command: 'npm run test:long -- test/clients/typed.long.ts',
      clients: figures,
    })
  })

  it('filter and sort lists, by oazapfts', async () => {
    const shop = await buildShop()
    for (const name of ['Bag', 'Case', 'Bagpipe']) {
      await shop.api.post('/v1/dpp/products', { application: shop.application, name })
    }
    const generated = await importTyped<{
      listDppProductsV1(given: object, options: object): Promise<{ status: number; data: { data: { name: string }[] } }>
    }>(folder, 'generated.ts')
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

  /** Asserts that the types of a client refuse each of the mistakes that are made on purpose, and nothing else. */
  async function assertTypes(...given: Parameters<typeof typeCheck>): Promise<void> {
    const output = await typeCheck(...given)
    const lines = readFileSync(join(typed, 'mistakes.ts'), 'utf8').split('\n')
    const made = lines.flatMap((line, at) => (/^  ;?\(?await /.test(line) ? [`${at + 1}`] : []))
    const faults = output.split('\n').filter((line) => /^\S/.test(line))
    const found = faults.map((line) => /typed\/mistakes\.ts\((\d+),/.exec(line)?.[1] ?? line)
    expect([...new Set(found)]).to.deep.equal(made)
    mistakesRefused.set(given[0], made.length)
  }

  /** Returns what the compiler has to say of the calls with one client. @param files that the test wrote, by name */
  function typeCheck(client: string, files: Record<string, string>, looser = {}): Promise<string> {
    const project = join(folder, client)
    mkdirSync(project)
    const paths = Object.entries(files).map(([name, file]) => [name, [join(folder, file)]])
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'core/tsconfig.json'),
        compilerOptions: {
          incremental: false,
          tsBuildInfoFile: null,
          typeRoots: [join(root, 'node_modules/@types')],
          lib: ['es2024', 'dom', 'dom.iterable'],
          types: ['node'],
          paths: { ...Object.fromEntries(paths), 'tessera-client': [join(typed, client, 'client.ts')] },
          ...looser,
        },
        include: [join(typed, '*.ts'), join(typed, client, '*.ts')],
        exclude: [],
      }),
    )
    return compile(project)
  }

  /** Calls every operation with one client. @param generated what its functions are, if it has some */
  async function callAll(client: string, generated: object): Promise<{ answers: Answers; stage: object }> {
    const answers: Answers = new Map()
    const recordAnswer = (call: string, status: number) => answers.set(call, [...(answers.get(call) ?? []), status])
    const { createTypedClient } = await importTyped<ClientModule>(typed, client, 'client.ts')
    const stage = await buildStage((headers, baseUrl = platform.api) =>
      createTypedClient({ baseUrl, recordAnswer, ...generated }, headers),
    )
    await (await importTyped<Calls>(typed, 'calls.ts')).callAll(stage)
    return { answers, stage }
  }

  /** An organization, and all that `test/clients/typed/stage.ts` says a caller has to know. */
  async function buildStage(createClient: (headers: Record<string, string>, baseUrl?: string) => object) {
    const { organization, application, owner, key } = await buildOrganization()
    const takenGtin = createGtin()
    const modelNumber = createUniqueName('model')
    await createPublishedProduct(await buildShop(), { idGranularity: 'model', modelNumber, gtin: takenGtin })
    const { integrationId, restaurantId } = await bindRestaurant(posStage.pos, posStage.api, { application, key })
    const customerId = createUniqueName('customer')
    const { id: paidOrder } = posStage.pos.close({
      id: createUniqueName('order'),
      restaurantId,
      customer: { id: customerId },
      status: 1,
      points: 1,
    })
    return {
      createClient,
      key,
      organization,
      application,
      owner,
      newEmail: createEmail,
      codeFor: readCodeFor,
      offerTokenFor: readOfferToken,
      newGtin: createGtin,
      takenGtin,
      pos: { baseUrl: posStage.api, integrationId, restaurantId, customerId, paidOrder },
      sign: (body: string) => sign(body, webhookSecret),
      newDomain: () => `${createUniqueName('typed')}.example`,
      publish: ({ name, value }: { name: string; value: string }) => setZone(name, { txt: [value] }),
    }
  }

  /** Asserts that a client was answered by every operation of the document, and counts them. */
  function assertAllAnswered(client: string, answers: Answers): void {
    const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
      Object.entries(methods ?? {}).map(([method, operation]) => ({
        operationId: (operation as OpenAPIV3_1.OperationObject).operationId ?? '',
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
    expect(operations.length).to.be.greaterThan(140)
    figures.push({
      client,
      operations: operations.length,
      called: operations.length - uncalled.length,
      calls: [...answers.values()].flat().length,
      mistakesRefused: mistakesRefused.get(client) ?? 0,
    })
  }
})

/** The token in the link of the offer that was sent to an address last. */
async function readOfferToken(address: string): Promise<string> {
  const offers = (await listMessagesTo(address)).filter(({ text }) => text.includes('/transfer?token='))
  return /\/transfer\?token=([\w-]+)/.exec(offers[0]?.text ?? '')?.[1] ?? ''
}

/** What the compiler has to say of a folder. */
function compile(folder: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '-p', folder], (_, out, errors) => resolve(out + errors))
  })
}
