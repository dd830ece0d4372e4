import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { getBody, waitForJob } from '../passports/fixtures.ts'
import { buildDescribedPassport, buildShop, type Shop } from '../../../support/world.ts'
import { createGtin } from './gtin-values.ts'
import { createFamily, createPublishedProduct } from './gtins.ts'
import { listLinkSetFaults } from './standard.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const unknownSerial = 'This serial number is not registered by the maker'
const unknownBatch = 'This batch number is not registered by the maker'

interface Scan {
  type: string
  unknown?: boolean
}

describe('GS1 Digital Link: unregistered numbers', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const get = (path: string, headers: Record<string, string> = {}) => createApiClient().get(path, { headers })
  const pathOf = (address: unknown) => String(address).slice(platform.api.length)

  /** The page that a browser ends on, and where that is. */
  async function follow(path: string, headers: Record<string, string> = {}) {
    const {
      status,
      headers: { location },
    } = await get(path, { accept: browser, ...headers })
    expect(status, path).to.equal(307)
    return { at: pathOf(location), page: await get(pathOf(location), { accept: browser, ...headers }) }
  }

  const setOf = async (path: string) =>
    (await get(`${path}?linkType=linkset`)).body['linkset'] as unknown as {
      anchor: string
      registered?: boolean
      status?: string
    }[]

  async function scansOf(passport: string): Promise<Scan[]> {
    const events = await shop.api.get(
      `/v1/events?filters[passport.id][eq]=${passport}&filters[type][eq]=scan&pageSize=100`,
    )
    return getBody<{ data: Scan[] }>(events).data
  }

  it('leads to the nearest known level, whose page says so loudly, in English and French', async () => {
    const gtin = createGtin()
    const { model, batch } = await createFamily(shop, gtin)
    for (const [path, id, said, unsaid] of [
      ['/21/X9', model, [unknownSerial, 'the serial number X9'], [unknownBatch]],
      ['/10/B/21/X9', batch, [unknownSerial], [unknownBatch]],
      ['/10/X8', model, [unknownBatch, 'the batch number X8'], [unknownSerial]],
      ['/10/X8/21/X9', model, [unknownBatch, unknownSerial], []],
    ] as const) {
      const { at, page } = await follow(`/01/${gtin}${path}`)
      expect(at, path).to.match(new RegExp(`^/p/${id}\\?`))
      for (const words of said) expect(page.text, path).to.include(words)
      for (const words of unsaid) expect(page.text, path).not.to.include(words)
      expect(page.text.indexOf('role="alert"'), 'stands before all else').to.be.lessThan(page.text.indexOf('<h1>'))
    }
    const { page } = await follow(`/01/${gtin}/21/X9`, { 'accept-language': 'fr' })
    expect(page.text).to.include('Ce numéro de série n’est pas enregistré par le fabricant')
    expect(page.text, 'the other language keeps what was scanned').to.match(/href="\/p\/[\w-]+\?21=X9&amp;lang=en"/)
  })

  it('says nothing of the kind where the numbers are registered, whoever asks for it', async () => {
    const gtin = createGtin()
    const { model, item } = await createFamily(shop, gtin)
    for (const path of ['', '/10/B', '/21/S', '/10/B/21/S']) {
      const { at, page } = await follow(`/01/${gtin}${path}?21=X9&10=X8&1%30=X8&linkType=gs1:pip`)
      expect(at, path).not.to.match(/[?&](21|10|1%30)=/)
      expect(page.text, path).not.to.include('not registered')
    }
    // The page looks the numbers up itself: what was registered meanwhile is known, and no word of a stranger counts.
    expect((await get(`/p/${model}?21=S&10=B`, { accept: browser })).text).not.to.include('not registered')
    for (const query of ['unknown=true', 'registered=false', '21=', '21=%00', '21=a%20b', `21=${'x'.repeat(30)}`])
      expect((await get(`/p/${item}?${query}`, { accept: browser })).text, query).not.to.include('not registered')
    const { at, page } = await follow(`/01/${gtin}/21/X9?21=S&registered=true&21[]=S&a=1`)
    expect(at).to.equal(`/p/${model}?21=X9&registered=true&a=1`)
    expect(page.text).to.include(unknownSerial)
  })

  it('knows a number as soon as it is registered', async () => {
    const gtin = createGtin()
    const { model } = await createFamily(shop, gtin)
    const { at, page } = await follow(`/01/${gtin}/21/LATER`)
    expect(page.text).to.include(unknownSerial)
    const id = await createPublishedProduct(shop, { idGranularity: 'item', modelNumber: gtin, itemNumber: 'LATER' })
    expect((await get(at, { accept: browser })).text).not.to.include(unknownSerial)
    expect((await follow(`/01/${gtin}/21/LATER`)).at).to.equal(`/p/${id}`)
    expect(id).not.to.equal(model)
  })

  it('has registered: false in its link set, which is still one of the standard', async () => {
    const gtin = createGtin()
    await createFamily(shop, gtin)
    for (const [path, registered] of [
      ['/21/X', [false]],
      ['/10/B/21/X', [false, undefined]],
      ['/10/B/21/S', [undefined, undefined, undefined]],
    ] as const) {
      const set = await setOf(`/01/${gtin}${path}`)
      expect(
        set.map((one) => one.registered),
        path,
      ).to.deep.equal(registered)
      expect(listLinkSetFaults({ linkset: set })).to.deep.equal([])
    }
    const shown = await get(`/01/${gtin}/21/X?linkType=linkset`, { accept: browser })
    expect(shown.text).to.include(unknownSerial)
  })

  it('leaves a scan event with unknown: true, once however it is followed; a known number leaves one without', async () => {
    const gtin = createGtin()
    const { model, item } = await createFamily(shop, gtin)
    await follow(`/01/${gtin}/21/X9`)
    await follow(`/01/${gtin}/21/X9`)
    expect((await scansOf(model)).map(({ unknown }) => unknown)).to.deep.equal([true])
    await follow(`/01/${gtin}`)
    expect((await scansOf(model)).map(({ unknown }) => unknown)).to.have.members([true, undefined])
    await follow(`/01/${gtin}/21/S`)
    expect((await scansOf(item)).map(({ unknown }) => unknown)).to.deep.equal([undefined])
    const other = createGtin()
    const { model: another } = await createFamily(shop, other)
    await get(`/01/${other}/21/X9`, { accept: 'application/vc' })
    expect((await scansOf(another)).map(({ unknown }) => unknown)).to.deep.equal([true])
  })
})

describe('GS1 Digital Link: a revoked or suspended batch or model', () => {
  let shop: Shop
  let ids: { model: string; batch: string; item: string }
  const gtin = createGtin()

  before(async () => {
    shop = await buildShop()
    const [modelNumber, own] = [
      randomUUID(),
      { network: 'EthereumAnvil', certifiedPaths: ['town'], data: { town: 'Porto' } },
    ]
    const model = await buildDescribedPassport(shop, { idGranularity: 'model', name: 'Bag', modelNumber, gtin }, own)
    const batch = await buildDescribedPassport(
      shop,
      { idGranularity: 'batch', name: 'Bag', modelNumber, batchNumber: 'B' },
      own,
    )
    const item = await buildDescribedPassport(
      shop,
      { idGranularity: 'item', name: 'Bag', modelNumber, batchNumber: 'B', itemNumber: 'S' },
      own,
    )
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${model.id}`)
    expect((await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)).failed).to.equal(0)
    ids = { model: model.id, batch: batch.id, item: item.id }
  })

  const set = async (id: string, purpose: 'revocation' | 'suspension', value: boolean) => {
    const answer = await shop.api.post(`/v1/dpp/passports/${id}/status`, { purpose, value, reason: 'A test' })
    expect(answer.status, answer.text).to.equal(200)
  }
  const pageOf = async (id: string) => (await createApiClient().get(`/p/${id}`)).text
  const statuses = async () => {
    const { body } = await createApiClient().get(`/01/${gtin}/10/B/21/S?linkType=linkset`)
    expect(listLinkSetFaults(body)).to.deep.equal([])
    return (body['linkset'] as unknown as { status?: string }[]).map(({ status }) => status)
  }
  const codes = async (id: string) =>
    getBody<{ ready: boolean; findings: { code: string; severity: string }[] }>(
      await shop.api.get(`/v1/dpp/passports/${id}/readiness`),
    )
      .findings.map(({ code, severity }) => `${severity} ${code}`)
      .filter((shownText) => /revoked|suspended/.test(shownText))

  it('shows it on its page, in the link set and in its readiness', async () => {
    expect(await pageOf(ids.item)).not.to.include('Its batch is')
    expect(await statuses()).to.deep.equal([undefined, undefined, undefined])
    await set(ids.batch, 'suspension', true)
    expect(await pageOf(ids.item))
      .to.include('Its batch is suspended')
      .and.include(`href="/p/${ids.batch}"`)
    expect(await statuses()).to.deep.equal(['suspended', 'suspended', undefined])
    expect(await codes(ids.item)).to.deep.equal(['error parent_suspended'])
    expect(await codes(ids.batch)).to.deep.equal(['error suspended'])
    await set(ids.batch, 'suspension', false)
    expect(await pageOf(ids.item)).not.to.include('Its batch is')
    expect(await codes(ids.item)).to.deep.equal([])
    await set(ids.model, 'revocation', true)
    expect(await pageOf(ids.item)).to.include('Its model is revoked')
    expect(await pageOf(ids.batch)).to.include('Its model is revoked')
    expect(await statuses()).to.deep.equal(['revoked', 'revoked', 'revoked'])
    expect(await codes(ids.model)).to.deep.equal(['error revoked'])
  })
})
