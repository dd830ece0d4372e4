import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { rehearse } from '../../../support/dpp/dry-runs.ts'
import { buildKey, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { createSerial, formatVerdict, listFaultPaths, listOwners, getRows, waitForJob } from '../passports/fixtures.ts'

describe('POST /v1/dpp/products/{id}/mint?dryRun=true', () => {
  let shop: Shop
  const path = (sheet: string) => `/v1/dpp/products/${sheet}/mint`
  const rows = (count: number) => Array.from({ length: count }, () => ({ serialNumber: createSerial() }))

  beforeEach(async () => void (shop = await buildShop()))

  it('names the sheet, the network and who gets the tokens, as the mint then has them', async () => {
    const sheet = await buildSheet(shop)
    const first = await rehearse(shop, 'post', `${path(sheet)}?dryRun=true`, rows(3))
    expect(first).to.deep.equal({
      matched: 3,
      willChange: 3,
      samples: [{ id: sheet, name: 'Bag' }],
      skipped: [],
      warnings: [
        '3 tokens will be minted on EthereumAnvil to the issuer of the application; the contract is deployed first.',
      ],
    })
    const minted = await shop.api.post(path(sheet), rows(3))
    expect(minted.status, minted.text).to.equal(202)
    await waitForJob(shop.api, `${path(sheet)}/${String(minted.body['jobId'])}/status`)
    const passports = getRows(await shop.api.get('/v1/dpp/passports?pageSize=100'))
    expect(passports.length).to.equal(first.willChange)
    const [owner] = await listOwners(passports[0]?.id)
    const second = await rehearse(shop, 'post', `${path(sheet)}?dryRun=true`, rows(1))
    expect(second.warnings[0]).to.contain(
      `1 token will be minted on EthereumAnvil to the issuer of the application, ${owner?.to}`,
    )
  })

  it('is refused like the act', async () => {
    const sheet = await buildSheet(shop)
    const wrong = [...rows(1), { color: 'green' }]
    const [preview, act] = await Promise.all([
      shop.api.post(`${path(sheet)}?dryRun=true`, wrong),
      shop.api.post(path(sheet), wrong),
    ])
    expect(formatVerdict(preview)).to.equal('422 VALIDATION_FAILED')
    expect(listFaultPaths(preview)).to.deep.equal(listFaultPaths(act))
    expect(formatVerdict(await shop.api.post(`${path(sheet)}?dryRun=true`, []))).to.equal('400 MINT_BATCH_TOO_LARGE')
    const draft = await buildSheet(shop, { status: 'DRAFT' })
    expect(formatVerdict(await shop.api.post(`${path(draft)}?dryRun=true`, rows(1)))).to.equal(
      '409 DPP_PRODUCT_NOT_MINTABLE',
    )
    const foreign = await (await buildShop()).api.post(`${path(sheet)}?dryRun=true`, rows(1))
    expect(formatVerdict(foreign)).to.equal('404 NOT_FOUND')
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read'] })).key)
    expect(formatVerdict(await reader.post(`${path(sheet)}?dryRun=true`, rows(1)))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
  })
})
