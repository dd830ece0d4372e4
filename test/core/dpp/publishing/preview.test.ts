import { expect } from 'chai'
import type { MintJob, Passport } from '../../../../core/features/dpp/index.ts'
import type { DryRun } from '../../../../core/kernel/dry-run.ts'
import { createApiClient } from '../../../support/client.ts'
import { rehearse } from '../../../support/dpp/dry-runs.ts'
import {
  buildDescribedPassport,
  buildKey,
  buildModelTree,
  buildPassport,
  buildProductPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { waitForJob, formatVerdict, listFaultPaths, readPassport } from '../passports/fixtures.ts'

const certified = { certifiedPaths: ['serialNumber', 'origin.country'] }
const base = '/v1/dpp/passports'

const reasons = {
  noPaths: 'Their certifiedPaths are empty, so there is nothing to certify',
  noValues: 'None of their certifiedPaths leads to a value, so there is nothing to certify',
  draft: 'They are drafts, which have to be published first',
  archived: 'They are archived',
  unchanged: 'They are certified as they are',
  revoked: 'Their credentials are revoked for good',
  published: 'They are published already',
}
const uncertified = (reason: string) =>
  `Published without being certified: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`

let shop: Shop

/** What a dry run tells, which stores nothing. */
const preview = (path: string): Promise<DryRun> => rehearse(shop, 'post', `${base}/${path}`)

/** What the act matched, and its job once it has ended. */
async function act(path: string): Promise<{ matched: unknown; result: Record<string, unknown> }> {
  const { status, body, text } = await shop.api.post(`${base}/${path}`)
  expect(status, text).to.equal(202)
  const { result } = await waitForJob(shop.api, `/v1/jobs/${body.jobId}`)
  return { matched: body.matched, result: { ...(result as MintJob['result']) } }
}

/** The counts of a dry run, by reason. */
const countReasons = ({ skipped }: DryRun) => Object.fromEntries(skipped.map(({ reason, count }) => [reason, count]))
const archive = async ({ id }: Passport) =>
  expect((await shop.api.patch(`${base}/${id}`, { status: 'archived' })).status).to.equal(200)
const revoke = async (id: string) => {
  const change = { purpose: 'revocation', value: true, reason: 'Counterfeit' }
  expect((await shop.api.post(`${base}/${id}/status`, change)).status).to.equal(200)
}

beforeEach(async () => void (shop = await buildShop()))

describe('POST /v1/dpp/passports/publish?dryRun=true', () => {
  it('tells what publishing then does, with the batches and items of models', async () => {
    const sheet = await buildSheet(shop, certified)
    const { model, batch, item } = await buildModelTree(shop)
    const one = await buildPassport(shop, sheet, { reference: 'one' })
    const bare = await buildPassport(shop, await buildSheet(shop, { name: 'Bare bag' }), { reference: 'bare' })
    const waiting = await buildProductPassport(
      shop,
      { name: 'Waiting', itemNumber: 'W-1' },
      { certifiedPaths: ['color'] },
    )
    await buildPublishedPassport(shop, sheet, { reference: 'out' })
    await archive(await buildPassport(shop, sheet, { reference: 'gone' }))
    const query = `filters[application.id][eq]=${shop.application}`
    const found = await preview(`publish?dryRun=true&${query}`)
    expect(found).to.deep.include({ matched: 8, willChange: 6 })
    expect(countReasons(found)).to.deep.equal({
      [uncertified(reasons.noPaths)]: 4,
      [uncertified(reasons.noValues)]: 1,
      [reasons.published]: 1,
      [reasons.archived]: 1,
    })
    expect(found.warnings).to.deep.equal([])
    expect(new Set(found.samples.map(({ id }) => id))).to.deep.equal(
      new Set([model, batch, item, one, bare, waiting].map(({ id }) => id)),
    )
    const names = new Map(found.samples.map(({ id, name }) => [id, name]))
    expect([names.get(one.id), names.get(bare.id)]).to.deep.equal(['Bag, one', 'Bare bag, bare'])
    expect(names.get(waiting.id)).to.equal('Waiting, W-1')
    const { matched, result } = await act(`publish?${query}`)
    expect(matched).to.equal(found.matched)
    expect(result).to.deep.equal({
      published: found.willChange,
      skipped: 2,
      certified: 1,
      unchanged: 0,
      nothingToCertify: 5,
      failed: 0,
    })
  })

  it('warns where publishing would certify nothing', async () => {
    const sheet = await buildSheet(shop)
    for (let at = 0; at < 12; at++) await buildPassport(shop, sheet, { reference: `set-${at}` })
    const found = await preview('publish?dryRun=true')
    expect(found).to.deep.include({ matched: 12, willChange: 12 })
    expect(found.samples.map(({ name }) => name)).to.deep.equal(Array.from({ length: 10 }, (_, at) => `Bag, set-${at}`))
    expect(found.warnings).to.deep.equal([
      '0 of 12 would be certified: their certifiedPaths are empty, so there is nothing to certify.',
    ])
    const plain = await preview('publish?dryRun=true&skipCertification=true')
    expect(plain).to.deep.include({ matched: 12, willChange: 12, skipped: [], warnings: [] })
    expect((await act('publish')).result).to.deep.include({ published: 12, certified: 0, nothingToCertify: 12 })
  })

  it('takes the page that is asked for, and nothing where nothing matches', async () => {
    expect(await preview('publish?dryRun=true')).to.deep.equal({
      matched: 0,
      willChange: 0,
      samples: [],
      skipped: [],
      warnings: [],
    })
    const sheet = await buildSheet(shop, certified)
    for (let at = 0; at < 5; at++) await buildPassport(shop, sheet, { reference: `set-${at}` })
    const page = 'currentPage=2&pageSize=2&sorters[0][field]=createdAt&sorters[0][order]=asc'
    const found = await preview(`publish?dryRun=true&${page}`)
    expect(found.samples.map(({ name }) => name)).to.deep.equal(['Bag, set-2', 'Bag, set-3'])
    const { matched, result } = await act(`publish?${page}`)
    expect([matched, result['published'], result['certified']]).to.deep.equal([2, 2, 2])
    for (const { id } of found.samples) expect((await readPassport(shop.api, id)).status).to.equal('published')
  })

  it('is refused like the act', async () => {
    const sheet = await buildSheet(shop, { ...certified, network: 'BaseSepolia' })
    const { id } = await buildPassport(shop, sheet)
    const query = `publish?dryRun=true&filters[id][eq]=${id}`
    const refused = await shop.api.post(`${base}/${query}`)
    expect([formatVerdict(refused), listFaultPaths(refused)]).to.deep.equal(['422 VALIDATION_FAILED', ['network']])
    expect(await preview(`${query}&skipCertification=true`)).to.include({ matched: 1, willChange: 1 })
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read', 'create'] })).key)
    expect(formatVerdict(await reader.post(`${base}/${query}`))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await shop.api.post(`${base}/publish?dryRun=true`, { filters: [] }))).to.equal(
      '422 VALIDATION_FAILED',
    )
    const other = await buildShop()
    const found = await other.api.post(`${base}/${query}&skipCertification=true`)
    expect([found.status, found.body['matched']]).to.deep.equal([200, 0])
  })

  it('is not kept under an idempotency key, which then begins with the act', async () => {
    await buildPassport(shop, await buildSheet(shop))
    const headers = { 'idempotency-key': `dry-${shop.organization}` }
    for (let times = 0; times < 2; times++) {
      const found = await shop.api.post(`${base}/publish?dryRun=true`, undefined, { headers })
      expect([found.status, found.headers['idempotency-replayed'], found.body['matched']]).to.deep.equal([
        200,
        undefined,
        1,
      ])
    }
    const done = await shop.api.post(`${base}/publish`, undefined, { headers })
    expect(done.status, done.text).to.equal(202)
  })
})

describe('POST /v1/dpp/passports/certify?dryRun=true', () => {
  it('tells what certifying then does, and why the rest stays as it is', async () => {
    const sheet = await buildSheet(shop, certified)
    const make = (reference: string, more: object = {}) => buildPassport(shop, sheet, { reference, ...more })
    const [same, bad] = [await make('same'), await make('bad')]
    await act('publish')
    await revoke(bad.id)
    expect((await shop.api.patch(`${base}/${bad.id}`, { fields: { origin: { country: 'FR' } } })).status).to.equal(200)
    await waitForJob(shop.api, `/v1/jobs/${(await readPassport(shop.api, bad.id)).certifyJob?.id}`)
    await make('fresh')
    await make('hosted', { certificateUri: 'https://certificates.example/one' })
    const bare = await buildPassport(shop, await buildSheet(shop), { reference: 'bare' })
    const waiting = await buildProductPassport(shop, {}, { certifiedPaths: ['color'], reference: 'waiting' })
    expect((await act('publish?skipCertification=true')).result['published']).to.equal(4)
    await make('draft')
    await archive(await make('gone'))
    const all = `filters[application.id][eq]=${shop.application}`
    const found = await preview(`certify?dryRun=true&${all}`)
    expect(found).to.deep.include({ matched: 8, willChange: 2 })
    expect(countReasons(found)).to.deep.equal({
      [reasons.unchanged]: 1,
      [reasons.revoked]: 1,
      [reasons.noPaths]: 1,
      [reasons.noValues]: 1,
      [reasons.draft]: 1,
      [reasons.archived]: 1,
    })
    expect(found.samples.map(({ name }) => name)).to.deep.equal(['Bag, fresh', 'Bag, hosted'])
    expect(found.warnings).to.deep.equal([
      'For 1 of these you host the certificate yourself: only the hash of what it certifies is anchored.',
    ])
    const { matched, result } = await act(`certify?${all}`)
    expect(matched).to.equal(found.matched)
    expect(result).to.deep.equal({
      certified: found.willChange,
      unchanged: 1,
      nothingToCertify: 2,
      skipped: 2,
      failed: 1,
    })
    for (const { id } of [same, bare, waiting]) expect((await readPassport(shop.api, id)).status).to.equal('published')
  })

  it('says that it would certify nothing, and why', async () => {
    const sheet = await buildSheet(shop)
    await buildPublishedPassport(shop, sheet, { reference: 'one' })
    await buildPublishedPassport(shop, sheet, { reference: 'two' })
    const found = await preview('certify?dryRun=true')
    expect(found).to.deep.include({ matched: 2, willChange: 0, skipped: [{ reason: reasons.noPaths, count: 2 }] })
    expect(found.samples.map(({ name }) => name)).to.deep.equal(['Bag, one', 'Bag, two'])
    expect(found.warnings).to.deep.equal([
      '0 of 2 would be certified: their certifiedPaths are empty, so there is nothing to certify.',
    ])
    expect((await act('certify')).result).to.deep.include({ certified: 0, nothingToCertify: 2 })
  })

  it('takes the batches and items of models along', async () => {
    const { model, modelNumber } = await buildModelTree(shop)
    const described = {
      idGranularity: 'item',
      name: 'Seal',
      itemNumber: 'S-1',
      modelNumber,
    }
    await buildDescribedPassport(shop, described, { data: { color: 'red' }, certifiedPaths: ['color'] })
    await act('publish?skipCertification=true')
    const found = await preview(`certify?dryRun=true&filters[id][eq]=${model.id}`)
    expect(found).to.deep.include({ matched: 4, willChange: 1 })
    expect(found.samples.map(({ name }) => name)).to.deep.equal(['Seal, S-1'])
    const { matched, result } = await act(`certify?filters[id][eq]=${model.id}`)
    expect([matched, result['certified'], result['nothingToCertify']]).to.deep.equal([4, 1, 3])
  })

  it('is refused like the act', async () => {
    const sheet = await buildSheet(shop, { ...certified, network: 'BaseSepolia' })
    const { id } = await buildPublishedPassport(shop, sheet)
    const query = `certify?dryRun=true&filters[id][eq]=${id}`
    const refused = await shop.api.post(`${base}/${query}`)
    expect([formatVerdict(refused), listFaultPaths(refused)]).to.deep.equal(['422 VALIDATION_FAILED', ['network']])
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read', 'create'] })).key)
    expect(formatVerdict(await reader.post(`${base}/${query}`))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    const found = await (await buildShop()).api.post(`${base}/${query}`)
    expect([found.status, found.body['matched']]).to.deep.equal([200, 0])
  })
})
