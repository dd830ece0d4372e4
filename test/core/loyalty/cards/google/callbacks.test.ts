import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../../support/client.ts'
import type { CallbackMessage } from '../../../../support/wallets/google/google.ts'
import type { CallbackOptions } from '../../../../support/wallets/google/signer.ts'
import type { Shop } from '../../../../support/world.ts'
import { formatVerdict } from '../../../dpp/passports/fixtures.ts'
import { buildCardBuyer, buildIssuingShop, getLink, readOptIn, startGoogleStage, type GoogleStage } from './stage.ts'

const dayMs = 86_400_000
const path = '/v1/google-wallet/callbacks'

describe('POST /v1/google-wallet/callbacks', () => {
  let stage: GoogleStage
  let shop: Shop
  before(async () => {
    stage = await startGoogleStage()
    shop = await buildIssuingShop(stage)
  })
  after(() => stage.stop())

  async function saveCard() {
    const buyer = await buildCardBuyer(stage, shop)
    const object = await stage.phone.save(await getLink(buyer))
    return { buyer, object, isOptedIn: () => readOptIn(shop, buyer) }
  }
  const report = async (message: CallbackMessage, options?: CallbackOptions) => {
    const answer = await stage.phone.report(message, options)
    return answer.status === 200 ? answer.body : formatVerdict(answer)
  }

  it('opts in when a person saves the card, and out when they delete it', async () => {
    const buyer = await buildCardBuyer(stage, shop)
    const link = await getLink(buyer)
    expect(await readOptIn(shop, buyer)).to.equal(false)
    const object = await stage.phone.save(link)
    expect(await readOptIn(shop, buyer)).to.equal(true)
    expect((await stage.phone.delete(object)).body).to.deep.equal({ received: true })
    expect(await readOptIn(shop, buyer)).to.equal(false)
    await stage.phone.save(await getLink(buyer))
    expect(await readOptIn(shop, buyer)).to.equal(true)
  })

  it('changes nothing by a report that was taken before, even if it is signed anew', async () => {
    const { object, isOptedIn } = await saveCard()
    const { google } = stage
    const saved = google.createMessage(object, 'save', { expTimeMillis: Date.now() + 8 * dayMs })
    const deleted = google.createMessage(object, 'del', { expTimeMillis: Date.now() + 9 * dayMs })
    expect(await report(saved)).to.deep.equal({ received: true })
    expect(await report(deleted)).to.deep.equal({ received: true })
    expect(await report(saved)).to.deep.equal({ skipped: 'known' })
    expect(await report({ ...saved, expTimeMillis: Date.now() + 10 * dayMs })).to.deep.equal({ skipped: 'known' })
    expect(await isOptedIn()).to.equal(false)
  })

  it('does not opt in again by a save that arrives after its later deletion', async () => {
    const { object, isOptedIn } = await saveCard()
    const { google } = stage
    const at = Date.now() + 9 * dayMs
    const late = google.createMessage(object, 'save', { expTimeMillis: at - 1 })
    const together = google.createMessage(object, 'save', { expTimeMillis: at })
    expect(await report(google.createMessage(object, 'del', { expTimeMillis: at }))).to.deep.equal({ received: true })
    expect(await report(late)).to.deep.equal({ skipped: 'late' })
    expect(await report(together)).to.deep.equal({ skipped: 'late' })
    expect(await isOptedIn()).to.equal(false)
    expect(await report(google.createMessage(object, 'save', { expTimeMillis: at + 1 }))).to.deep.equal({
      received: true,
    })
    expect(await isOptedIn()).to.equal(true)
  })

  it('takes many reports about one card at once, and the latest counts', async () => {
    const { object, isOptedIn } = await saveCard()
    const from = Date.now() + 8 * dayMs
    const messages = Array.from({ length: 20 }, (_, at) =>
      stage.google.createMessage(object, at % 2 === 0 ? 'save' : 'del', { expTimeMillis: from + at }),
    ).reverse()
    const answers = await Promise.all(messages.map((message) => stage.phone.report(message)))
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200))
    expect(await isOptedIn()).to.equal(false)
  })

  it('is 401 WEBHOOK_INVALID_SIGNATURE for what Google has not signed for this issuer, or has signed too long ago', async () => {
    const { object, isOptedIn } = await saveCard()
    const { google } = stage
    const deleted = () => google.createMessage(object, 'del', { expTimeMillis: Date.now() + 8 * dayMs })
    const past = new Date(Date.now() - 1_000)
    const wrong: [string, CallbackMessage, CallbackOptions?][] = [
      ['another issuer', deleted(), { recipient: '1' }],
      ['another sender', deleted(), { sender: 'GooglePay' }],
      ['a changed message', deleted(), { flaw: 'changedMessage' }],
      ['an unknown root key', deleted(), { flaw: 'unknownRoot' }],
      ['an unknown intermediate key', deleted(), { flaw: 'unknownKey' }],
      ['a changed intermediate key', deleted(), { flaw: 'swappedKey' }],
      ['an expired intermediate key', deleted(), { keyExpiresAt: past }],
      ['an expired message', { ...deleted(), expTimeMillis: past.getTime() }],
      ['another event', { ...deleted(), eventType: 'purge' as 'del' }],
      ['classes and cards of two issuers', { ...deleted(), classId: `1.${shop.application}` }],
      ['no nonce', { ...deleted(), nonce: '' }],
    ]
    const client = createApiClient({}, stage.api)
    for (const [what, message, options] of wrong) {
      const raw = google.sign(message, options)
      const answer = await client.send('POST', path, undefined, { raw, skipsDocumentCheck: true })
      expect(formatVerdict(answer), what).to.equal('401 WEBHOOK_INVALID_SIGNATURE')
    }
    for (const raw of ['{}', '[]', 'x', '{"protocolVersion":"ECv2SigningOnly"}', '']) {
      const answer = await client.send('POST', path, undefined, {
        raw,
        headers: { 'content-type': 'application/json' },
        skipsDocumentCheck: true,
      })
      expect(formatVerdict(answer), raw).to.equal('401 WEBHOOK_INVALID_SIGNATURE')
    }
    expect(await isOptedIn()).to.equal(true)
  })

  it('changes nothing by a report about a card that is none of ours, or one of another issuer', async () => {
    const { object, isOptedIn } = await saveCard()
    const { google } = stage
    const deleted = google.createMessage(object, 'del', { expTimeMillis: Date.now() + 8 * dayMs })
    const unknown = { ...deleted, objectId: `${google.issuerId}.${randomUUID()}` }
    expect(await report(unknown)).to.deep.equal({ skipped: 'unknown_card' })
    // Whoever is an issuer gets signed reports about cards that are called as they like.
    const [issuerId, ...own] = ['1', deleted.classId, deleted.objectId]
    const [classId, objectId] = own.map((id) => id.replace(/^\d+/, issuerId ?? ''))
    const foreign = { ...deleted, classId: String(classId), objectId: String(objectId) }
    const raw = google.signer.sign(foreign, '1')
    const answer = await createApiClient({}, stage.api).send('POST', path, undefined, { raw, skipsDocumentCheck: true })
    expect(answer.body, answer.text).to.deep.equal({ skipped: 'unknown_card' })
    expect(await isOptedIn()).to.equal(true)
  })

  it('changes nothing once the account is deleted', async () => {
    const { object, buyer } = await saveCard()
    const deleted = stage.google.createMessage(object, 'del', { expTimeMillis: Date.now() + 8 * dayMs })
    const gone = await shop.api.delete(`/v1/accounts/${buyer.account}`)
    expect(gone.status, gone.text).to.equal(200)
    expect(await report(deleted)).to.deep.equal({ skipped: 'unknown_card' })
  })
}).timeout(120_000)

describe('POST /v1/google-wallet/callbacks and the keys that sign it', () => {
  it('is 503 while the keys are away, and fetches them once, whatever is signed wrongly', async () => {
    const stage = await startGoogleStage()
    try {
      const shop = await buildIssuingShop(stage)
      const buyer = await buildCardBuyer(stage, shop)
      const { google, phone } = stage
      const link = await getLink(buyer)
      google.keysAreAway = true
      const object = `${google.issuerId}.${[...google.objects.keys()][0]?.split('.')[1]}`
      expect((await phone.report(google.createMessage(object, 'save'))).status).to.equal(503)
      google.keysAreAway = false
      await phone.save(link)
      const fetched = google.keyRequests
      for (let at = 0; at < 3; at++) {
        const message = google.createMessage(object, 'del')
        expect(formatVerdict(await phone.report(message, { flaw: 'unknownRoot' }))).to.equal(
          '401 WEBHOOK_INVALID_SIGNATURE',
        )
      }
      expect(google.keyRequests).to.equal(fetched)
      expect(await readOptIn(shop, buyer)).to.equal(true)
    } finally {
      await stage.stop()
    }
  })

  it('takes no report without an address of the keys, outside production', async () => {
    const answer = await createApiClient().post(path, {}, { skipsDocumentCheck: true })
    expect(formatVerdict(answer)).to.equal('401 WEBHOOK_INVALID_SIGNATURE')
  })
}).timeout(120_000)
