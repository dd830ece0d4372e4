import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createEmail, createUniqueName, getOwnClient, signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { buildMember, buildOrganization } from '../../support/world.ts'
import { consoleAddress, follow, goTo, openWindow } from '../loyalty/scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from '../loyalty/walk.ts'
import { signInByPages } from '../scenes.ts'

describeInBrowser('Console: a new organization and its documents', function () {
  this.timeout(120_000)
  let browser: Browser
  const windows: BrowserContext[] = []
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())
  afterEach(async () => {
    for (const window of windows.splice(0)) await window.close()
  })

  async function openPage(cookie?: string): Promise<Page> {
    const window = await openWindow(browser, cookie === undefined ? {} : { cookie })
    windows.push(window)
    return window.newPage()
  }
  const pathOf = (page: Page) => new URL(page.url()).pathname

  it('is created by a newcomer with the keyboard alone, from the sign-in to the first page', async () => {
    const page = await openPage()
    await goTo(page, consoleAddress)
    await signInByPages(browser, page, createEmail('newcomer'))
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('No organization yet')
    await tabTo(page, 'a.button')
    await follow(page.getByRole('link', { name: 'Create a new organization' }))
    await tabTo(page, '#name')
    const name = createUniqueName('Aster')
    await page.keyboard.type(name)
    await tabTo(page, 'input[name=accepts]')
    await page.keyboard.press('Space')
    await tabTo(page, 'form.card button')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/console$/)
    expect(await page.locator('header.top').innerText()).to.contain(`${name} (domain not confirmed), Owner`)
  })

  it('is refused without the documents, and the form keeps what was written', async () => {
    const page = await openPage(await signInMember(createEmail('newcomer')))
    await goTo(page, `${consoleAddress}/organizations/new`)
    await page.getByLabel('Its name').fill('Aster')
    await page.getByLabel('Currency of its bills').selectOption('USD')
    await follow(page.getByRole('button', { name: 'Create the organization' }))
    expect(await page.getByRole('alert').innerText()).to.contain('A company accepts the documents below.')
    expect(await page.getByLabel('Its name').inputValue()).to.equal('Aster')
    expect(await page.getByLabel('Currency of its bills').inputValue()).to.equal('USD')
    await page.getByLabel('Its name').fill(' ')
    await page.getByRole('checkbox', { name: /^I have read and accept/ }).check()
    await follow(page.getByRole('button', { name: 'Create the organization' }))
    expect(await page.getByRole('alert').innerText()).to.equal('Please check: Its name is missing.')
  })

  it('needs no documents of a person, and not more than three', async () => {
    const cookie = await signInMember(createEmail('newcomer'))
    const page = await openPage(cookie)
    await goTo(page, `${consoleAddress}/organizations/new`)
    await page.getByLabel('Its name').fill(createUniqueName('Ada'))
    await page.getByRole('radio', { name: /^A person/ }).check()
    await follow(page.getByRole('button', { name: 'Create the organization' }))
    expect(pathOf(page)).to.equal('/console')
    for (let count = 2; count <= 3; count++)
      await getOwnClient(cookie).post('/v1/organizations', {
        name: createUniqueName('Ada'),
        customerType: 'individual',
      })
    await goTo(page, `${consoleAddress}/organizations/new`)
    await page.getByLabel('Its name').fill('Ada')
    await page.getByRole('radio', { name: /^A person/ }).check()
    await follow(page.getByRole('button', { name: 'Create the organization' }))
    expect(await page.getByRole('alert').innerText()).to.contain('You have created three organizations')
  })

  it('shows its documents to each member before the next page, and then never again', async () => {
    const { organization } = await buildOrganization()
    const cookie = await signInMember(await buildMember(organization, 'editor'))
    await getOwnClient(cookie).post('/v1/auth/organization/set-active', { organizationId: organization })
    const page = await openPage(cookie)
    await goTo(page, `${consoleAddress}/accounts`)
    expect([pathOf(page), new URL(page.url()).searchParams.get('next')]).to.deep.equal([
      '/console/legal',
      '/console/accounts',
    ])
    const [text] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Terms of service' }).click(),
    ])
    expect(await text.getByRole('heading', { level: 1 }).innerText()).to.equal('Terms of service')
    await text.close()
    await page.getByRole('checkbox', { name: /^I have read and accept/ }).check()
    await follow(page.getByRole('button', { name: 'Accept and go on' }))
    expect(pathOf(page)).to.equal('/console/accounts')
    await goTo(page, `${consoleAddress}/legal`)
    expect(await page.getByText('You have accepted all documents').count()).to.equal(1)
    expect(await page.getByRole('region', { name: 'Legal documents' }).locator('tbody tr').count()).to.equal(3)
  })

  it('does not take a form for documents in another version than the current one', async () => {
    const { organization } = await buildOrganization()
    const cookie = await signInMember(await buildMember(organization, 'viewer'))
    await getOwnClient(cookie).post('/v1/auth/organization/set-active', { organizationId: organization })
    const page = await openPage(cookie)
    await goTo(page, `${consoleAddress}/legal`)
    await page.evaluate(`document.querySelector('input[name=versions]').value = 'terms@0'`)
    await page.getByRole('checkbox', { name: /^I have read and accept/ }).check()
    await follow(page.getByRole('button', { name: 'Accept and go on' }))
    expect(await page.getByRole('alert').innerText()).to.contain('is not the current one')
    const state = await getOwnClient(cookie).get('/v1/legal/me')
    expect((state.body['missing'] as unknown as unknown[]).length).to.equal(3)
  })

  for (const look of looks)
    it(`has no fault that axe finds, and nothing is cut off, ${formatLook(look)}`, async () => {
      const cookie = await signInMember(createEmail('newcomer'))
      await inspectPages(browser, { cookie, look }, ['/console/organizations/new', '/console/legal'])
    })

  for (const look of looks.filter(({ locale }) => locale === 'en-US'))
    it(`has documents that are easy to read, ${formatLook(look)}`, async () => {
      const cookie = await signInMember(createEmail('reader'))
      await inspectPages(browser, { cookie, look }, ['/legal/terms', '/legal/privacy', '/legal/processing'])
    })

  it('has pages of documents for everybody', async () => {
    const page = await openPage()
    const answer = await page.goto(`${platform.api}/legal/privacy`)
    expect(answer?.status()).to.equal(200)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('Privacy notice')
  })
})
