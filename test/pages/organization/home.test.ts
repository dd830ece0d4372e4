import { expect } from 'chai'
import { getOperator, getOwnClient, signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { repeatUntil } from '../../support/processes.ts'
import { failJob } from '../../support/rows/queue/job-changes.ts'
import { insertJobs } from '../../support/rows/queue/job-rows.ts'
import {
  buildKey,
  buildMember,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { buildCustomer, creditPoints } from '../loyalty/scenes.ts'
import { inspectPages, looks } from '../loyalty/walk.ts'

const path = '/console'
const dayMs = 86_400_000

describe('Console: the first page', function () {
  this.timeout(120_000)
  let shop: Shop
  let cookie: string
  before(async () => {
    shop = await buildShop()
    cookie = await signInMember(shop.owner, shop.organization)
  })

  const readPage = async (by = cookie, headers: Record<string, string> = {}) => {
    const { status, text } = await getOwnClient(by).get(path, undefined, headers)
    expect(status, text).to.equal(200)
    return text
  }
  /** The text of a section without its markup. */
  const readSection = (text: string, id: string) =>
    (new RegExp(`<section[^>]*aria-labelledby="${id}".*?</section>`, 's').exec(text)?.[0] ?? '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')

  it('says what to do first while there is no passport, and that nothing waits', async () => {
    const text = await readPage()
    expect(readSection(text, 'needs')).to.contain('Nothing waits for you.')
    expect(text).to.contain('href="/console/imports/new"')
    expect(readSection(text, 'first')).to.contain('Invite the people you work with')
    expect(readSection(await readPage(cookie, { 'accept-language': 'fr' }), 'first')).to.contain('Premiers pas')
  })

  it('counts passports by status, and scans and claims of 30 days', async () => {
    const sheet = await buildSheet(shop)
    await buildPassport(shop, sheet)
    await buildPublishedPassport(shop, sheet)
    const text = await repeatUntil(
      'what happened is counted',
      () => readPage(),
      (page) => readSection(page, 'passports').includes('Published 1'),
    )
    expect(readSection(text, 'passports')).to.match(/Drafts 1 Published 1 Claimed 0 Archived 0/)
    expect(text).to.contain('href="/console/passports?status=published"')
    expect(readSection(text, 'activity')).to.contain('Scans: 0').and.to.contain('Claims by day')
    expect(text.match(/<tr><td>\d{4}-\d\d-\d\d<\/td>/g)).to.have.length(60)
    expect(text).to.not.contain('id="first"')
  })

  it('shows what customers did in 30 days once an application uses points', async () => {
    expect(await readPage()).to.not.contain('id="loyalty"')
    const changed = await shop.api.patch(`/v1/applications/${shop.application}`, { features: ['loyalty'] })
    expect(changed.status, changed.text).to.equal(200)
    const customer = await buildCustomer(shop, 'Ada Byron')
    await creditPoints(shop, customer.id, 1_250, 'Welcome')
    const text = await repeatUntil(
      'the points are counted',
      () => readPage(),
      (page) => readSection(page, 'loyalty').includes('Points credited: 1,250'),
    )
    const section = readSection(text, 'loyalty')
    expect(section).to.contain('New accounts 1').and.to.contain('Active accounts 1').and.to.contain('Visits: 0')
    expect(section.match(/\d{4}-\d\d-\d\d 1,250/g)).to.have.length(1)
    expect(text.match(/<tr><td>\d{4}-\d\d-\d\d<\/td>/g)).to.have.length(120)
    expect(await readPage(cookie, { 'accept-language': 'fr' })).to.contain('Points crédités')
  })

  it('shows usage against the plan', async () => {
    const usage = readSection(await readPage(), 'usage')
    expect(usage).to.contain('plan Unlimited').and.to.contain('Passport operations').and.to.contain('no limit')
  })

  it('names failed jobs and keys that expire soon, those of this organization only', async () => {
    const { db } = await getOperator()
    const other = await buildShop()
    for (const { organization } of [shop, other]) {
      const [job = ''] = await insertJobs(db, [{ organization, type: 'publish', dueInSeconds: 3_600 }])
      await failJob(db, job, { attempts: 20 })
    }
    const expiresAt = new Date(Date.now() + 3 * dayMs)
    for (const { organization } of [shop, other]) await buildKey(organization, { dpp: ['read'] }, { expiresAt })
    await buildKey(shop.organization, { dpp: ['read'] }, { expiresAt: new Date(Date.now() + 30 * dayMs) })
    const needs = readSection(await readPage(), 'needs')
    expect(needs).to.contain('1 job failed')
    expect(needs.match(/The key Test expires/g)).to.have.length(1)
    expect(needs).to.contain(expiresAt.toISOString().slice(0, 10))
  })

  it('shows an editor neither usage nor keys nor failed jobs', async () => {
    const editor = await signInMember(await buildMember(shop.organization, 'editor'), shop.organization)
    const text = await readPage(editor)
    expect(readSection(text, 'passports')).to.contain('Published 1')
    expect(text).to.not.contain('id="usage"')
    expect(readSection(text, 'needs')).to.contain('Nothing waits for you.')
  })

  describeInBrowser('in Chromium', () => {
    it('has no fault that axe finds, and nothing is cut off', async () => {
      const browser = await openBrowser()
      for (const look of looks) await inspectPages(browser, { cookie, look }, [path])
      await browser.close()
    })
  })
})
