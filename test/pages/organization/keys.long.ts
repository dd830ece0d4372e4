import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createApiKey } from '../../../core/features/identity/index.ts'
import { createUniqueName, getOperator, getOwnClient, signInMember } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { buildMember, buildOrganization, type Tenant } from '../../support/world.ts'
import { consoleAddress, follow, goTo, openWindow } from '../loyalty/scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from '../loyalty/walk.ts'

const keys = `${consoleAddress}/keys`

describeInBrowser('Console: API keys', function () {
  this.timeout(120_000)
  let browser: Browser
  let window: BrowserContext
  let page: Page
  let tenant: Tenant
  let cookie: string
  before(async () => {
    tenant = await buildOrganization()
    cookie = await signInMember(tenant.owner, tenant.organization)
    browser = await openBrowser()
    window = await openWindow(browser, { cookie })
    page = await window.newPage()
  })
  after(() => browser.close())

  const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name })
  const readSecret = () => page.locator('#secret').innerText()
  const statusWith = async (key: string) => (await createApiClient(key).get('/v1/organizations')).status

  /** Creates a key with the form. @returns its secret */
  async function create(name: string, preset = 'read only'): Promise<string> {
    await goTo(page, `${keys}/new`)
    await follow(page.getByRole('link', { name: preset }))
    await page.getByLabel('Name').fill(name)
    await follow(page.getByRole('button', { name: 'Create a key' }))
    return readSecret()
  }

  it('are created with the keyboard alone, and do what the ticked boxes say', async () => {
    await goTo(page, keys)
    await tabTo(page, 'a.button')
    await follow(page.getByRole('link', { name: 'Create a key' }))
    await follow(page.getByRole('link', { name: 'passports', exact: true }))
    const name = createUniqueName('shop')
    await tabTo(page, '#name')
    await page.keyboard.type(name)
    await tabTo(page, 'input[name="settings:read"]')
    await page.keyboard.press('Space')
    await tabTo(page, '#days')
    await page.keyboard.press('3')
    await tabTo(page, 'form.card button')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your new key' }).waitFor()
    const secret = await readSecret()
    expect(secret).to.match(/^tsr_test_[A-Za-z0-9]{40}$/)
    const settings = JSON.parse(await page.locator('#settings').innerText()) as {
      mcpServers: { tessera: { url: string; headers: Record<string, string> } }
    }
    expect(settings.mcpServers.tessera.headers).to.deep.equal({ 'X-Api-Key': secret })
    const api = createApiClient(secret)
    expect((await api.get('/v1/dpp/passports')).status).to.equal(200)
    expect((await api.get('/v1/accounts')).status).to.equal(403)
    expect((await api.get(`/v1/organizations/${tenant.organization}/members`)).status).to.equal(403)
    await goTo(page, keys)
    const row = await rowOf(name).innerText()
    expect(row).to.contain(`…${secret.slice(-4)}`)
    expect(row).to.contain('works')
    expect(await page.content()).to.not.contain(secret)
  })

  it('show when and from where they were used last', async () => {
    const name = createUniqueName('used')
    const secret = await create(name)
    await goTo(page, keys)
    expect(await rowOf(name).innerText()).to.contain('never')
    expect(await statusWith(secret)).to.equal(200)
    await waitUntil('the use is shown', async () => {
      await goTo(page, keys)
      return /\d\d:\d\d UTC\s+from\s+\S*(127\.0\.0\.1|::1)/.test(await rowOf(name).innerText())
    })
  })

  it('are copied with a button, which is absent without a script', async () => {
    await create(createUniqueName('plain'))
    expect(await page.getByRole('button', { name: 'Copy' }).count()).to.equal(0)
    const scripted = await openWindow(browser, { cookie, script: true })
    await scripted.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: platform.api })
    const theirs = await scripted.newPage()
    await goTo(theirs, `${keys}/new`)
    await theirs.getByLabel('Name').fill(createUniqueName('copied'))
    await theirs.getByRole('button', { name: 'Create a key' }).click()
    await theirs.getByRole('region', { name: 'Your new key' }).getByRole('button', { name: 'Copy' }).click()
    await theirs.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await theirs.evaluate('navigator.clipboard.readText()')).to.equal(
      await theirs.locator('#secret').innerText(),
    )
    await scripted.close()
  })

  it('are rotated: the old one works on for as long as was chosen, or ends at once', async () => {
    const name = createUniqueName('rotated')
    const first = await create(name)
    await goTo(page, keys)
    await follow(page.getByRole('link', { name: `Rotate ${name}` }))
    await page.getByLabel('The old key works on for').selectOption('1')
    await follow(page.getByRole('button', { name: 'Rotate' }))
    const second = await readSecret()
    expect([await statusWith(first), await statusWith(second)]).to.deep.equal([200, 200])
    await goTo(page, keys)
    const old = rowOf(name).filter({ hasText: first.slice(-4) })
    const end = Date.parse((await old.locator('time').nth(-2).getAttribute('datetime')) ?? '')
    expect(end - Date.now()).to.be.within(3_500_000, 3_600_000)
    await follow(page.getByRole('link', { name: `Rotate ${name} …${second.slice(-4)}` }))
    await page.getByLabel('The old key works on for').selectOption('0')
    await follow(page.getByRole('button', { name: 'Rotate' }))
    const third = await readSecret()
    await waitUntil('the old key is refused', async () => (await statusWith(second)) === 401)
    expect(await statusWith(third)).to.equal(200)
  })

  it('are made for one application, and stay so when they are rotated', async () => {
    const name = createUniqueName('limited')
    await goTo(page, `${keys}/new?preset=everything`)
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Application', { exact: true }).selectOption(tenant.application)
    await follow(page.getByRole('button', { name: 'Create a key' }))
    const first = await readSecret()
    await goTo(page, keys)
    const label = await rowOf(name).innerText()
    const { body } = await createApiClient(first).get(`/v1/applications/${tenant.application}`)
    expect(label).to.contain(body['name'])
    await follow(page.getByRole('link', { name: `Rotate ${name}` }))
    await follow(page.getByRole('button', { name: 'Rotate' }))
    for (const secret of [first, await readSecret()]) {
      const api = createApiClient(secret)
      expect((await api.get('/v1/dpp/products')).status).to.equal(200)
      expect((await api.get('/v1/quotas/usage')).status).to.equal(403)
    }
  })

  it('are revoked after a page that says what will happen, and only once', async () => {
    const name = createUniqueName('revoked')
    const secret = await create(name)
    await goTo(page, keys)
    const link = page.getByRole('link', { name: `Revoke ${name}` })
    const address = `${platform.api}${await link.getAttribute('href')}`
    await follow(link)
    expect(await page.getByRole('region', { name: 'What will happen' }).innerText()).to.contain('cannot be undone')
    await follow(page.getByRole('button', { name: 'Revoke' }))
    await waitUntil('the key is refused', async () => (await statusWith(secret)) === 401)
    expect(await rowOf(name).innerText()).to.contain('revoked')
    expect(await rowOf(name).getByRole('link').count()).to.equal(0)
    await goTo(page, address)
    await follow(page.getByRole('button', { name: 'Revoke' }))
    expect(await page.getByRole('alert').innerText()).to.equal('This key was revoked already, or has expired.')
  })

  it('need a name and a permission, and the form keeps what was chosen', async () => {
    await goTo(page, `${keys}/new?preset=passports`)
    await page.getByLabel('Name').fill(' ')
    await page.getByLabel('Ends after').selectOption('90')
    await follow(page.getByRole('button', { name: 'Create a key' }))
    expect(await page.getByRole('alert').innerText()).to.contain('Name')
    expect(await page.getByRole('checkbox', { name: 'Passports: Delete' }).isChecked()).to.equal(true)
    expect(await page.getByLabel('Ends after').inputValue()).to.equal('90')
    const ticked = page.getByRole('checkbox', { checked: true })
    while ((await ticked.count()) > 0) await ticked.first().uncheck()
    await page.getByLabel('Name').fill('nothing')
    await follow(page.getByRole('button', { name: 'Create a key' }))
    expect(await page.getByRole('alert').innerText()).to.equal('Please check: Permissions is missing.')
  })

  it('refuse a box that the form does not have, and belong to one organization', async () => {
    const other = await buildOrganization()
    const member = getOwnClient(await signInMember(other.owner, other.organization))
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const send = (path: string, fields: Record<string, string>) =>
      fetch(`${platform.api}${path}`, {
        method: 'POST',
        headers: { ...headers, cookie, origin: new URL(platform.api).origin },
        body: new URLSearchParams(fields).toString(),
        redirect: 'manual',
      })
    for (const [box, status] of [
      ['dpp:fly', 422],
      ['nothing:read', 422],
      ['dpp:read', 200],
    ] as const)
      expect((await send('/console/keys', { name: 'x', days: '', [box]: 'yes' })).status, box).to.equal(status)
    expect((await send('/console/keys', { name: 'x', days: '7', 'dpp:read': 'yes' })).status).to.equal(422)
    await goTo(page, keys)
    const path = new URL(
      String(
        await page
          .getByRole('link', { name: /^Revoke/ })
          .first()
          .getAttribute('href'),
      ),
      keys,
    ).pathname
    for (const action of ['revoke', 'rotate'])
      expect((await member.get(path.replace('revoke', action))).status, action).to.equal(404)
  })

  it('are for owners and administrators: an editor is refused and sees no way to them', async () => {
    const editor = await signInMember(await buildMember(tenant.organization, 'editor'), tenant.organization)
    const theirs = await (await openWindow(browser, { cookie: editor })).newPage()
    await goTo(theirs, `${consoleAddress}/imports`)
    expect(await theirs.getByRole('link', { name: 'API keys' }).count()).to.equal(0)
    for (const path of ['', '/new']) expect((await theirs.goto(`${keys}${path}`))?.status()).to.equal(403)
    await theirs.context().close()
  })

  it('are at most 100 that work at a time, also when several are made at once', async () => {
    const full = await buildOrganization()
    const context = await getOperator()
    for (let count = 0; count < 97; count++)
      await createApiKey(context, { organization: full.organization, name: 'Test', permissions: { dpp: ['read'] } })
    const owner = await signInMember(full.owner, full.organization)
    const create = () =>
      fetch(`${platform.api}/console/keys`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          cookie: owner,
          origin: new URL(platform.api).origin,
        },
        body: new URLSearchParams({ name: 'x', days: '', 'dpp:read': 'yes' }).toString(),
      })
    // One key came with the organization.
    const statuses = (await Promise.all(Array.from({ length: 6 }, create))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).to.be.at.most(2)
    expect(statuses.filter((status) => status !== 200 && status !== 409)).to.deep.equal([])
    for (let missing = statuses.filter((status) => status === 200).length; missing < 2; missing++)
      expect((await create()).status).to.equal(200)
    const refused = await create()
    expect(refused.status).to.equal(409)
    expect(await refused.text()).to.contain('At most 100 keys work at a time.')
  })

  for (const look of looks)
    it(`have no fault that axe finds, and nothing is cut off, ${formatLook(look)}`, async () => {
      await goTo(page, keys)
      const revoke = await page
        .getByRole('link', { name: /^Revoke/ })
        .first()
        .getAttribute('href')
      const paths = ['/console/keys', '/console/keys/new', String(revoke), String(revoke).replace('revoke', 'rotate')]
      await inspectPages(browser, { cookie, look }, paths)
    })
})
