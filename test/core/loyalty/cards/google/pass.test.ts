import { expect } from 'chai'
import { createApiClient } from '../../../../support/client.ts'
import { readSaveLink } from '../../../../support/wallets/google/google.ts'
import { buildShop, type Shop } from '../../../../support/world.ts'
import { formatVerdict } from '../../../dpp/passports/fixtures.ts'
import {
  buildCardBuyer,
  buildIssuingShop,
  credentialsPath,
  getLink,
  passPath,
  publicAddress,
  startGoogleStage,
  type GoogleStage,
} from './stage.ts'

describe('GET /v1/google-wallet/loyalty-pass', () => {
  let stage: GoogleStage
  let shop: Shop
  before(async () => {
    stage = await startGoogleStage()
    shop = await buildIssuingShop(stage, { title: 'Café Élan', primaryColor: '#0A7D54' })
  })
  after(() => stage.stop())

  it('answers a link that names the card only, which Google has as it is now', async () => {
    const { google } = stage
    const tier = await shop.api.post('/v1/loyalty/reward-tiers', {
      application: shop.application,
      name: 'Gold',
      requiredVisits: 2,
      currencyToPointRatio: 1,
    })
    expect(tier.status, tier.text).to.equal(201)
    const buyer = await buildCardBuyer(stage, shop)
    const minted = await shop.api.post(`/v1/loyalty/account/${buyer.account}/mint`, { amount: 1_250 })
    expect(minted.status, minted.text).to.equal(202)
    const visited = await shop.api.patch(`/v1/accounts/${buyer.account}`, { loyalty: { visits: 3 } })
    expect(visited.status, visited.text).to.equal(200)
    const { id, classId } = readSaveLink(google, await getLink(buyer))
    expect(classId).to.equal(`${google.issuerId}.${shop.application}`)
    expect(google.classes.get(classId)).to.deep.include({
      programName: 'Café Élan',
      issuerName: 'Café Élan',
      hexBackgroundColor: '#0a7d54',
      reviewStatus: 'UNDER_REVIEW',
      callbackOptions: { url: `${publicAddress}/v1/google-wallet/callbacks` },
    })
    const object = google.objects.get(id)
    const { value } = object?.['barcode'] as { value: string }
    expect(value).to.match(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(object).to.deep.include({
      accountId: value,
      state: 'ACTIVE',
      loyaltyPoints: { label: 'Points', balance: { string: '1,250' } },
      textModulesData: [
        { id: 'tier', header: 'Level', body: 'Gold' },
        { id: 'visits', header: 'Visits', body: '3' },
      ],
      messages: [],
    })
    expect(JSON.stringify(object)).not.to.include('@')
    expect(google.refusals).to.deep.equal([])
  })

  it('is the same card the next time, with what it shows by then', async () => {
    const { google } = stage
    const buyer = await buildCardBuyer(stage, shop)
    const first = readSaveLink(google, await getLink(buyer))
    await shop.api.post(`/v1/loyalty/account/${buyer.account}/mint`, { amount: 7 })
    expect(readSaveLink(google, await getLink(buyer))).to.deep.equal(first)
    expect(google.objects.get(first.id)?.['loyaltyPoints']).to.deep.equal({ label: 'Points', balance: { string: '7' } })
    expect(google.notices).to.deep.equal([])
  })

  it('has a picture of its own address, which anybody can fetch', async () => {
    const buyer = await buildCardBuyer(stage, shop)
    const { classId } = readSaveLink(stage.google, await getLink(buyer))
    const { sourceUri } = stage.google.classes.get(classId)?.['programLogo'] as { sourceUri: { uri: string } }
    expect(sourceUri.uri).to.match(/^https:\/\/cards\.example\//)
    const { pathname, search } = new URL(sourceUri.uri)
    const picture = await createApiClient({}, stage.api).get(`${pathname}${search}`, { skipsDocumentCheck: true })
    expect(picture.status, picture.text).to.equal(200)
    expect(picture.headers['content-type']).to.equal('image/png')
    expect(picture.bytes.subarray(1, 4).toString()).to.equal('PNG')
    const missing = await createApiClient({}, stage.api).get(
      pathname.replace(/.$/, (one) => (one === '0' ? '1' : '0')),
      {
        skipsDocumentCheck: true,
      },
    )
    expect(formatVerdict(missing)).to.equal('404 NOT_FOUND')
  })

  it('is 409 WALLET_NOT_CONFIGURED without credentials, without an issuer, and when Google refuses them', async () => {
    const plain = await buildShop()
    const stranger = await buildCardBuyer(stage, plain)
    expect(formatVerdict(await stranger.client.get(passPath))).to.equal('409 WALLET_NOT_CONFIGURED')
    const own = createApiClient(plain.key, stage.api)
    await own.put(credentialsPath(plain.application), { serviceAccount: stage.google.serviceAccount })
    expect(formatVerdict(await stranger.client.get(passPath))).to.equal('409 WALLET_NOT_CONFIGURED')
    await own.patch(`/v1/applications/${plain.application}`, { loyaltySettings: { googleWallet: { issuerId: '1' } } })
    const refused = await stranger.client.get(passPath)
    expect(formatVerdict(refused)).to.equal('409 WALLET_NOT_CONFIGURED')
    expect(refused.body['detail']).to.include('refuses the service account')
  })

  it('is 502 when Google refuses the card, 503 while it does not answer, and works afterwards', async () => {
    const buyer = await buildCardBuyer(stage, shop)
    stage.google.failures.push('refused')
    expect((await buyer.client.get(passPath)).status).to.equal(502)
    stage.google.failures.push('down')
    expect((await buyer.client.get(passPath)).status).to.equal(503)
    await getLink(buyer)
  })

  it('is for buyers only', async () => {
    expect((await shop.api.get(passPath)).status).to.equal(403)
    expect((await createApiClient({}, stage.api).get(passPath)).status).to.equal(401)
  })
}).timeout(120_000)
