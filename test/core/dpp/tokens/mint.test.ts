import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { MintJob } from '../../../../core/features/dpp/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { countMintedPassports } from '../../../support/rows/dpp/passports.ts'
import { getOperator } from '../../identity/people.ts'
import { buildKey, buildPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { listTransfers } from '../passports/chain.ts'
import {
  getBody,
  waitForJob,
  listEventTypes,
  listFaultPaths,
  listOwners,
  readPassport,
  formatVerdict,
} from '../passports/fixtures.ts'

describe('POST /v1/dpp/products/{id}/mint', () => {
  let shop: Shop
  let sheet: string

  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
  })

  const rows = (number: number) =>
    Array.from({ length: number }, (_, at) => ({ serialNumber: `M-${at}`, color: 'red' }))
  const mint = (body: unknown, product = sheet, by = shop.api) => by.post(`/v1/dpp/products/${product}/mint`, body)
  const statusOf = (job: unknown, query = '') => `/v1/dpp/products/${sheet}/mint/${job}/status${query}`

  async function accepted(body: unknown): Promise<string> {
    const { status, body: answer, headers, text } = await mint(body)
    expect(status, text).to.equal(202)
    expect(headers['location']).to.equal(`/v1/jobs/${answer.jobId}`)
    return String(answer.jobId)
  }

  it('creates published passports and mints each token once to the issuer', async () => {
    const job = await accepted(rows(700))
    const done = await waitForJob(shop.api, statusOf(job, '?pageSize=1000'))
    expect(done).to.deep.include({
      id: job,
      type: 'mint',
      status: 'completed',
      total: 700,
      completed: 700,
      failed: 0,
      errors: [],
    })
    const { results } = done
    expect(results.map(({ line }) => line)).to.deep.equal(Array.from({ length: 700 }, (_, at) => at))
    expect(new Set(results.map(({ tokenId }) => tokenId)).size).to.equal(700)

    const passport = await readPassport(shop.api, results[699]?.passport)
    expect(passport).to.deep.include({
      status: 'published',
      product: sheet,
      fields: { serialNumber: 'M-699', color: 'red' },
      mintedTo: null,
    })
    expect(passport.tokenId).to.equal(results[699]?.tokenId)
    expect(passport.token?.transactionHash).to.equal(results[699]?.transactionHash)
    expect(await listEventTypes(shop, String(passport.id))).to.deep.equal(['create', 'publish'])

    const onChain = await listTransfers(String(passport.token?.contract))
    expect(onChain.size).to.equal(700)
    for (const { tokenId, transactionHash } of results) {
      expect(onChain.get(String(tokenId))).to.deep.equal([
        { from: `0x${'0'.repeat(40)}`, to: String(passport.token?.owner).toLowerCase(), transactionHash },
      ])
    }
    const owners = await listOwners(passport.id)
    expect(owners).to.have.length(1)
    expect(owners[0]).to.include({
      type: 'mint',
      from: null,
      to: passport.token?.owner,
      transactionHash: passport.token?.transactionHash,
    })
    expect(formatVerdict(await shop.api.delete(`/v1/dpp/passports/${passport.id}`))).to.equal(
      '409 DPP_PASSPORT_ALREADY_MINTED',
    )
  })

  it('shows its rows page by page', async () => {
    const job = await accepted(rows(250))
    const lines = async (query: string) =>
      getBody<MintJob>(await shop.api.get(statusOf(job, query))).results.map(({ line }) => line)
    const span = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)
    expect(await lines('')).to.deep.equal(span(0, 100))
    expect(await lines('?currentPage=3')).to.deep.equal(span(200, 250))
    expect(await lines('?currentPage=2&pageSize=200')).to.deep.equal(span(200, 250))
    expect(await lines('?currentPage=9')).to.deep.equal([])
    for (const query of ['?pageSize=1001', '?pageSize=0', '?currentPage=0']) {
      expect(formatVerdict(await shop.api.get(statusOf(job, query)))).to.equal('400 INVALID_PAGINATION')
    }
    await waitForJob(shop.api, statusOf(job))
  })

  it('streams the same JSON until the job has ended', async () => {
    const job = await accepted(rows(3))
    const { text, headers } = await shop.api.get(`${statusOf(job)}/sse`, { headers: { accept: 'text/event-stream' } })
    expect(headers['content-type']).to.include('text/event-stream')
    const seen = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(String(data)) as MintJob)
    expect(seen.at(-1)).to.deep.equal((await shop.api.get(statusOf(job))).body)
    expect(seen.at(-1)?.status).to.equal('completed')
    expect(
      formatVerdict(await shop.api.get(`${statusOf(job)}/sse`, { headers: { accept: 'application/json' } })),
    ).to.equal('406 NOT_ACCEPTABLE')
  })

  it('creates nothing when one row is wrong, and names up to 100 faults', async () => {
    const before = (await shop.api.get('/v1/dpp/passports')).body.total
    const batch: Record<string, unknown>[] = rows(5)
    batch[1] = { color: 'green', serialNumber: 'x' }
    batch[3] = { origin: { year: 'x' }, more: 1 }
    const refused = await mint(batch)
    expect(formatVerdict(refused)).to.equal('422 VALIDATION_FAILED')
    expect(listFaultPaths(refused)).to.have.members(['[1].color', '[3].origin.year', '[3].more', '[3].serialNumber'])
    const many = await mint(Array.from({ length: 300 }, () => ({})))
    expect(listFaultPaths(many)).to.have.length(100)
    expect(formatVerdict(await mint([{ serialNumber: 'a' }, 'b']))).to.equal('422 VALIDATION_FAILED')
    expect(formatVerdict(await mint({ serialNumber: 'a' }))).to.equal('422 VALIDATION_FAILED')
    expect((await shop.api.get('/v1/dpp/passports')).body.total).to.equal(before)
  })

  it('takes 1 to 10,000 rows in at most 16 MiB', async () => {
    expect(formatVerdict(await mint([]))).to.equal('400 MINT_BATCH_TOO_LARGE')
    expect(formatVerdict(await mint(rows(10_001)))).to.equal('400 MINT_BATCH_TOO_LARGE')
    const large = JSON.stringify([{ serialNumber: 'x'.repeat(16 * 1024 * 1024) }])
    expect(formatVerdict(await shop.api.post(`/v1/dpp/products/${sheet}/mint`, undefined, { raw: large }))).to.equal(
      '400 MINT_BATCH_TOO_LARGE',
    )
  })

  it('is for sheets that are ACTIVE or UNLISTED, on a network that can be sent on', async () => {
    for (const [status, expected] of Object.entries({
      DRAFT: '409 DPP_PRODUCT_NOT_MINTABLE',
      ARCHIVED: '409 DPP_PRODUCT_NOT_MINTABLE',
      UNLISTED: '202',
    })) {
      expect(`${status} ${formatVerdict(await mint(rows(1), await buildSheet(shop, { status })))}`).to.equal(
        `${status} ${expected}`,
      )
    }
    const away = await buildSheet(shop, { network: 'StellarTestnet', status: 'DRAFT' })
    const refused = await mint([{}], away)
    expect(formatVerdict(refused)).to.equal('422 VALIDATION_FAILED')
    expect(listFaultPaths(refused)).to.deep.equal(['network', '[0].serialNumber'])
  })

  it('keeps sheets and jobs of others out of sight', async () => {
    const other = await buildShop()
    const job = await accepted(rows(1))
    const another = await buildSheet(shop)
    expect(formatVerdict(await mint(rows(1), sheet, other.api))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await mint(rows(1), randomUUID()))).to.equal('404 NOT_FOUND')
    for (const [reader, path] of [
      [other.api, statusOf(job)],
      [shop.api, `/v1/dpp/products/${another}/mint/${job}/status`],
      [shop.api, statusOf(randomUUID())],
    ] as const) {
      expect(formatVerdict(await reader.get(path))).to.equal('404 DPP_MINT_JOB_NOT_FOUND')
      expect(formatVerdict(await reader.get(`${path}/sse`, { headers: { accept: 'text/event-stream' } }))).to.equal(
        '404 DPP_MINT_JOB_NOT_FOUND',
      )
    }
    expect(formatVerdict(await createApiClient().get(statusOf(job)))).to.equal('401 AUTH_UNAUTHENTICATED')
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read'] })).key)
    expect((await reader.get(statusOf(job))).status).to.equal(200)
    expect(formatVerdict(await mint(rows(1), sheet, reader))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
  })

  it('is done once for one idempotency key', async () => {
    const product = await buildSheet(shop)
    const headers = { 'idempotency-key': randomUUID() }
    const answers = []
    for (let at = 0; at < 3; at++)
      answers.push(await shop.api.post(`/v1/dpp/products/${product}/mint`, rows(4), { headers }))
    expect(new Set(answers.map(({ body }) => body.jobId)).size).to.equal(1)
    expect((await shop.api.get(`/v1/dpp/passports?filters[product][eq]=${product}`)).body.total).to.equal(4)
  })

  it('holds back a sheet that would become a draft or change its network', async () => {
    const product = await buildSheet(shop)
    await buildPassport(shop, product)
    await mint(rows(1), product)
    const patch = (change: object) => shop.api.patch(`/v1/dpp/products/${product}`, change)
    expect(formatVerdict(await patch({ status: 'DRAFT' }))).to.equal('409 DPP_PRODUCT_STATUS_FINAL')
    expect(formatVerdict(await patch({ network: 'BaseSepolia' }))).to.equal('409 DPP_PRODUCT_NETWORK_FIXED')
  })

  it('mints 10,000 rows in one job', async () => {
    const job = await accepted(rows(10_000))
    const done = await waitForJob(shop.api, statusOf(job))
    expect(done).to.include({ status: 'completed', completed: 10_000, failed: 0 })
    expect(await countMintedPassports((await getOperator()).db, job)).to.deep.equal({
      passports: 10_000,
      tokens: 10_000,
      minted: 10_000,
    })
    const { results } = getBody<MintJob>(await shop.api.get(statusOf(job, '?pageSize=1&currentPage=10000')))
    const { token } = await readPassport(shop.api, results[0]?.passport)
    const onChain = await listTransfers(String(token?.contract))
    expect([...onChain.values()].filter((transfers) => transfers.length !== 1)).to.deep.equal([])
  }).timeout(300_000)
})
