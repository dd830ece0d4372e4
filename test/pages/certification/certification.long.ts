import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { listKeys, readActiveKey } from '../../core/certification/keys/keys.ts'
import { startHosting, type TestHosting } from '../../core/certification/did-web/hosting.ts'
import { createUniqueName, signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildCertifiedPassport, buildMember, buildOrganization, type Shop } from '../../support/world.ts'
import { createVisitor, readText, type Visitor } from './forms.ts'
import { buildConsole, consoleAddress, follow, goTo, openWindow } from '../loyalty/scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from '../loyalty/walk.ts'

const path = '/console/certification'
const config = '/v1/dpp/certification-key/did-web-config'
const keyPath = (id: string) => `${path}/keys/${id}`

describe('Console: certification', function () {
  this.timeout(400_000)
  let shop: Shop
  let owner: Visitor
  before(async () => {
    const built = await buildConsole()
    shop = built.shop
    owner = createVisitor(built.cookie)
  })

  it('shows the key that signs, and what to do before there is a status list', async () => {
    const page = await owner.open(path)
    expect(page.status, page.text).to.equal(200)
    const { did, id } = await readActiveKey(shop.api)
    const text = readText(page)
    for (const words of [did, 'signs', 'on no network yet', 'No status list yet', 'name the key itself (did:key)'])
      expect(text).to.contain(words)
    expect(page.text).to.contain(`/v1/dpp/issuers/${did}/keys`)
    expect((await shop.api.get(`/v1/dpp/issuers/${did}/keys`)).status).to.equal(200)
    const key = readText(await owner.open(keyPath(id)))
    expect(key).to.contain((await readActiveKey(shop.api)).publicKeyJwk.x)
    expect(readText(await owner.open(path, 'fr'))).to.contain('La clé qui signe actuellement')
  })

  it('rotates the key after a page that says what will happen', async () => {
    const first = await readActiveKey(shop.api)
    expect(readText(await owner.open(`${path}/rotate`))).to.contain('the new key signs at once')
    expect((await readActiveKey(shop.api)).id).to.equal(first.id)
    const sent = await owner.submit(`${path}/rotate`)
    expect(sent.status, sent.text).to.equal(303)
    const second = await readActiveKey(shop.api)
    expect(second.id).to.not.equal(first.id)
    expect(sent.headers['location']).to.equal(keyPath(second.id))
    expect(readText(await owner.open(path))).to.contain('2 keys')
    const file = await owner.open(`${path}/keys.csv`)
    expect(file.headers['content-type']).to.contain('text/csv')
    expect(file.text.trim().split('\r\n')).to.have.length(3)
  })

  it('tells how many certificates a revocation touches, shows status lists and networks, and revokes', async () => {
    const early = await buildCertifiedPassport(shop)
    const { body: anchor } = await shop.api.get(`/v1/dpp/passports/${early}/anchor`)
    const since = new Date((Math.floor(Date.parse(String(anchor['anchoredAt'])) / 1_000) + 1) * 1_000)
    while (Date.now() < since.getTime() + 1_000) await sleep(50)
    await buildCertifiedPassport(shop)
    const page = await owner.open(path)
    expect(readText(page)).to.contain('EthereumAnvil: registered')
    for (const [, list] of page.text.matchAll(/href="(\/v1\/dpp\/status-lists\/[^"]+)"/g))
      expect((await shop.api.get(String(list), { skipsDocumentCheck: true })).status).to.equal(200)
    expect(readText(page)).to.contain('suspension')
    expect(readText(await owner.open(`${path}/rotate`))).to.contain('One transaction is sent, on EthereumAnvil.')

    const { id } = await readActiveKey(shop.api)
    const revoke = `${keyPath(id)}/revoke`
    expect(readText(await owner.open(revoke))).to.contain('Revoke a key that others may have got hold of')
    const all = readText(await owner.submit(revoke, { reason: 'lost', since: '', act: 'look' }))
    for (const words of ['has signed 2 certificates', 'Failing from now on: 2.', '2 passports', 'cannot be undone'])
      expect(all).to.contain(words)
    const later = await owner.submit(revoke, { reason: 'lost', since: since.toISOString().slice(0, 19), act: 'look' })
    for (const words of ['Failing from now on: 1.', 'as anchored before that time: 1.', '1 passport'])
      expect(readText(later)).to.contain(words)
    for (const [fields, words] of [
      [{ reason: ' ', since: '' }, 'Reason is missing'],
      [{ reason: 'lost', since: 'yesterday' }, 'is not written as it has to be'],
      [{ reason: 'lost', since: '2026-02-31T10:00' }, 'is not written as it has to be'],
      [{ reason: 'lost', since: '2999-01-01T10:00' }, 'is in the future'],
    ] as const) {
      const refused = await owner.submit(revoke, { ...fields, act: 'revoke' })
      expect([refused.status, readText(refused).includes(words)], words).to.deep.equal([422, true])
    }
    expect((await readActiveKey(shop.api)).id, 'nothing happened yet').to.equal(id)
    const sent = await owner.submit(revoke, { reason: 'lost', since: '', act: 'revoke' })
    expect([sent.status, sent.headers['location']]).to.deep.equal([303, keyPath(id)])
    expect((await listKeys(shop.api)).find((key) => key.id === id)?.status).to.equal('revoked')
    expect(readText(await owner.open(keyPath(id)))).to.contain('its certificates fail')
  })

  it('refuses a rotation while a new key waits', async () => {
    const sent = await owner.submit(`${path}/rotate`)
    expect(sent.status).to.equal(303)
    const waiting = (await listKeys(shop.api)).some(({ status }) => status === 'pending')
    const again = await owner.submit(`${path}/rotate`)
    expect(again.status).to.equal(waiting && again.status !== 303 ? 409 : 303)
    if (again.status === 409) expect(readText(again)).to.contain('A new key waits already')
  })

  it('chooses the forms of certificates', async () => {
    const suites = async () => (await shop.api.get('/v1/dpp/certification-settings')).body['cryptosuites']
    const rdfc = await owner.submit(`${path}/forms`, { jcs: 'yes', rdfc: 'yes' })
    // The vocabulary may have been kept by then, or not.
    if (rdfc.status === 303) expect(await suites()).to.deep.equal(['eddsa-jcs-2022', 'eddsa-rdfc-2022'])
    else {
      expect([rdfc.status, await suites()]).to.deep.equal([422, ['eddsa-jcs-2022']])
      expect(readText(rdfc)).to.contain('a vocabulary is out of reach')
    }
    const plain = await owner.submit(`${path}/forms`, { jcs: 'yes' })
    expect([plain.status, plain.headers['location']]).to.deep.equal([303, `${path}?saved=yes`])
    expect(await suites()).to.deep.equal(['eddsa-jcs-2022'])
    expect(readText(await owner.open(`${path}?saved=yes`))).to.contain('Your changes are kept.')
  })

  it('is only read by a viewer, without actions, and belongs to one organization', async () => {
    const { id } = await readActiveKey(shop.api)
    const viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    const other = await buildOrganization()
    const stranger = createVisitor(await signInMember(other.owner, other.organization))
    for (const page of ['', `/keys/${id}`, '/domain']) {
      const { status, text } = await viewer.open(`${path}${page}`)
      expect(status, page).to.equal(200)
      expect(text, page).to.not.match(/rotate"|revoke"|action="\/console\/certification|\/remove"/)
    }
    for (const page of ['/rotate', `/keys/${id}/revoke`, '/domain/remove'])
      expect((await viewer.open(`${path}${page}`)).status, page).to.equal(403)
    for (const [form, fields] of [
      ['/rotate', {}],
      [`/keys/${id}/revoke`, { reason: 'x', since: '', act: 'revoke' }],
      ['/forms', { jcs: 'yes' }],
      ['/domain', { domain: 'x.example' }],
      ['/domain/check', {}],
      ['/domain/remove', {}],
    ] as const)
      expect((await viewer.submit(`${path}${form}`, fields)).status, form).to.equal(403)
    for (const page of [`/keys/${id}`, `/keys/${id}/revoke`])
      expect((await stranger.open(`${path}${page}`)).status, page).to.equal(404)
    for (const act of ['look', 'revoke'])
      expect((await stranger.submit(`${keyPath(id)}/revoke`, { reason: 'x', since: '', act })).status).to.equal(404)
    expect((await owner.submit(`${path}/rotate`, {}, 'https://evil.example')).status).to.equal(403)
    const nobody = await createVisitor('none=none').open(path)
    expect(nobody.headers['location']).to.match(/^\/console\/sign-in/)
  })
})

describe('Console: the domain of did:web', function () {
  this.timeout(400_000)
  const domain = `${createUniqueName('brand')}.example`
  let shop: Shop
  let owner: Visitor
  let hosting: TestHosting
  let cookie: string
  before(async () => {
    const built = await buildConsole()
    shop = built.shop
    cookie = built.cookie
    owner = createVisitor(cookie)
    hosting = await startHosting(domain)
  })
  after(() => hosting.stop())

  it('is refused as the operation refuses it', async () => {
    const refused = await owner.submit(`${path}/domain`, { domain: 'https://brand.example/x' })
    expect(refused.status).to.equal(422)
    expect(refused.text).to.contain('value="https://brand.example/x"')
    const unset = await owner.submit(`${path}/domain/check`)
    expect([unset.status, readText(unset).includes('Set a domain first.')]).to.deep.equal([400, true])
  })

  it('is set, with the document to publish, checked, used, and removed', async () => {
    const set = await owner.submit(`${path}/domain`, { domain })
    expect([set.status, set.headers['location']]).to.deep.equal([303, `${path}/domain`])
    const { body } = await shop.api.get(config)
    const page = await owner.open(`${path}/domain`)
    expect(readText(page)).to.contain(`https://${domain}/.well-known/did.json`)
    expect(readText(page)).to.contain(readText({ ...page, text: JSON.stringify(body['didDocument'], null, 2) }).trim())
    expect((await owner.submit(`${path}/domain/check`)).status).to.equal(303)
    expect(readText(await owner.open(`${path}/domain`))).to.match(/Last check: (the domain has no address|no answer)/)
    expect(readText(await owner.open(`${path}/domain/remove`))).to.contain(`${domain} is forgotten`)

    hosting.put('/.well-known/did.json', body['didDocument'])
    const checked = await hosting.api.post(`${config}/verify`, undefined, { headers: { 'x-api-key': shop.key } })
    expect(checked.body, checked.text).to.include({ status: 'ok' })
    expect(readText(await owner.open(path))).to.contain(`Your certificates are signed under ${domain}.`)
    expect(readText(await owner.open(`${path}/rotate`))).to.contain('waits until your DID document has it')
    const { id } = await readActiveKey(shop.api)
    const look = await owner.submit(`${keyPath(id)}/revoke`, { reason: 'lost', since: '', act: 'look' })
    expect(readText(look)).to.contain('Nothing is signed until your DID document has the key')
    expect((await owner.submit(`${path}/rotate`)).status).to.equal(303)
    expect(readText(await owner.open(path))).to.contain('The document has to have the new key by')
    const again = await owner.submit(`${path}/rotate`)
    expect([again.status, readText(again).includes('A new key waits already')]).to.deep.equal([409, true])
    expect(readText(await owner.open(`${path}/domain/remove`))).to.contain('go on publishing the document')
    expect((await owner.submit(`${path}/domain/remove`)).status).to.equal(303)
    expect((await shop.api.get(config)).body['domain']).to.equal(null)
  })
})

describeInBrowser('Console: certification in a browser', function () {
  this.timeout(400_000)
  let browser: Browser
  let shop: Shop
  let cookie: string
  let pages: string[]
  before(async () => {
    const built = await buildConsole()
    shop = built.shop
    cookie = built.cookie
    browser = await openBrowser()
  })
  after(() => browser.close())

  it('is walked with the keyboard alone', async () => {
    await buildCertifiedPassport(shop)
    const page = await (await openWindow(browser, { cookie })).newPage()
    await goTo(page, `${consoleAddress}/certification/domain`)
    await tabTo(page, '#domain')
    await page.keyboard.type('brand.example')
    await page.keyboard.press('Enter')
    await page.getByText('brand.example is set').waitFor()
    await goTo(page, `${consoleAddress}/certification`)
    await tabTo(page, 'a[href$="/rotate"]')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Rotate the certification key?' }).waitFor()
    await tabTo(page, 'main button')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Key z6Mk/ }).waitFor()
    const { id } = await readActiveKey(shop.api)
    await goTo(page, `${consoleAddress}/certification/keys/${id}/revoke`)
    await tabTo(page, '#reason')
    await page.keyboard.type('Found in a log')
    await tabTo(page, 'button[value=look]')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'What will happen' }).waitFor()
    await follow(page.getByRole('link', { name: 'Cancel' }))
    pages = [path, keyPath(id), `${keyPath(id)}/revoke`, `${path}/rotate`, `${path}/domain`, `${path}/domain/remove`]
  })

  for (const look of looks)
    it(`has no fault that axe finds, and nothing is cut off, ${formatLook(look)}`, async () => {
      await inspectPages(browser, { cookie, look }, pages)
    })
})
