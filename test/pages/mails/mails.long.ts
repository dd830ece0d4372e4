import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { lookNames, starts } from '../../../core/features/applications/index.ts'
import { createEmail, getOperator, getOwnClient, signInBuyer, signInMember } from '../../core/identity/people.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { createApiClient, type Client } from '../../support/client.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { insertHeldPictures } from '../../support/rows/pictures/pictures.ts'
import { buildPublishedPassport, buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { createPhoto } from '../../support/values/picture-files.ts'
import { listAccessibilityFaults, loadAxe } from '../axe.ts'
import { setTheme } from '../looks/scenes.ts'
import { measureOverhang, takePicture } from '../scenes.ts'
import { createMailAddress, readCodeMail, readMailTo, type ReadMail } from './scenes.ts'

const maxWidth = 560
const logoUrl = 'https://pictures.example/logo.png'
const logoSize = { width: 640, height: 160 }

describeInBrowser('Mails as HTML', function () {
  this.timeout(300_000)
  let browser: Browser
  let shop: Shop
  let passport: string
  let owner: Client
  before(async () => {
    browser = await openBrowser()
    shop = await buildShop()
    const { db } = await getOperator()
    await insertHeldPictures(db, shop.organization, [logoUrl], await createPhoto(160, 640), logoSize)
    const email = createEmail('owner')
    owner = createApiClient({ bearer: String((await signInBuyer(shop.application, email)).body['token']) })
    passport = (await buildPublishedPassport(shop, await buildSheet(shop), { allowedClaimEmail: email })).id
    const { body } = await owner.post('/v1/dpp/claim', { passport })
    await waitForJob(owner, `/v1/dpp/claim/${body['jobId']}/status`)
  })
  after(() => browser.close())

  /** Offers the passport to somebody, and takes the offer back once the mail is read. */
  async function readOfferMail(language: string): Promise<ReadMail> {
    const email = createEmail('taker')
    const path = `/v1/dpp/passports/${passport}/transfer`
    const offered = await owner.post(path, { email }, { headers: { 'accept-language': language } })
    expect(offered.status, offered.text).to.equal(201)
    const mail = await readMailTo(email)
    await owner.delete(path)
    return mail
  }

  const measureColumn = async (page: Page): Promise<number> =>
    Number(await page.evaluate(`document.querySelector('main table table').getBoundingClientRect().width`))

  /** Looks at a mail on a phone and on a desk, in light and dark. */
  async function assertGood({ id }: ReadMail, name: string): Promise<void> {
    const context = await browser.newContext({ bypassCSP: true })
    const page = await context.newPage()
    const requested: string[] = []
    page.on('request', (request) => void requested.push(request.url()))
    await page.goto(createMailAddress(id), { waitUntil: 'networkidle' })
    await loadAxe(page)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [320, 1280]) {
        const seen = `mail-${name}-${colorScheme}-${width}`
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 640 })
        await takePicture(page, seen, true)
        expect(await listAccessibilityFaults(page), seen).to.deep.equal([])
        expect(await measureOverhang(page), seen).to.equal(0)
        expect(await measureColumn(page), seen).to.equal(Math.min(maxWidth, width - 32))
      }
    expect(requested.filter((address) => !address.startsWith(platform.api))).to.deep.equal([])
    await context.close()
  }

  for (const look of [null, ...lookNames])
    it(`${look ?? 'without a look'}: axe finds nothing in a code and in an offer, and nothing sticks out`, async () => {
      const theme = look === null ? { primaryColor: '#ffd400' } : { ...starts[look], mode: 'auto' }
      await setTheme(shop, { title: 'Atelier Alba', ...theme })
      await assertGood(await readCodeMail(shop, 'de'), `${look}-code`)
      await setTheme(shop, { title: 'Atelier Alba', logoUrl, ...theme, ...(look !== null && { mode: 'dark' }) })
      await assertGood(await readOfferMail('fr'), `${look}-offer`)
    })

  it('our own looks: axe finds nothing in a code and in an invitation, and nothing sticks out', async () => {
    const member = getOwnClient(await signInMember(shop.owner, shop.organization))
    await assertGood(await readMailTo(shop.owner), 'member-code')
    const email = createEmail('invited')
    await member.post(`/v1/organizations/${shop.organization}/invitations`, { email, role: 'editor' })
    await assertGood(await readMailTo(email), 'invitation')
  })

  it('have their colours in the outbox, within the policy of its page', async () => {
    await setTheme(shop, { title: 'Atelier Alba', logoUrl, look: 'editorial' })
    const { id } = await readCodeMail(shop)
    const page = await browser.newPage()
    const refused: string[] = []
    page.on('console', (message) => void refused.push(message.text()))
    await page.goto(`${new URL(platform.outbox).origin}/dev/outbox`)
    await page.locator(`a[href="/dev/outbox/${id}"]`).click()
    await page.waitForURL(createMailAddress(id))
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal('rgb(246, 241, 231)')
    const logo = await page.evaluate(`[document.images[0].complete, document.images[0].naturalWidth]`)
    expect(logo).to.deep.equal([true, logoSize.width])
    expect(refused).to.deep.equal([])
    await page.close()
  })
})
