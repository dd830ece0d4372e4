import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { waitUntil } from '../../../../support/processes.ts'
import { Device } from '../../../../support/wallets/apple/device.ts'
import { openPass } from '../../../../support/wallets/apple/pkpass.ts'
import { insertHeldPictures } from '../../../../support/rows/pictures/pictures.ts'
import { createPassCertificate } from '../../../../support/wallets/apple/certificates.ts'
import { buildApplication, buildBuyer } from '../../../../support/world.ts'
import { formatVerdict } from '../../../dpp/passports/fixtures.ts'
import { getOperator, listMessagesTo } from '../../../identity/people.ts'
import { createNames, getAuthority } from './authority.ts'
import {
  buildCardHolder,
  buildCardShop,
  downloadPass,
  downloadPath,
  getCredentialsPath,
  type CardShop,
} from './fixtures.ts'

const readOptIn = async ({ api }: CardShop, account: string) =>
  (await api.get(`/v1/accounts/${account}`)).body.loyalty!['optIn']!['apple']

const mint = async ({ api }: CardShop, account: string, amount: number) => {
  const answer = await api.post(`/v1/loyalty/account/${account}/mint`, { amount })
  expect(answer.status, answer.text).to.equal(202)
}

/** Waits until the phone was pushed to. @returns what it would have been told */
async function waitForPushes(device: Device, count: number): Promise<string[]> {
  let texts: string[] = []
  await waitUntil(`the phone has ${count} pushes`, async () => {
    texts = (await listMessagesTo(device.pushToken)).map(({ text }) => text)
    return texts.length >= count
  })
  return texts
}

describe('GET /v1/apple-wallet/loyalty-pass', () => {
  let shop: CardShop
  before(async () => {
    shop = await buildCardShop()
  })

  it('answers a file that Wallet takes, signed by the certificate of the application', async () => {
    const buyer = await buildBuyer(shop)
    await mint(shop, buyer.account, 120)
    const answer = await buyer.get(downloadPath)
    expect(answer.status).to.equal(200)
    expect(answer.headers['content-type']).to.equal('application/vnd.apple.pkpass')
    expect(answer.headers['content-disposition']).to.match(/^attachment; filename="[a-z0-9-]+\.pkpass"$/)
    const pass = openPass(answer.bytes, getAuthority().certificate)
    expect(pass.passTypeIdentifier).to.equal(shop.names.passTypeIdentifier)
    expect(pass.teamIdentifier).to.equal(shop.names.teamIdentifier)
    expect(pass.fields.get('points')?.value).to.equal(120)
    expect(pass.fields.get('visits')?.value).to.equal(0)
    expect(pass.barcodes).to.have.length(1)
    expect(pass.barcodes[0]?.message).to.match(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(pass.barcodes[0]?.format).to.equal('PKBarcodeFormatQR')
    expect(pass.sharingProhibited).to.equal(true)
    const notifying = [...pass.fields.values()].filter(({ changeMessage }) => changeMessage !== undefined)
    expect(notifying.map(({ key }) => key)).to.deep.equal(['message'])
    expect(answer.bytes.toString('latin1')).not.to.include(shop.owner)
  })

  it('answers the same card each time, with its number and its token', async () => {
    const buyer = await buildBuyer(shop)
    const [one, other] = [await downloadPass(buyer), await downloadPass(buyer)].map((file) =>
      openPass(file, getAuthority().certificate),
    )
    expect(other?.serialNumber).to.equal(one?.serialNumber)
    expect(other?.authenticationToken).to.equal(one?.authenticationToken)
    expect(other?.barcodes).to.deep.equal(one?.barcodes)
  })

  it('is for buyers alone', async () => {
    expect(formatVerdict(await shop.api.get(downloadPath))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
  })
})

describe('The web service of Apple Wallet', () => {
  let shop: CardShop
  before(async () => {
    shop = await buildCardShop()
  })

  it('registers a phone once, opts its person in, and out when the card is removed', async () => {
    const { buyer, device } = await buildCardHolder(shop)
    expect(await readOptIn(shop, buyer.account)).to.equal(true)
    expect((await device.register()).status).to.equal(200)
    const { pass } = device
    expect((await device.remove(pass)).status).to.equal(200)
    expect(await readOptIn(shop, buyer.account)).to.equal(false)
  })

  it('keeps a person opted in while another phone has the card', async () => {
    const { buyer, device } = await buildCardHolder(shop)
    const second = new Device(getAuthority().certificate)
    expect((await second.add(await downloadPass(buyer))).status).to.equal(201)
    await device.remove()
    expect(await readOptIn(shop, buyer.account)).to.equal(true)
    await second.remove()
    expect(await readOptIn(shop, buyer.account)).to.equal(false)
  })

  it('refuses a wrong token, the token of another card, and another pass type, all alike', async () => {
    const [one, other] = [await buildCardHolder(shop), await buildCardHolder(shop)]
    const { pass } = one.device
    const foreign = other.device.pass.authenticationToken
    const wrong = await Promise.all([
      one.device.register(pass, 'wrong'),
      one.device.register(pass, foreign),
      one.device.fetch(pass, foreign),
      one.device.fetch({ ...pass, serialNumber: randomUUID() }),
      one.device.fetch({ ...pass, passTypeIdentifier: 'pass.example.other' }),
      one.device.remove({ ...pass, authenticationToken: foreign }),
    ])
    expect(wrong.map(({ status }) => status)).to.deep.equal([401, 401, 401, 401, 401, 401])
    expect(new Set(wrong.map(({ bytes }) => (JSON.parse(bytes.toString()) as { code: string }).code))).to.deep.equal(
      new Set(['WALLET_PASS_UNAUTHORIZED']),
    )
  })

  it('answers 204 to a phone that nobody knows, and to one whose passes are as they were', async () => {
    const { device } = await buildCardHolder(shop)
    expect(await device.ask()).to.deep.equal({ status: 200, serialNumbers: [device.pass.serialNumber] })
    expect((await device.ask()).status).to.equal(204)
    const { pass } = device
    await device.remove()
    expect((await device.ask(pass)).status).to.equal(204)
    expect((await new Device(getAuthority().certificate).ask(pass)).status).to.equal(204)
  })

  it('answers 304 to the date of an answer, and the whole pass after any change of the same second', async () => {
    const { buyer, device } = await buildCardHolder(shop)
    const first = await device.fetch()
    expect(first.status).to.equal(200)
    expect(first.headers['last-modified']).to.be.a('string')
    expect((await device.fetch()).status).to.equal(304)
    await mint(shop, buyer.account, 5)
    expect((await device.fetch()).status, 'before anybody was told').to.equal(200)
    expect(device.pass.fields.get('points')?.value).to.equal(5)
    await waitForPushes(device, 1)
    await shop.api.patch(`/v1/applications/${shop.application}`, {
      theme: { title: `Club ${randomUUID().slice(0, 4)}` },
    })
    expect((await device.fetch()).status, 'after a new title').to.equal(200)
    expect(device.pass.logoText).to.match(/^Club /)
  })

  it('updates a card after a new balance, and no phone shows a notification', async () => {
    const { buyer, device } = await buildCardHolder(shop)
    await device.wake()
    await mint(shop, buyer.account, 77)
    expect(await waitForPushes(device, 1)).to.deep.equal([''])
    expect(await device.wake()).to.equal(1)
    expect(device.pass.fields.get('points')?.value).to.equal(77)
    expect(device.notifications).to.deep.equal([])
  })

  it('keeps a card on twenty phones, and forgets the one that it heard of longest ago', async () => {
    const { device } = await buildCardHolder(shop)
    const { pass } = device
    for (let more = 0; more < 20; more++)
      expect((await new Device(getAuthority().certificate).register(pass)).status).to.equal(201)
    expect((await device.ask()).status).to.equal(204)
    expect((await device.register()).status).to.equal(201)
  })

  it('shows the logo of the brand that is held, as a picture of its own size', async () => {
    const { db } = await getOperator()
    const logoUrl = `https://held.example/${randomUUID()}.png`
    const picture = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64')
    await insertHeldPictures(db, shop.organization, [logoUrl], picture)
    const application = await buildApplication(shop.organization)
    await shop.api.patch(`/v1/applications/${application}`, { theme: { logoUrl, primaryColor: '#ffe600' } })
    await shop.api.put(getCredentialsPath(application), createPassCertificate(getAuthority(), createNames()))
    const pass = openPass(await downloadPass(await buildBuyer({ application })), getAuthority().certificate)
    const pictures = [...pass.files.keys()].filter((name) => name.endsWith('.png')).toSorted()
    expect(pictures).to.deep.equal(
      ['icon.png', 'icon@2x.png', 'icon@3x.png', 'logo.png', 'logo@2x.png', 'logo@3x.png'].toSorted(),
    )
    // Where a PNG says its size. Source: Portable Network Graphics, IHDR.
    expect([0, 4].map((at) => pass.files.get('icon@2x.png')?.readUInt32BE(16 + at))).to.deep.equal([58, 58])
    expect([pass.backgroundColor, pass.foregroundColor]).to.deep.equal(['rgb(255, 230, 0)', 'rgb(0, 0, 0)'])
  })

  it('takes what phones complain about, and no more than it can keep', async () => {
    const { device } = await buildCardHolder(shop)
    expect((await device.log(['x'.repeat(2_000), 'y'])).status).to.equal(200)
    expect((await device.log(['x'.repeat(100_000)])).status).to.equal(413)
    expect((await device.log('no list')).status).to.equal(422)
  })

  it('forgets the card of an account that is deleted', async () => {
    const { buyer, device } = await buildCardHolder(shop)
    const { status } = await shop.api.delete(`/v1/accounts/${buyer.account}`)
    expect(status).to.equal(200)
    expect((await device.fetch()).status).to.equal(401)
    expect((await device.ask()).status).to.equal(204)
  })
})
