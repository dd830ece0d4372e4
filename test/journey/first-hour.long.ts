import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { createEmail, createUniqueName, listMessagesTo } from '../core/identity/people.ts'
import { connectClient } from '../support/bridge/bridge-client.ts'
import { describeInBrowser, openBrowser } from '../support/network/chromium.ts'
import { platform } from '../support/platform.ts'
import { Walker } from './browser-walk.ts'

/** Ten pieces, as a spreadsheet saves them; the columns are named as people name them. */
const serials = Array.from({ length: 10 }, (_, at) => `WB-${String(at + 1).padStart(2, '0')}`)
const table = ['Serial number;Colour;Weight', ...serials.map((serial) => `${serial};Sand;1.2`)].join('\n')

/**
 * Only the first page, the link of a mail and the address in a QR code are opened by their address. Everything else is a
 * link or a button that the page before shows.
 */
describeInBrowser("Journey by browser: a newcomer's first hour", function () {
  this.timeout(120_000)
  this.bail(true)
  let browser: Browser
  let owner: Walker
  let colleague: Walker
  let buyer: Walker
  const company = createUniqueName('Aster Bags')
  const [ownerEmail, colleagueEmail, buyerEmail] = [
    createEmail('owner'),
    createEmail('colleague'),
    createEmail('buyer'),
  ]
  let scanned = ''
  let claimLink = ''

  before(async () => {
    browser = await openBrowser()
    owner = await Walker.start(browser, 'desk')
    colleague = await Walker.start(browser, 'desk')
    buyer = await Walker.start(browser, 'phone')
  })
  after(() => browser.close())

  const readTop = ({ page }: Walker) => page.locator('header.top').innerText()

  it('leads from the address of the platform to the sign-up, which needs an e-mail address and a code', async () => {
    await owner.open(platform.api)
    await owner.look('01-front')
    await owner.follow('Sign in or sign up')
    await owner.page.getByText('If you are new, the code signs you up.').waitFor()
    await owner.look('02-sign-in')
    await owner.signIn(ownerEmail, () => owner.look('03-code'))
    expect(await owner.readHeading()).to.equal('No organization yet')
    await owner.look('04-no-organization')
  })

  it('creates a company, which accepts its documents, and says what comes first', async () => {
    await owner.follow('Create a new organization')
    await owner.fill('Its name', company)
    await owner.look('05-new-organization')
    await owner.tick(owner.page.getByRole('checkbox', { name: /^I have read and accept for my company/ }))
    await owner.press('Create the organization')
    expect(await readTop(owner)).to.contain(`${company} (domain not confirmed), Owner`)
    expect((await owner.readPart('First steps')).split('\n')).to.have.length.above(5)
    await owner.look('06-home')
  })

  it('invites a colleague, who comes by the link of the mail and sees the organization', async () => {
    await owner.follow('Invite the people you work with')
    await owner.fill('E-mail address', colleagueEmail)
    await owner.press('Send the invitation')
    expect(await owner.readPart('Invitations that are open')).to.contain(colleagueEmail)
    await owner.look('07-invited')
    const [mail] = await listMessagesTo(colleagueEmail)
    expect(mail?.subject).to.contain(company)
    await colleague.open(/https?:\S+/.exec(mail?.text ?? '')?.[0] ?? '')
    await colleague.signIn(colleagueEmail)
    expect(await colleague.readPart('You are invited')).to.contain(company)
    await colleague.look('08-invitation')
    await colleague.press('Accept')
    expect(await colleague.readHeading()).to.equal('Legal documents')
    await colleague.look('09-documents')
    await colleague.tick(colleague.page.getByRole('checkbox', { name: /^I have read and accept/ }))
    await colleague.press('Accept and go on')
    expect(await readTop(colleague)).to.contain(`${company} (domain not confirmed), Editor`)
    await colleague.look('10-home-of-colleague')
  })

  it('makes an application, and is led to a sheet', async () => {
    await owner.followMenu('Sheets')
    await owner.follow('New sheet', owner.page.getByRole('region', { name: 'What next' }))
    await owner.look('11-sheet-needs-application')
    await owner.follow('Create an application')
    await owner.fill('Name', 'Aster shop')
    await owner.look('12-new-application')
    await owner.press('Create an application')
    expect(await owner.readHeading()).to.equal('Aster shop')
    await owner.look('13-application')
  })

  it('makes a sheet with fields of the passports and of the product, fills them in and activates it', async () => {
    const rowOf = (name: string) => owner.page.getByRole('group', { name, exact: true })
    await owner.follow('make a sheet, which says what the passports of a product say')
    await owner.fill('Name', 'Weekend bag')
    await owner.fill('Label', 'Serial number', rowOf('serialNumber'))
    for (const [key, type] of [
      ['colour', 'One line of text'],
      ['weight', 'Number'],
    ] as const) {
      await owner.press('Add a field of the passports')
      const row = owner.page.getByRole('group', { name: /^Field \d$/ })
      await owner.fill('Key', key, row)
      await row.getByLabel('Type').selectOption(type)
    }
    await owner.press('Add a field of the product')
    const row = owner.page.getByRole('group', { name: /^Field \d$/ })
    await owner.fill('Key', 'material', row)
    await owner.tick(row.getByRole('checkbox', { name: 'Certified' }))
    await owner.look('14-sheet-form')
    await owner.press('Save')
    await owner.page.getByText('Activate it once its fields are right').waitFor()
    await owner.look('15-sheet-draft')
    await owner.follow('Values of the product')
    await owner.fill('material', 'Waxed cotton')
    await owner.press('Save')
    await owner.follow('Activate')
    await owner.look('16-activate')
    await owner.press('Activate')
    await owner.page.getByText('Its passports can be minted and claimed.').waitFor()
    await owner.look('17-sheet')
  })

  it('makes ten passports of a file, whose columns are recognized as fields of the sheet', async () => {
    await owner.follow('Import a file')
    await owner.look('18-import')
    await owner.page
      .getByLabel('File')
      .setInputFiles({ name: 'bags.csv', mimeType: 'text/csv', buffer: Buffer.from(table) })
    await owner.press('Upload')
    await owner.tick(owner.page.getByRole('radio', { name: /^By a sheet/ }))
    await owner.look('19-import-choice')
    await owner.press('Go on')
    for (const [column, field] of [
      ['Serial number', 'Serial number'],
      ['Colour', 'colour'],
      ['Weight', 'weight'],
    ] as const)
      expect(await owner.page.getByLabel(`Goes to (${column})`).locator('option:checked').innerText()).to.equal(field)
    await owner.look('20-import-columns')
    await owner.press('See the first rows')
    await owner.page.getByText('The first 10 rows are good.').waitFor()
    await owner.look('21-import-preview')
    await owner.press('Import')
    await owner.page.getByRole('link', { name: 'See the passports' }).waitFor()
    expect(await owner.readPart('Counts')).to.match(/Created\s+10\b/)
    await owner.look('22-import-report')
  })

  it('publishes them all at once, after a page that says what will happen', async () => {
    await owner.follow('See the passports')
    for (const serial of serials)
      expect(await owner.page.getByRole('row').filter({ hasText: serial }).innerText()).to.contain('Draft')
    await owner.look('23-passports')
    await owner.press('For all 10')
    expect(await owner.readHeading()).to.equal('Publish 10 passports?')
    expect(await owner.readPart('What will happen'))
      .to.contain('10 of 10 will change.')
      .and.to.contain('Weekend bag, WB-07')
    await owner.look('24-publish')
    await owner.press('Publish 10 passports')
    await owner.page.getByText('Done', { exact: true }).waitFor()
    expect(await owner.readPart('Result')).to.match(/Published\s+10\b/)
    await owner.look('25-published')
  })

  it('shows the QR code of a passport, which leads to its public page, and a link to claim it', async () => {
    await owner.follow('All passports')
    await owner.follow('Weekend bag', owner.page.getByRole('row').filter({ hasText: 'WB-07' }))
    await owner.look('26-passport')
    scanned = await owner.scan(owner.page.getByAltText('QR code of the passport'))
    await owner.follow('Claim link')
    await owner.press('Show the link')
    claimLink = await owner.page.locator('#link').innerText()
    await owner.look('27-claim-link')
    await buyer.open(scanned)
    expect(await buyer.readHeading()).to.equal('Weekend bag')
    for (const value of ['WB-07', 'Waxed cotton']) await buyer.page.getByText(value, { exact: true }).waitFor()
    await buyer.look('28-public-page')
  })

  it('is claimed on a phone, by a buyer with the link and a code', async () => {
    await buyer.fill('Your link', claimLink)
    await buyer.press('Claim it')
    await buyer.look('29-claim')
    await buyer.signIn(buyerEmail, () => buyer.look('30-claim-code'))
    await buyer.look('31-claim-button')
    await buyer.press('Claim it')
    await buyer.page.getByRole('heading', { name: 'It is yours' }).waitFor({ timeout: 60_000 })
    await buyer.look('32-claimed')
    await buyer.follow('All your passports and points')
    expect(await buyer.page.locator('.owned li').allInnerTexts()).to.have.length(1)
    await buyer.look('33-me')
  })

  it('gives the buyer points with a reason, which the buyer reads on their own page', async () => {
    await owner.followMenu('Accounts')
    await owner.look('34-accounts')
    await owner.follow(buyerEmail)
    await owner.unfold('Credit or take points')
    await owner.fill('How many points', '120')
    await owner.fill('Reason', 'Welcome to Aster')
    await owner.look('35-account')
    await owner.press('Book')
    await owner.look('36-points')
    await owner.press('Credit the points')
    expect(await owner.readPart('Entries'))
      .to.contain('Welcome to Aster')
      .and.to.contain('+120')
    await owner.look('37-credited')
    await buyer.open(buyer.page.url())
    expect(await buyer.readPart('Points')).to.contain('120 points')
    expect(await buyer.readPart('What happened last')).to.contain('Welcome to Aster')
    await buyer.look('38-me-with-points')
  })

  it('makes an API key for an assistant, whose client lists the tools with what the page shows', async () => {
    await owner.followMenu('Assistant')
    await owner.look('39-assistant')
    await owner.follow('Make a key for it')
    await owner.fill('Name', 'Assistant')
    await owner.look('40-new-key')
    await owner.press('Create a key')
    await owner.look('41-key')
    const settings = JSON.parse(await owner.page.locator('#settings').innerText()) as {
      mcpServers: { tessera: { url: string; headers: Record<string, string> } }
    }
    const { url, headers } = settings.mcpServers.tessera
    const client = await connectClient(url, headers)
    const { tools } = await client.listTools()
    await client.close()
    expect(tools.map(({ name }) => name)).to.include('create_dpp_passport')
  })

  after(() => {
    const sum = (figure: 'clicks' | 'fields' | 'pages') =>
      [owner, colleague, buyer].reduce((all, { counts }) => all + counts[figure], 0)
    console.log(`      The walk took ${sum('clicks')} clicks, ${sum('fields')} fields and ${sum('pages')} pages`)
  })
})
