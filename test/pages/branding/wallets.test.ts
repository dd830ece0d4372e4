import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { getOperator, signInMember } from '../../core/identity/people.ts'
import { endCertificate } from '../../support/rows/loyalty/cards.ts'
import { createPassAuthority, createPassCertificate } from '../../support/wallets/apple/certificates.ts'
import { buildMember, buildShop, type Shop } from '../../support/world.ts'
import { createVisitor, listLinks, readText, type Visitor } from '../passports/visitor.ts'

const names = { passTypeIdentifier: 'pass.example.shop', teamIdentifier: 'TEAM000001' }

/** Creates a private key as PEM. */
const createKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

describe('Console: credentials of wallets', function () {
  this.timeout(60_000)
  let shop: Shop
  let owner: Visitor
  let path: string
  let certificate: string
  let privateKey: string
  before(async () => {
    shop = await buildShop()
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
    path = `/console/branding/${shop.application}/wallets`
    ;({ certificate, privateKey } = createPassCertificate(createPassAuthority(), names))
  })
  const setApple = (fields: Record<string, string>) => owner.post(`${path}/apple-wallet`, fields)

  it('are led to by the looks, which draw both cards in their colours', async () => {
    const looks = await owner.get(`/console/branding/${shop.application}`)
    expect(listLinks(looks)).to.include(path)
    expect(looks.text).to.contain('aria-label="Apple Wallet"').and.to.contain('aria-label="Google Wallet"')
    const draft = await owner.post(`/console/branding/${shop.application}`, { primaryColor: '#123456', act: 'show' })
    expect(draft.text.match(/rx="(?:14|20)" fill="#123456"/g)).to.have.length(2)
    expect(readText(await owner.get(path)))
      .to.contain('Not connected')
      .and.to.contain('no issuer of Google Wallet')
  })

  it('are refused at their fields, and a private part is never sent back', async () => {
    const wrong = await setApple({ certificate, privateKey: createKey() })
    expect(wrong.status).to.equal(422)
    expect(readText(wrong)).to.contain('Its private key, as PEM does not fit the other one')
    expect(wrong.text).to.contain('BEGIN CERTIFICATE-----\n').and.to.not.contain('BEGIN PRIVATE KEY')
    expect(readText(await setApple({ certificate: ' ' }))).to.contain('is missing')
    const noFile = await owner.post(`${path}/google-wallet`, { serviceAccount: 'a word' })
    expect(readText(noFile)).to.contain('is no key file of a service account')
    const half = await owner.post(`${path}/google-wallet`, { serviceAccount: '{"client_email":"cards@shop.example"}' })
    expect(half.status).to.equal(422)
    expect(readText(half)).to.contain('private_key is missing')
  })

  it('are set, shown without their private part, and removed after a page that says what that does', async () => {
    expect((await setApple({ certificate, privateKey })).status).to.equal(303)
    const serviceAccount = JSON.stringify({ client_email: 'cards@shop.example', private_key: createKey() })
    expect((await owner.post(`${path}/google-wallet`, { serviceAccount })).status).to.equal(303)
    const shown = await owner.get(`${path}?saved=yes`)
    expect(readText(shown)).to.contain(names.passTypeIdentifier).and.to.contain('cards@shop.example')
    expect(readText(shown)).to.not.contain('Not connected')
    expect(shown.text).to.not.contain('PRIVATE KEY')
    expect(readText(await owner.get(`${path}/google-wallet/remove`))).to.contain('they get no messages')
    expect((await owner.post(`${path}/google-wallet/remove`, {})).status).to.equal(303)
    expect(readText(await owner.get(path)))
      .to.contain('Not connected')
      .and.to.not.contain('cards@shop.example')
  })

  it('are warned of 30 days before a certificate ends, on the first page too', async () => {
    const { db } = await getOperator()
    await endCertificate(db, shop.application, 40)
    expect(readText(await owner.get(path))).to.not.contain('ends soon')
    await endCertificate(db, shop.application, 20)
    expect(readText(await owner.get(path))).to.contain('The certificate ends soon')
    const home = await owner.get('/console')
    expect(readText(home)).to.match(/The certificate of Apple Wallet of .* ends \d{4}-/)
    expect(listLinks(home)).to.include(path)
    await endCertificate(db, shop.application, -1)
    expect(readText(await owner.get(path))).to.contain('The certificate has ended')
  })

  it('have no form for somebody who may not change the application', async () => {
    const viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    const page = await viewer.get(path)
    expect(page.status).to.equal(200)
    expect(page.text).to.not.contain('<textarea')
    expect((await viewer.post(`${path}/apple-wallet`, { certificate, privateKey })).status).to.equal(403)
  })
})
