import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { endUnknownMint, queueUnknownMint } from '../../../support/rows/dpp/passports.ts'
import { createEmail, getOperator } from '../../identity/people.ts'
import {
  buildBuyer,
  buildDescribedPassport,
  buildKey,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Buyer,
  type Shop,
} from '../../../support/world.ts'
import { getBody, waitForJob, readPassport, formatVerdict } from '../passports/fixtures.ts'

type Level = 'item' | 'batch' | 'model'
type Family = Record<Level, string>

describe('POST /v1/dpp/claim: claims of a revoked, suspended or archived passport', () => {
  let shop: Shop
  let email: string
  let buyer: Buyer
  before(async () => {
    shop = await buildShop()
    email = createEmail('claimer')
    buyer = await buildBuyer(shop, email)
  })

  /** A certified model, a batch of it and an item that the buyer may claim. */
  async function newCertifiedFamily(): Promise<Family> {
    const [modelNumber, own] = [
      randomUUID(),
      { network: 'EthereumAnvil', certifiedPaths: ['town'], data: { town: 'Porto' } },
    ]
    const model = await buildDescribedPassport(shop, { idGranularity: 'model', name: 'Bag', modelNumber }, own)
    const batch = await buildDescribedPassport(
      shop,
      { idGranularity: 'batch', name: 'Bag', modelNumber, batchNumber: 'B' },
      own,
    )
    const item = await buildDescribedPassport(
      shop,
      { idGranularity: 'item', name: 'Bag', modelNumber, batchNumber: 'B', itemNumber: 'S' },
      { ...own, allowedClaimEmail: email },
    )
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${model.id}`)
    expect((await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)).failed).to.equal(0)
    return { item: item.id, batch: batch.id, model: model.id }
  }

  const set = async (id: string, purpose: 'revocation' | 'suspension', value = true) => {
    const answer = await shop.api.post(`/v1/dpp/passports/${id}/status`, { purpose, value, reason: 'A test' })
    expect(answer.status, answer.text).to.equal(200)
  }
  const token = (id: string) => shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
  const show = (magicToken: unknown) => buyer.post('/v1/dpp/claim/magicToken', { magicToken })
  const claim = (passport: string) => buyer.post('/v1/dpp/claim', { passport })

  for (const level of ['item', 'batch', 'model'] as const) {
    it(`are refused while the ${level} is suspended: by token, by e-mail, on the page, and no token is given`, async () => {
      const family = await newCertifiedFamily()
      const { token: given } = (await token(family.item)).body
      await set(family[level], 'suspension')
      for (const answer of [await token(family.item), await show(given), await claim(family.item)])
        expect(formatVerdict(answer)).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
      for (const door of [`token=${given}`, `passport=${family.item}`]) {
        const page = await createApiClient().get(`/claim?${door}`)
        expect(page.status, door).to.equal(400)
        expect(page.text, door)
          .to.include('This cannot be claimed')
          .and.match(/The maker has suspended/)
      }
      expect((await createApiClient().get(`/p/${family.item}`)).text).not.to.include('Is it yours?')
      await set(family[level], 'suspension', false)
      expect((await token(family.item)).body.token).to.equal(given)
      expect((await show(given)).status).to.equal(202)
    })
  }

  it('are refused for good once the item, its batch or its model is revoked', async () => {
    for (const level of ['item', 'batch', 'model'] as const) {
      const family = await newCertifiedFamily()
      await set(family[level], 'revocation')
      for (const answer of [await token(family.item), await claim(family.item)])
        expect(formatVerdict(answer), level).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
    }
  })

  it('fail when the status is set between acceptance and the job, and give the token back', async () => {
    const { db } = await getOperator()
    for (const level of ['item', 'batch', 'model'] as const) {
      const family = await newCertifiedFamily()
      const { token: given } = (await token(family.item)).body
      // A claim waits for a mint that is on its way: the status is set meanwhile.
      await queueUnknownMint(db, family.item)
      const accepted = await show(given)
      expect(accepted.status, accepted.text).to.equal(202)
      await set(family[level], 'suspension')
      const job = await waitForJob(buyer, `/v1/dpp/claim/${accepted.body.jobId}/status`)
      expect([job.status, job.errors[0]?.code], level).to.deep.equal(['failed', 'DPP_PASSPORT_NOT_CLAIMABLE'])
      expect(await readPassport(shop.api, family.item)).to.include({ status: 'published', token: null })
      await set(family[level], 'suspension', false)
      await endUnknownMint(db, family.item)
      const again = await show(given)
      expect(again.status, again.text).to.equal(202)
      expect((await waitForJob(buyer, `/v1/dpp/claim/${again.body.jobId}/status`)).status).to.equal('completed')
    }
  })

  it('are refused for an archived passport, and its page says why', async () => {
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop), { allowedClaimEmail: email })
    const { token: given } = (await token(id)).body
    expect((await shop.api.patch(`/v1/dpp/passports/${id}`, { status: 'archived' })).status).to.equal(200)
    for (const answer of [await token(id), await show(given), await claim(id)])
      expect(formatVerdict(answer)).to.equal('409 DPP_PASSPORT_NOT_CLAIMABLE')
    const page = await createApiClient().get(`/claim?token=${given}&lang=fr`)
    expect(page.text).to.include('Ce passeport est archivé')
  })
})

describe('POST /v1/dpp/passports/{id}/magic-token/revoke', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('ends the token; the next one is another, and works', async () => {
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const path = `/v1/dpp/passports/${id}/magic-token`
    const first = (await shop.api.get(path)).body.token
    for (let time = 0; time < 2; time++) expect((await shop.api.post(`${path}/revoke`)).status).to.equal(204)
    const buyer = await buildBuyer(shop)
    expect(formatVerdict(await buyer.post('/v1/dpp/claim/magicToken', { magicToken: first }))).to.equal(
      '400 DPP_MAGIC_TOKEN_INVALID',
    )
    expect((await createApiClient().get(`/claim?token=${first}`)).text).to.include('This link does not work')
    const second = (await shop.api.get(path)).body.token
    expect(second).not.to.equal(first)
    expect((await buyer.post('/v1/dpp/claim/magicToken', { magicToken: second })).status).to.equal(202)
  })

  it('needs dpp:update, and knows no passport of another organization', async () => {
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const path = `/v1/dpp/passports/${id}/magic-token`
    const { token } = (await shop.api.get(path)).body
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read'] })).key)
    expect(formatVerdict(await reader.post(`${path}/revoke`))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await (await buildShop()).api.post(`${path}/revoke`))).to.equal('404 NOT_FOUND')
    expect(getBody<{ token: string }>(await shop.api.get(path)).token).to.equal(token)
  })
})
