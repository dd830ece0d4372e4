import { expect } from 'chai'
import { buildCardHolder, buildCardShop, type CardHolder, type CardShop } from '../cards/apple/fixtures.ts'
import { content, path, readStats, sendNew } from './fixtures.ts'

describe('A campaign on a phone with Apple Wallet', () => {
  let shop: CardShop
  let holder: CardHolder
  before(async () => {
    shop = await buildCardShop()
    await shop.api.patch(`/v1/applications/${shop.application}`, { loyaltySettings: { frequencyCapPer24h: 1 } })
    holder = await buildCardHolder(shop)
  })

  it('is shown once, and counts as fetched', async () => {
    const { id } = await sendNew(shop)
    await holder.device.wake()
    expect(holder.device.notifications.join()).to.contain(content.headline)
    const shown = holder.device.notifications.length
    await holder.device.wake()
    expect(holder.device.notifications.length).to.equal(shown)
    const { text } = await shop.api.get(`${path}/${id}/deliveries/export`)
    expect(text).to.match(/,apple-wallet,fetched,,,/)
  })

  it('leaves the card as it is when the card had all messages of the day', async () => {
    const shown = holder.device.notifications.length
    const { id } = await sendNew(shop, { content: { headline: 'One too many', body: 'Nobody sees this.' } })
    expect((await readStats(shop.api, id)).deliveries.excludedFrequencyCap).to.equal(1)
    expect(await holder.device.wake()).to.equal(0)
    expect((await holder.device.fetch()).status).to.be.oneOf([200, 304])
    expect(holder.device.notifications.slice(shown)).to.deep.equal([])
  })
})
