import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { getOperator } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { putCampaignInState } from '../../support/rows/loyalty/campaigns.ts'
import type { Shop } from '../../support/world.ts'
import { consoleAddress, follow, goTo, openWindow } from '../loyalty/scenes.ts'
import { formatLook, inspectPages, looks, tabTo } from '../loyalty/walk.ts'
import { takePicture } from '../scenes.ts'
import { buildCampaignShop } from './scenes.ts'

describeInBrowser('Console: a campaign from its draft to its results', function () {
  this.timeout(180_000)
  let browser: Browser
  let window: BrowserContext
  let page: Page
  let shop: Shop
  let cookie: string
  let campaign: string
  before(async () => {
    const built = await buildCampaignShop(1_200)
    shop = built.shop
    cookie = built.owner.cookie
    await shop.api.patch(`/v1/applications/${shop.application}`, {
      theme: { title: 'Maison Alba', primaryColor: '#7a2430' },
    })
    await shop.api.post('/v1/loyalty/reward-tiers', {
      application: shop.application,
      name: 'Gold',
      requiredVisits: 10,
      currencyToPointRatio: 2,
    })
    browser = await openBrowser()
    window = await openWindow(browser, { cookie, script: true })
    page = await window.newPage()
  })
  after(() => browser.close())

  it('is written with the keyboard alone, and cards and numbers follow', async () => {
    await goTo(page, `${consoleAddress}/campaigns`)
    await tabTo(page, 'main .row a.button')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'New campaign' }).waitFor()
    await tabTo(page, '#name')
    await page.keyboard.type('Autumn')
    await tabTo(page, 'input[name="google"]')
    await page.keyboard.press('Space')
    await tabTo(page, '#headline')
    await page.keyboard.type('A coffee on us')
    const drawn = page.getByRole('group', { name: 'Apple Wallet' })
    expect(await drawn.textContent())
      .to.contain('A coffee on us')
      .and.to.contain('Maison Alba')
    expect(await page.locator('#headline-count').innerText()).to.equal('14 of 60 characters')
    await tabTo(page, '#body')
    await page.keyboard.type('This week your second espresso is a present. Show your card at the till.')
    await tabTo(page, '#minVisits')
    await page.keyboard.type('3')
    expect(await page.getByRole('group', { name: 'Google Wallet' }).count(), 'of a wallet that is not chosen').to.equal(
      0,
    )
    const numbers = page.getByRole('status', { name: 'Whom it reaches' })
    await numbers.getByText('Nobody has a card yet, or nobody matches.').waitFor()
    await page.keyboard.press('Backspace')
    await tabTo(page, '#holdoutPercent')
    await page.keyboard.type('10')
    await numbers.getByText('Held back').waitFor()
    expect(await numbers.innerText())
      .to.contain('1,200')
      .and.to.contain('120')
    await takePicture(page, 'campaign-editor', true)
    await tabTo(page, 'button[value="save"]')
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
    expect(await page.getByText('The draft is saved.').count()).to.equal(1)
    campaign = new URL(page.url()).pathname
    await takePicture(page, 'campaign-draft', true)
  })

  it('is sent after a page that says what will happen, and its progress is followed', async () => {
    await follow(page.getByRole('link', { name: 'Send now' }))
    const question = await page.getByRole('region', { name: 'What will happen' }).innerText()
    expect(question).to.contain('1,080 customers').and.to.contain('cannot be taken back')
    await takePicture(page, 'campaign-send', true)
    await follow(page.getByRole('button', { name: 'Send to their phones' }))
    await takePicture(page, 'campaign-sending', true)
    await page.getByRole('heading', { name: 'What came of it' }).waitFor()
    await page.getByText('Every message has an outcome.').waitFor()
  })

  it('shows its results as bars, as a table with the same figures, and as a file', async () => {
    const chart = await page.getByRole('img', { name: /^Bars/ }).getAttribute('aria-label')
    const sent = Number(/Sent ([\d,]+)/.exec(chart ?? '')?.[1]?.replace(',', ''))
    const rows = await page.getByRole('table', { name: 'Messages' }).locator('tbody tr').allInnerTexts()
    expect(rows[0]?.split(/\s+/).slice(0, 2)).to.deep.equal(['Sent', sent.toLocaleString('en')])
    expect(sent).to.be.within(1_000, 1_150)
    const results = await page.getByRole('region', { name: 'What came of it' }).innerText()
    expect(results).to.contain(sent.toLocaleString('en')).and.to.contain('Nobody has come yet')
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download every message as CSV' }).click()
    const lines = readFileSync(await (await downloading).path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(lines[0]).to.equal('account_id,external_customer_id,channel,status,exclusion_reason,error_code,sent_at')
    expect(lines.filter((line) => line.includes(',pushed,'))).to.have.length(sent)
    await takePicture(page, 'campaign-results', true)
    const outbox = await createApiClient().get(new URL(platform.outbox).pathname)
    expect(outbox.text).to.contain('A coffee on us')
  })

  const create = async (name: string): Promise<string> => {
    const made = await shop.api.post('/v1/loyalty/campaigns', {
      application: shop.application,
      name,
      channels: ['apple-wallet'],
      content: { headline: 'Hot chocolate', body: 'Until Sunday.' },
    })
    return String(made.body['id'])
  }
  /** Makes a campaign that stopped. @returns the address of its page */
  const strand = async (): Promise<string> => {
    const id = await create('Stopped')
    await putCampaignInState((await getOperator()).db, id, 'stranded')
    return `/console/campaigns/${id}`
  }
  /** Makes a campaign that waits for its time. @returns the address of its page */
  const plan = async (): Promise<string> => {
    const id = await create('Tomorrow')
    const sendAt = new Date(Date.now() + 86_400_000).toISOString()
    await shop.api.post(`/v1/loyalty/campaigns/${id}/schedule`, { sendAt })
    return `/console/campaigns/${id}`
  }

  for (const look of looks)
    it(`fits ${formatLook(look)}, and axe finds nothing`, async () => {
      const made = await shop.api.post('/v1/loyalty/campaigns', {
        application: shop.application,
        name: 'Winter',
        targeting: { locales: ['fr'], holdoutPercent: 5 },
        content: { headline: 'Hot chocolate', body: 'Until Sunday.' },
        channels: ['apple-wallet', 'google-wallet'],
      })
      expect(made.status, made.text).to.equal(201)
      const draft = `/console/campaigns/${String(made.body['id'])}`
      await inspectPages(browser, { cookie, look }, [
        '/console/campaigns',
        '/console/campaigns/new',
        draft,
        `${draft}/delete`,
        `/console/campaigns/${await create('Later')}/schedule`,
        campaign,
        await strand(),
        await plan(),
        `/console/branding/${shop.application}/wallets`,
      ])
    })
})
