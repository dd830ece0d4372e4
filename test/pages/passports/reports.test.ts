import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { createEmail, getOperator, signInMember } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { insertOpenReports } from '../../support/rows/dpp/reports/reports.ts'
import {
  buildMember,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { listAccessibilityFaults, loadAxe } from '../axe.ts'
import { inspectPages, looks } from '../loyalty/walk.ts'
import { measureOverhang, takePicture } from '../scenes.ts'
import { createVisitor, listLinks, readForm, readText, type Visitor } from './visitor.ts'

const list = '/console/reports'
const visitor = createVisitor('')

describe('Reports of passports', function () {
  this.timeout(120_000)
  let shop: Shop
  let sheet: string
  let owner: Visitor
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
  })
  const publish = async (by = shop, product = sheet) => (await buildPublishedPassport(by, product)).id
  const report = (passport: string, body: object) =>
    createApiClient().post(`/v1/dpp/passports/${passport}/reports`, body)

  describe('public form', () => {
    it('takes a report, and can be opened again without a second one', async () => {
      const path = `/p/${await publish()}/report`
      const sent = await visitor.post(path, { kind: 'fake', text: 'The seam\r\nis glued.', email: '' })
      expect([sent.status, sent.headers['location']]).to.deep.equal([303, `${path}?sent=yes`])
      expect(readText(await visitor.get(`${path}?sent=yes`))).to.contain('Thank you')
      const french = await visitor.post(path, { kind: 'other', text: 'Bonjour', lang: 'fr' })
      expect(french.headers['location']).to.equal(`${path}?sent=yes&lang=fr`)
    })

    it('says what is wrong, and keeps what was written', async () => {
      const path = `/p/${await publish()}/report`
      const fields = { kind: 'defect', text: '<b>"Loose" & broken</b>', email: 'nobody' }
      const refused = await visitor.post(path, fields)
      expect(refused.status).to.equal(422)
      expect(readText(refused)).to.contain('This is no e-mail address')
      expect(readForm(refused, path)).to.include({ text: fields.text, email: 'nobody' })
      expect(refused.text).to.contain('value="defect" checked').and.not.to.contain('<b>')
      const empty = readText(await visitor.post(path, { text: ' ', email: '' }))
      expect(empty).to.contain('Choose what it is.').and.to.contain('Write what you saw')
      const tooMany = { kind: 'fake', text: 'x' }
      for (const at of [1, 2, 3, 4, 5]) await visitor.post(path, { ...tooMany, text: `Report ${at}` })
      const limited = await visitor.post(path, tooMany)
      expect(limited.status).to.equal(429)
      expect(Number(limited.headers['retry-after'])).to.be.within(1, 3_600)
      expect(readText(limited)).to.contain('try again later')
    })

    it('is not there for a draft, and closed to forms of other sites', async () => {
      const { id } = await buildPassport(shop, sheet)
      const fields = { kind: 'fake', text: 'x' }
      expect((await visitor.get(`/p/${id}/report`)).status).to.equal(404)
      expect((await visitor.post(`/p/${id}/report`, fields)).status).to.equal(404)
      const foreign = { origin: 'https://stranger.example' }
      expect((await visitor.post(`/p/${await publish()}/report`, fields, foreign)).status).to.equal(403)
    })
  })

  describe('console', () => {
    it('lists what waits, the newest first, with the words of whoever reported as plain text', async () => {
      const [first, second] = [await publish(), await publish()]
      const email = createEmail('witness')
      await report(first, { kind: 'stolen', text: 'Mine.\n<script>alert(1)</script>', email })
      await report(second, { kind: 'defect', text: '=HYPERLINK("http://evil.example")' })
      const page = await owner.get(list)
      const text = readText(page)
      expect(text.indexOf('HYPERLINK')).to.be.within(0, text.indexOf('Mine.'))
      expect(page.text).to.contain('Mine.<br>&lt;script&gt;').and.not.to.contain('<script>alert')
      expect(text).to.contain(email).and.to.contain('No address was left.')
      expect(listLinks(page)).to.include(`/console/passports/${first}`)
      expect(listLinks(await owner.get(`/console/passports/${first}`))).to.include(
        `${list}?state=all&passport=${first}`,
      )
      expect(listLinks(await owner.get('/console'))).to.include(list)
      expect(readText(await owner.get(list, 'fr')))
        .to.contain('Signalements')
        .and.to.contain('Vol')
    })

    it('has the filters of its address in the file too, in which no cell is a formula', async () => {
      const [first, second] = [await publish(), await publish()]
      await report(first, { kind: 'fake', text: '=1+1' })
      await report(second, { kind: 'other', text: 'Hello' })
      for (const [query, has, hasNot] of [
        [`?passport=${first}`, '=1+1', 'Hello'],
        ['?kind=other', 'Hello', '=1+1'],
        [`?application=${shop.application}&state=open`, 'Hello', 'nothing'],
      ] as const) {
        const page = await owner.get(`${list}${query}`)
        expect(readText(page), query).to.contain(has).and.not.to.contain(hasNot)
      }
      const page = await owner.get(`${list}?passport=${first}`)
      const file = await owner.get(listLinks(page).find((link) => link.startsWith(`${list}.csv`)) ?? '')
      expect(file.headers['content-type']).to.contain('text/csv')
      const [head, ...lines] = file.text.trim().split('\r\n')
      expect(head).to.equal('id,created_at,kind,passport,passport_name,application,text,email,handled_at')
      expect(lines).to.have.length(1)
      expect(lines[0]).to.contain(`,fake,${first},`).and.to.contain(",'=1+1,")
      expect(readText(await owner.get(`${list}?state=handled&passport=${first}`))).to.contain('Nothing fits.')
    })

    it('marks a report as handled and back, for members who may change passports', async () => {
      const passport = await publish()
      await report(passport, { kind: 'fake', text: 'Look here' })
      const open = `${list}?passport=${passport}`
      const page = await owner.get(open)
      const action = /action="(\/console\/reports\/[0-9a-f-]{36})"/.exec(page.text)?.[1] ?? ''
      const viewer = createVisitor(
        await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization),
      )
      expect(readText(await viewer.get(open)))
        .to.contain('Look here')
        .and.not.to.contain('Mark as handled')
      expect((await viewer.post(action, { handled: 'yes' })).status).to.equal(403)
      const other = await buildShop()
      const stranger = createVisitor(await signInMember(other.owner, other.organization))
      expect((await stranger.post(action, { handled: 'yes' })).status).to.equal(404)
      expect(readText(await stranger.get(open))).to.contain('Nothing fits.')

      const handled = await owner.post(action, readForm(page, action))
      expect([handled.status, handled.headers['location']]).to.deep.equal([303, open])
      expect(readText(await owner.get(open))).to.contain('Nothing fits.')
      const done = await owner.get(`${list}?state=handled&passport=${passport}`)
      expect(readText(done)).to.contain('Handled on')
      // What was handled may be reported again.
      expect((await report(passport, { kind: 'fake', text: 'Look here' })).status).to.equal(204)
      expect((await owner.post(action, readForm(done, action))).status).to.equal(303)
      expect(readText(await owner.get(open))).to.contain('2 reports')
      expect((await owner.post(action, { handled: 'yes', next: 'https://evil.example' })).headers['location']).to.equal(
        list,
      )
    })

    it('comes page by page', async () => {
      const { organization, application } = shop
      const passport = await publish()
      await report(passport, { kind: 'other', text: 'The first of all' })
      await insertOpenReports((await getOperator()).db, { organization, application, passport, count: 25 })
      const first = await owner.get(`${list}?kind=other&passport=${passport}`)
      expect(readText(first)).to.contain('26 reports').and.not.to.contain('The first of all')
      const next = listLinks(first).find((link) => link.includes('cursor=')) ?? ''
      expect(next).to.contain('kind=other')
      expect(readText(await owner.get(next))).to.contain('The first of all')
    })
  })

  describeInBrowser('in Chromium', () => {
    let browser: Browser
    before(async () => {
      browser = await openBrowser()
    })
    after(() => browser.close())

    it('go from the phone of whoever holds the product to the member who handles them', async () => {
      const passport = await publish()
      for (const locale of ['en-US', 'fr-FR']) {
        const context = await browser.newContext({ bypassCSP: true, locale, viewport: { width: 360, height: 740 } })
        const page = await context.newPage()
        await page.goto(`${platform.api}/p/${passport}/report`)
        await loadAxe(page)
        expect(await listAccessibilityFaults(page)).to.deep.equal([])
        expect(await measureOverhang(page)).to.be.at.most(0)
        await takePicture(page, `report-${locale}`, true)
        await page.getByRole('radio').first().check()
        await page.getByRole('textbox').first().fill(`A word from ${locale}`)
        await page.getByRole('button').click()
        await page.getByRole('status').waitFor()
        await loadAxe(page)
        expect(await listAccessibilityFaults(page)).to.deep.equal([])
        await page
          .getByRole('link', { name: locale === 'en-US' ? 'Back to the passport' : 'Retour au passeport' })
          .click()
        await page.waitForURL(new RegExp(`/p/${passport}`))
        await context.close()
      }
      const [name = '', value = ''] = owner.cookie.split('=')
      const context = await browser.newContext({ locale: 'en-US' })
      await context.addCookies([{ name, value, url: platform.api }])
      const page = await context.newPage()
      await page.goto(`${platform.api}${list}?passport=${passport}`)
      const own = page.locator('section', { hasText: 'A word from fr-FR' })
      await takePicture(page, 'console-reports', true)
      await own.getByRole('button', { name: 'Mark as handled' }).click()
      await page.waitForURL(new RegExp(`passport=${passport}`))
      await page.getByText('1 report', { exact: true }).waitFor()
      expect(await own.count()).to.equal(0)
      await context.close()
    })

    it('have no fault that axe finds in the console, and nothing is cut off', async () => {
      const other = await buildShop()
      const product = await buildSheet(other)
      const passport = await publish(other, product)
      await report(passport, { kind: 'stolen', text: `It is ${'long '.repeat(300)}${'x'.repeat(300)}` })
      const cookie = await signInMember(other.owner, other.organization)
      for (const look of looks)
        await inspectPages(browser, { cookie, look }, [list, `${list}?state=handled&passport=${passport}`])
    })
  })
})
