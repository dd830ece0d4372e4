import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { getOperator } from '../core/identity/people.ts'
import { waitForJob, listEventTypes } from '../core/dpp/passports/fixtures.ts'
import {
  buildDescribedPassport,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../support/world.ts'
import { languages, words } from '../../core/languages/index.ts'
import { describeInBrowser, openBrowser } from '../support/network/chromium.ts'
import { createApiClient, type Answer } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { insertActiveDomain } from '../support/rows/certification/active-domains.ts'
import {
  markCertificationPending,
  moveCertificateOutOfReach,
  replaceCertifiedData,
} from '../support/rows/dpp/certificate-faults.ts'
import { loadAxe, listAccessibilityFaults } from './axe.ts'
import { createStates, passportStandings, type PassportStates } from './passport.states.ts'
import { createBatchMinted, measureOverhang, takePicture } from './scenes.ts'

let states: PassportStates
let made: Promise<PassportStates> | undefined
/** Both suites look at the same passports. */
const ready = async () => {
  states = await (made ??= buildShop().then(createStates))
}

const pageOf = (id: string, headers: Record<string, string> = {}): Promise<Answer> =>
  createApiClient().get(`/p/${id}`, { headers })

/** Text of a page as a reader has it, by its headings and rows. */
const textOf = ({ text }: Pick<Answer, 'text'>) =>
  text
    .replace(/^[\s\S]*<body/, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/[ \n\t]+/g, ' ')

/** An item with this data, published and certified at these paths. */
async function certifiedWith(shop: Shop, data: object, certifiedPaths: string[]): Promise<string> {
  const product = { idGranularity: 'item', name: 'Bag', itemNumber: '1' }
  const { id } = await buildDescribedPassport(shop, product, { network: 'EthereumAnvil', data, certifiedPaths })
  await certify(shop, id)
  return id
}

async function certify({ api }: Shop, id: string): Promise<void> {
  const started = await api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
  expect((await waitForJob(api, `/v1/jobs/${started.body.jobId}`)).failed).to.equal(0)
}

describe('GET /p/{id}: the public page of a passport', () => {
  before(ready)

  it('tells in a sentence how the certificate stands, in every language', async () => {
    for (const standing of passportStandings) {
      for (const lang of languages) {
        const answer = await createApiClient().get(`/p/${states.ids[standing]}?lang=${lang}`)
        const [head] = /<h2 id="proof">([\s\S]*?)<\/h2>/.exec(answer.text) ?? []
        expect(textOf({ text: String(head) }), standing).to.contain(words[lang].standing[standing].head)
      }
    }
  })

  it('names the check that failed, and shows no value as certified unless all is in order', async () => {
    const failed = await pageOf(states.ids.failed)
    expect(textOf(failed)).to.contain('The signature does not fit the content.')
    expect(textOf(failed)).not.to.contain('The key may not sign')
    for (const standing of passportStandings) {
      const marks = (await pageOf(states.ids[standing])).text.includes('class="mark"')
      expect(marks, standing).to.equal(standing === 'verified')
    }
  })

  it('marks each value that the certificate says, members of objects too, and no other: once a section where all are', async () => {
    const { text } = await pageOf(states.ids.verified)
    const marked = [...text.matchAll(/<dt>([^<]+?)( <span class="mark">)?(?:✓ certified<\/span>)?<\/dt>/g)]
    const names = marked.filter(([, , mark]) => mark !== undefined).map(([, name]) => name)
    const sections = [...text.matchAll(/<h2>([^<]+) <span class="mark">/g)].map(([, heading]) => heading)
    expect(text).to.match(/A jacket for all weathers\.<\/div> <span class="mark">/)
    expect(names).to.have.members(['Origin', 'Weight', 'Parts'])
    expect(sections).to.include.members(['Origin', 'About this product'])
    const shop = await buildShop()
    const id = await certifiedWith(shop, { origin: { town: 'Porto', country: 'PT' }, colour: 'red' }, ['origin.town'])
    const { text: partly } = await pageOf(id)
    expect(partly)
      .to.match(/<dt>Town <span class="mark">/)
      .and.to.match(/<dt>Country<\/dt>/)
      .and.to.match(/<dt>Origin<\/dt>/)
  })

  it('marks a value no longer once it is another than the certificate says', async () => {
    const shop = await buildShop()
    const id = await certifiedWith(shop, { colour: 'red', size: 'L' }, ['colour', 'size'])
    const { db } = await getOperator()
    await replaceCertifiedData(db, id, { colour: 'blue', size: 'L' })
    const { text } = await pageOf(id)
    expect(text)
      .to.match(/<dt>Colour<\/dt>/)
      .and.to.match(/<dt>Size <span class="mark">/)
  })

  it('names the domain that vouches for the key, marks fields of a sheet, and says that a new version comes', async () => {
    const shop = await buildShop()
    const { db } = await getOperator()
    const domain = `shop-${shop.organization}.example`
    // The first look makes the organization's key.
    await shop.api.get('/v1/dpp/certification-key')
    await insertActiveDomain(db, { organization: shop.organization, domain })
    const sheet = await buildSheet(shop, { certifiedPaths: ['serialNumber'] })
    const { id } = await buildPassport(shop, sheet, { fields: { serialNumber: 'S-1', color: 'red' } })
    await certify(shop, id)
    const before = await pageOf(id)
    expect(textOf(before)).to.contain('Certified and verified').and.to.contain(`under the domain ${domain}`)
    expect(before.text)
      .to.match(/<dt>Serial number <span class="mark">/)
      .and.to.match(/<dt>Color<\/dt>/)
    expect(textOf(before)).not.to.contain('a new version')
    await markCertificationPending(db, id)
    expect(textOf(await pageOf(id))).to.contain('a new version is being certified')
  })

  it('says that an organization keeps its certificate itself, and that it is out of reach there', async () => {
    const shop = await buildShop()
    const id = await certifiedWith(shop, { colour: 'red' }, ['colour'])
    const { db } = await getOperator()
    await moveCertificateOutOfReach(db, id)
    const page = await pageOf(id)
    expect(textOf(page))
      .to.contain('Certified, but not checked')
      .and.to.contain('Its organization keeps the certificate itself.')
    expect(page.text).not.to.contain('credential.jwt')
  })

  it('leads to the certificate in both forms, its receipt, the parents, and documents that are safe to open', async () => {
    const { text } = await pageOf(states.ids.verified)
    const path = `/v1/dpp/passports/${states.ids.verified}`
    const hrefs = [...text.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href)
    expect(hrefs).to.include.members([
      `${path}/vc.jsonld`,
      `/p/${states.ids.verified}/credential.jwt`,
      `${path}/anchor`,
      `/p/${states.model}`,
      `/p/${states.batch}`,
      'https://brand.example/care.pdf',
    ])
    expect(hrefs).not.to.include('http://brand.example/old.pdf')
    expect(text).to.contain('<a href="https://brand.example/care.pdf" rel="noopener nofollow">Care guide</a>')
    const token = await createApiClient().get(`/p/${states.ids.verified}/credential.jwt`)
    expect([token.status, token.headers['content-type']]).to.deep.equal([200, 'application/vc+jwt'])
    expect(token.text).to.match(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    for (const href of [`${path}/vc.jsonld`, `${path}/anchor`])
      expect((await createApiClient().get(href)).status).to.equal(200)
    expect(textOf({ text })).to.contain('a key without a domain')
  })

  it('tells who had it, addresses by their ends and whole where a pointer rests', async () => {
    const { text } = await pageOf(await createBatchMinted('Wallet'))
    const [, whole = '', short = ''] = /to <code title="(0x[0-9a-fA-F]{40})">([^<]+)<\/code>/.exec(text) ?? []
    expect(short).to.equal(`${whole.slice(0, 8)}…${whole.slice(-6)}`)
    expect(textOf({ text }))
      .to.match(/Minted \d+ \w+ 20\d\d/)
      .and.to.contain('All of it as data')
  })

  it('comes in the language of ?lang, else in the one that Accept-Language likes best, and says which', async () => {
    const { verified } = states.ids
    const wishes = [
      [undefined, 'en'],
      ['fr', 'fr'],
      ['fr-CA,en;q=0.8', 'fr'],
      ['en;q=0.3, fr;q=0.4', 'fr'],
      ['pt, fr;q=0.1', 'fr'],
      ['de-CH, fr;q=0.9', 'de'],
      ['it;q=0.2, es;q=0.3', 'es'],
      ['it', 'it'],
      ['fr;q=0', 'en'],
      ['*', 'en'],
      ['en;q=0, *', 'fr'],
      ['pt', 'en'],
      ['fr;q=2, en;q=0.1', 'en'],
      ['FR', 'fr'],
    ] as const
    for (const [wish, language] of wishes) {
      const { headers, text } = await pageOf(verified, wish === undefined ? {} : { 'accept-language': wish })
      expect([headers['content-language'], /<html lang="(\w+)"/.exec(text)?.[1]], String(wish)).to.deep.equal([
        language,
        language,
      ])
      expect(headers['vary']).to.contain('Accept-Language')
    }
    const frenchPage = await createApiClient().get(`/p/${verified}?lang=fr`, { headers: { 'accept-language': 'en' } })
    expect(frenchPage.headers['content-language']).to.equal('fr')
    expect(frenchPage.text)
      .to.contain(`href="/p/${states.model}?lang=fr"`)
      .and.to.contain('1 mars 2026')
      .and.to.contain('0,82')
    for (const [hreflang, query] of [
      ['x-default', ''],
      ...languages.map((language) => [language, `?lang=${language}`] as const),
    ]) {
      expect(frenchPage.text).to.contain(
        `<link rel="alternate" hreflang="${hreflang}" href="${platform.api}/p/${verified}${query}">`,
      )
    }
    for (const [language, day, figure] of [
      ['de', '1. März 2026', '0,82'],
      ['it', '1 marzo 2026', '0,82'],
      ['es', '1 de marzo de 2026', '0,82'],
      ['en', '1 March 2026', '0.82'],
    ])
      expect(textOf(await createApiClient().get(`/p/${verified}?lang=${language}`)), language)
        .to.contain(day)
        .and.to.contain(figure)
    const other = await createApiClient().get(`/p/${verified}?lang=pt&utm_source=code`, {
      headers: { 'accept-language': 'fr' },
    })
    expect([other.status, other.headers['content-language']]).to.deep.equal([200, 'fr'])
  })

  it('is asked for again each time and costs nothing while it is the same; a look is a scan all the same', async () => {
    const shop = await buildShop()
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const own = await shop.api.get(`/p/${id}`)
    expect(own.headers['cache-control']).to.equal('private, no-cache')
    const again = await pageOf(String(id), { 'if-none-match': String(own.headers['etag']) })
    expect([again.status, again.bytes.length]).to.deep.equal([304, 0])
    expect(again.headers['cache-control']).to.equal('public, no-cache')
    expect((await listEventTypes(shop, String(id))).filter((type) => type === 'scan')).to.have.length(1)
  })

  it('leads from a magic link, or the token in it, to the claim, and from anything else back', async () => {
    const shop = await buildShop()
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const {
      body: { url, token },
    } = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
    const to = async (link: string) =>
      String(
        (await createApiClient().get(`/p/${id}/claim?lang=fr&link=${encodeURIComponent(link)}`)).headers['location'],
      )
    for (const link of [url, token, ` ${url} `])
      expect(await to(String(link))).to.equal(`/claim?token=${token}&lang=fr`)
    for (const link of [
      '',
      'nonsense',
      'javascript:alert(1)',
      'https://evil.example/?token=x',
      `https://a.example/${'x'.repeat(4900)}`,
    ]) {
      expect(await to(link)).to.equal(`/p/${id}?link=wrong&lang=fr#link`)
    }
    expect((await createApiClient().get(`/p/${id}?link=wrong&lang=fr`)).text).to.contain(
      'Ce n’est pas un lien de revendication.',
    )
  })

  it('is small: a page, a style sheet and an icon, and no script', async () => {
    const { text, bytes, headers } = await pageOf(states.ids.verified)
    expect(bytes.length).to.be.lessThan(15_000)
    expect(text).not.to.match(/<script(?! type="application\/ld\+json">)|<style|style=|\son\w+=/)
    expect(headers['content-security-policy']).to.contain("default-src 'none'").and.not.to.contain('script-src')
  })
})

describeInBrowser('GET /p/{id}: the page of a passport in a browser', function () {
  this.timeout(40_000)
  let browser: Browser
  let context: BrowserContext
  before(async () => {
    await ready()
    browser = await openBrowser()
  })
  after(() => browser.close())
  beforeEach(async () => {
    context = await browser.newContext({ bypassCSP: true, viewport: { width: 360, height: 740 } })
  })
  afterEach(() => context.close())

  const opened = async (path: string): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`${platform.api}/p/${path}`)
    return page
  }

  // Every state in either language, scheme and width: passport-axe.long.ts.
  it('has no fault that axe knows', async () => {
    for (const [standing, lang] of [
      ['verified', 'en'],
      ['failed', 'fr'],
      ['none', 'fr'],
      ['verified', 'de'],
    ] as const) {
      const page = await opened(`${states.ids[standing]}?lang=${lang}`)
      await loadAxe(page)
      expect(await listAccessibilityFaults(page), standing).to.deep.equal([])
      expect(await measureOverhang(page), standing).to.equal(0)
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await listAccessibilityFaults(page, true), `${standing}, dark`).to.deep.equal([])
      await page.close()
    }
  })

  it('is walked through with the keyboard in the order in which it reads, and shows where one is', async () => {
    const page = await opened(states.ids.verified)
    const reached: string[] = []
    for (let press = 0; press < 17; press++) {
      await page.keyboard.press('Tab')
      reached.push(String(await page.evaluate('document.activeElement.textContent.trim()')))
      // What proves it opens under the keyboard too.
      if (reached.at(-1)?.startsWith('Certified and verified') || reached.at(-1) === 'For experts')
        await page.keyboard.press('Enter')
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), reached.at(-1)).to.equal(
        'solid',
      )
    }
    expect(reached).to.deep.equal([
      'To the content',
      'Français',
      'Deutsch',
      'Italiano',
      'Español',
      'I own this',
      'I have a link',
      'Certified and verified Who signed the certificate is not confirmed.',
      'For experts',
      'with its proof (JSON-LD)',
      'as a token (JWT)',
      'its receipt on chain',
      'Care guide',
      'Care guide',
      'Atelier Norte',
      'https://brand.example/jackets',
      'Field jacket FJ-7',
    ])
  })

  it('changes its language by a link, and takes three requests', async () => {
    const page = await context.newPage()
    const requestedPaths: string[] = []
    page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
    await page.goto(`${platform.api}/p/${states.ids.verified}`)
    await page.getByRole('link', { name: 'Français' }).click()
    await page.getByRole('heading', { name: 'Certifié et vérifié' }).waitFor()
    const own = requestedPaths.filter((path) => !path.startsWith('/p/'))
    expect(own.filter((path) => !['/assets/tessera.css', '/assets/tessera.svg'].includes(path))).to.deep.equal([])
    await page.getByRole('link', { name: 'Batch of March' }).click()
    expect(await page.evaluate('document.documentElement.lang')).to.equal('fr')
  })

  it('takes the link that came with the item, and goes on to the claim', async () => {
    const shop = await buildShop()
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const { body } = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
    const page = await opened(String(id))
    await page.getByLabel('Your link').fill('nothing')
    await page.getByRole('button', { name: 'Claim it' }).click()
    expect(await page.getByRole('alert').innerText()).to.contain('no link to claim with')
    await takePicture(page, 'passport-claim', true)
    await page.getByLabel('Your link').fill(String(body['url']))
    await page.getByRole('button', { name: 'Claim it' }).click()
    await page.getByRole('heading', { name: 'Bag' }).waitFor()
    expect(await page.title()).to.equal('Claim Bag')
  })
})
