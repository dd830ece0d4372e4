import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { createEmail, signInBuyer, signInMember } from '../../core/identity/people.ts'
import { getAccountId } from '../../core/loyalty/accounts/accounts.maker.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildMember, type Shop } from '../../support/world.ts'
import { buildConsole, buildCustomer, consoleAddress, goTo, openWindow, follow } from './scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from './walk.ts'
import { prepareTable } from './tables.ts'

describeInBrowser('Console: assignments', function () {
  this.timeout(120_000)
  let browser: Browser
  let page: Page
  let shop: Shop
  let cookie: string
  const email = createEmail('awaited')
  before(async () => {
    const built = await buildConsole()
    shop = built.shop
    cookie = built.cookie
    const gold = { application: shop.application, name: 'Gold', requiredVisits: 12, currencyToPointRatio: 2 }
    expect((await shop.api.post('/v1/loyalty/reward-tiers', gold)).status).to.equal(201)
    browser = await openBrowser()
    page = await (await openWindow(browser, { cookie })).newPage()
  })
  after(() => browser.close())

  const listPeople = async () => page.locator('tbody tr td:first-child a').allInnerTexts()

  it('writes down points for a person with the keyboard alone', async () => {
    await goTo(page, `${consoleAddress}/assignments`)
    expect(await page.getByRole('heading', { name: 'Nothing waits for anybody' }).count()).to.equal(1)
    await tabTo(page, 'a[href="/console/assignments/new"]')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'New assignment' }).waitFor()
    await tabTo(page, '#email')
    await page.keyboard.type(email.toUpperCase())
    await tabTo(page, '#optimisticBalance')
    await page.keyboard.type('250')
    await tabTo(page, 'main button')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Assignments' }).waitFor()
    expect(await listPeople()).to.deep.equal([email])
  })

  it('is told that something waits already, and adds to it when asked to', async () => {
    await goTo(page, `${consoleAddress}/assignments/new`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Points').fill('50')
    await page.getByLabel('Tier').selectOption({ label: 'Gold' })
    await follow(page.getByRole('button', { name: 'Save' }))
    expect(await page.getByRole('alert').innerText()).to.contain('has a pending assignment')
    await page.getByLabel('Add to what waits').check()
    await follow(page.getByRole('button', { name: 'Save' }))
    const [row = ''] = await page.locator('tbody tr').allInnerTexts()
    expect(row).to.contain('300').and.to.contain('Gold')
  })

  const check = async (table: string) => {
    await goTo(page, `${consoleAddress}/assignments/table`)
    await page.getByLabel('Pasted table').fill(table)
    await follow(page.getByRole('button', { name: 'Check the table' }))
    await page.getByRole('heading', { level: 1, name: 'What the columns are' }).waitFor()
    await follow(page.getByRole('button', { name: 'Show the preview' }))
    await page.getByRole('heading', { level: 1, name: 'What the table would make' }).waitFor()
  }
  const readCount = async (name: string) => page.locator(`dt:text-is("${name}") + dd`).innerText()

  it('shows what a pasted table would make and its bad lines before it writes anything down', async () => {
    await check(
      `one@people.example;;10;\nno address;;5;\ntwo@people.example;;7;Silver\n;+39 333 123 4567;-1;\n${email};;1;`,
    )
    expect(await page.getByRole('status').innerText()).to.contain('2 of the first 5 lines')
    const bad = await page.getByRole('region', { name: 'Bad lines' }).locator('tbody tr').allInnerTexts()
    expect(bad.map((text) => text.split('\t')[0])).to.deep.equal(['3', '4', '5'])
    expect(bad[1]).to.contain('names no tier of this application').and.to.contain('Silver')
    await goTo(page, `${consoleAddress}/assignments`)
    expect(await listPeople()).to.deep.equal([email])
  })

  it('tries every line of a pasted table first, and then imports it with the report', async () => {
    await check(`one@people.example;;10;\ntwo@people.example;;7;gold\n;+39 333 123 4567;20;\n${email};;1;`)
    await follow(page.getByRole('button', { name: 'Dry run: check every line' }))
    await page.getByText('Nothing was written down.').waitFor()
    expect(await readCount('Written down or given')).to.equal('3')
    expect(await readCount('Left out, as they have one already')).to.equal('1')
    await follow(page.getByRole('link', { name: 'Go on to the import' }))
    await follow(page.getByRole('button', { name: 'Import', exact: true }))
    await page.getByText('Written down or given').waitFor()
    expect(await readCount('Written down or given')).to.equal('3')
    await goTo(page, `${consoleAddress}/assignments`)
    expect(await listPeople()).to.have.members([email, 'one@people.example', 'two@people.example', '+393331234567'])
  })

  it('imports a file with headings of its own with the keyboard alone', async () => {
    await goTo(page, `${consoleAddress}/assignments/table`)
    const text = 'Adresse e-mail;Points fidélité\nthree@people.example;12\nnobody;3\n'
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'clients.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await tabTo(page, 'form[enctype] button')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'What the columns are' }).waitFor()
    expect(await page.getByLabel('Column Points fidélité').inputValue()).to.equal('optimisticBalance')
    await tabTo(page, 'main button')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'What the table would make' }).waitFor()
    await tabTo(page, 'button[value="import"]')
    await page.keyboard.press('Enter')
    await page.getByText('Written down or given').waitFor()
    expect(await readCount('Failed')).to.equal('1')
    expect(await page.getByRole('region', { name: 'Bad lines' }).innerText()).to.contain('nobody')
    const [row] = (await shop.api.get('/v1/account-assignments?filters[email][eq]=three@people.example')).body[
      'data'
    ] as unknown as { id: string }[]
    expect((await shop.api.delete(`/v1/account-assignments/${row?.id}`)).status).to.equal(200)
  })

  it('finds one by its address or its number, and downloads what the filters find', async () => {
    await goTo(page, `${consoleAddress}/assignments`)
    await page.getByRole('searchbox').fill('333 123')
    await follow(page.getByRole('button', { name: 'Search' }))
    expect(await listPeople()).to.deep.equal(['+393331234567'])
    await page.getByRole('searchbox').fill('TWO@')
    await follow(page.getByRole('button', { name: 'Search' }))
    expect(await listPeople()).to.deep.equal(['two@people.example'])
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download as CSV' }).click()
    const lines = readFileSync(await (await downloading).path(), 'utf8').split('\r\n')
    expect(lines.slice(1).map((line) => line.split(',').slice(3, 6).join())).to.deep.equal([
      'two@people.example,,7',
      '',
    ])
  })

  it('changes one, and deletes it after a page that says what will happen', async () => {
    await follow(page.getByRole('link', { name: 'two@people.example' }))
    await page.getByLabel('Points').fill('70')
    await follow(page.getByRole('button', { name: 'Save' }))
    expect(await page.getByRole('region', { name: 'Assignment' }).innerText()).to.contain('70')
    await follow(page.getByRole('link', { name: 'Delete the assignment' }))
    expect(await page.getByRole('region', { name: 'What will happen' }).innerText()).to.contain('70 points')
    await follow(page.getByRole('button', { name: 'Delete the assignment' }))
    await page.getByRole('heading', { level: 1, name: 'Assignments' }).waitFor()
    expect(await listPeople()).to.not.include('two@people.example')
  })

  it('shows what was given to whom, and how it came to the account', async () => {
    const account = getAccountId(await signInBuyer(shop.application, email))
    await goTo(page, `${consoleAddress}/assignments?status=consumed`)
    expect(await listPeople()).to.deep.equal([email])
    await follow(page.getByRole('link', { name: email }))
    expect(await page.getByRole('button', { name: 'Save' }).count()).to.equal(0)
    await goTo(page, `${consoleAddress}/accounts/${account}`)
    expect(await page.getByRole('region', { name: 'Points' }).innerText())
      .to.contain('300')
      .and.to.contain('Gold')
  })

  it('deletes an account after a page that says what will happen', async () => {
    const { id } = await buildCustomer(shop, 'Passing Guest')
    await goTo(page, `${consoleAddress}/accounts/${id}`)
    await follow(page.getByRole('link', { name: 'Delete this account' }))
    expect(await page.getByRole('region', { name: 'What will happen' }).innerText()).to.contain('keys of their wallet')
    await follow(page.getByRole('button', { name: 'Delete the account' }))
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor()
    expect((await page.goto(`${consoleAddress}/accounts/${id}`))?.status()).to.equal(404)
  })

  it('shows a viewer no action', async () => {
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    const reading = await (await openWindow(browser, { cookie: viewer })).newPage()
    await goTo(reading, `${consoleAddress}/assignments`)
    expect(await reading.getByRole('link', { name: 'New assignment' }).count()).to.equal(0)
  })

  for (const look of looks)
    it(`fits ${formatLook(look)}, and axe finds nothing`, async () => {
      const [one] = (await shop.api.get('/v1/account-assignments')).body['data'] as unknown as { id: string }[]
      await inspectPages(browser, { cookie, look }, [
        '/console/assignments',
        '/console/assignments/new',
        '/console/assignments/table',
        ...(await prepareTable(shop, cookie)),
        `/console/assignments/${one?.id}`,
        `/console/assignments/${one?.id}/delete`,
        '/console/accounts',
      ])
    })
})
