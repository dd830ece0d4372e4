import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createEmail, getOwnClient, listMessagesTo, readCodeFor, signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { buildMember, buildOrganization, type Tenant } from '../../support/world.ts'
import { consoleAddress, follow, goTo, openWindow } from '../loyalty/scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from '../loyalty/walk.ts'

describeInBrowser('Console: members', function () {
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

  const members = `${consoleAddress}/members`
  const readPeople = () => page.getByRole('region', { name: 'Members' }).locator('tbody tr').allInnerTexts()

  it('are invited with the keyboard alone, and the mail leads to a page that asks', async () => {
    const email = createEmail('guest')
    await goTo(page, members)
    await tabTo(page, '#email')
    await page.keyboard.type(email)
    await tabTo(page, 'form.card button')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Invitations that are open' }).waitFor()
    const [mail] = await listMessagesTo(email)
    const link = /http\S+\/console\/invitations\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
    const guestWindow = await openWindow(browser, {})
    const guest = await guestWindow.newPage()
    await goTo(guest, link)
    await guest.getByLabel('Your e-mail address').fill(email)
    await follow(guest.getByRole('button', { name: 'Send me a code' }))
    await guest.getByLabel('Your code').fill(await readCodeFor(email))
    await follow(guest.getByRole('button', { name: 'Sign in' }))
    expect(await guest.getByRole('region', { name: 'You are invited' }).innerText()).to.match(
      /not confirmed.*as: Editor\./s,
    )
    await follow(guest.getByRole('button', { name: 'Accept' }))
    await guest.getByRole('checkbox', { name: /^I have read and accept/ }).check()
    await follow(guest.getByRole('button', { name: 'Accept and go on' }))
    expect(new URL(guest.url()).pathname).to.equal('/console')
    await goTo(guest, link)
    expect(await guest.getByRole('heading', { level: 1 }).innerText()).to.equal('This invitation has ended')
    await guestWindow.close()
    await goTo(page, members)
    expect((await readPeople()).find((row) => row.startsWith(email))).to.match(/Editor/)
  })

  it('get another role, and are removed after a page that says what will happen', async () => {
    const email = await buildMember(tenant.organization, 'viewer')
    await goTo(page, members)
    await page.getByLabel(`Role of ${email}`).selectOption({ label: 'Administrator' })
    await follow(page.getByRole('row', { name: email }).getByRole('button', { name: 'Save' }))
    expect(await page.getByLabel(`Role of ${email}`).inputValue()).to.equal('admin')
    await follow(page.getByRole('link', { name: `Remove ${email}` }))
    expect(await page.getByRole('region', { name: 'What will happen' }).innerText()).to.contain('from their next click')
    await follow(page.getByRole('button', { name: 'Remove' }))
    expect((await readPeople()).some((row) => row.startsWith(email))).to.equal(false)
  })

  it('are told what is refused, and the form keeps what was written', async () => {
    const email = await buildMember(tenant.organization, 'viewer')
    await goTo(page, members)
    await page.getByLabel('E-mail address').fill(email)
    await follow(page.getByRole('button', { name: 'Send the invitation', exact: true }))
    expect(await page.getByRole('alert').innerText()).to.equal('This person is a member already.')
    expect(await page.getByLabel('E-mail address').inputValue()).to.equal(email)
    await goTo(page, members)
    await follow(page.getByRole('link', { name: 'Leave' }))
    await follow(page.getByRole('button', { name: 'Leave' }))
    expect(await page.getByRole('alert').innerText()).to.contain('keeps one owner')
  })

  it('withdraw an invitation, whose link says so', async () => {
    const email = createEmail('withdrawn')
    await getOwnClient(cookie).post(`/v1/organizations/${tenant.organization}/invitations`, { email, role: 'viewer' })
    await goTo(page, members)
    await follow(page.getByRole('button', { name: `Withdraw the invitation to ${email}` }))
    expect(await page.getByText(email).count()).to.equal(0)
    const [mail] = await listMessagesTo(email)
    const link = /\/console\/invitations\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
    const guestWindow = await openWindow(browser, { cookie: await signInMember(email) })
    const guest = await guestWindow.newPage()
    await goTo(guest, `${platform.api}${link}`)
    expect(await guest.getByRole('heading', { level: 1 }).innerText()).to.equal('This invitation has ended')
    await page.goto(`${platform.api}${link}`)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal(
      'This invitation is not for this address',
    )
    await guestWindow.close()
  })

  it('see only what their role allows', async () => {
    const editor = await signInMember(await buildMember(tenant.organization, 'editor'), tenant.organization)
    const editorWindow = await openWindow(browser, { cookie: editor })
    const theirs = await editorWindow.newPage()
    await goTo(theirs, members)
    expect(await theirs.getByRole('button', { name: 'Save' }).count()).to.equal(0)
    expect(await theirs.getByRole('heading', { name: 'Invite a person' }).count()).to.equal(0)
    expect(await theirs.getByRole('link', { name: /^Remove/ }).count()).to.equal(0)
    await editorWindow.close()
  })

  for (const look of looks)
    it(`have no fault that axe finds, and nothing is cut off, ${formatLook(look)}`, async () => {
      await inspectPages(browser, { cookie, look }, ['/console/members'])
    })
})
