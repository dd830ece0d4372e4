import { expect } from 'chai'
import { words } from '../../core/languages/index.ts'
import { createApiClient } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { readCodeFor, createEmail } from '../core/identity/people.ts'
import { waitForJob, readPassport } from '../core/dpp/passports/fixtures.ts'
import {
  buildBuyer,
  buildDescribedPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../support/world.ts'
import { publishAll } from '../core/dpp/gs1/gtins.ts'

/** An identifier that nothing has. */
const absent = '00000000-0000-4000-8000-000000000000'

describe('Pages of the platform', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('name each value of a passport as its definition does, nested ones too', async () => {
    const address = {
      name: 'address',
      label: 'Where it was made',
      type: 'object',
      fields: [
        { name: 'town', label: 'Town', type: 'string' },
        { name: 'site', label: 'Workshop', type: 'url' },
        { name: 'deep', label: 'More', type: 'object', fields: [{ name: 'n', label: 'Floor <2>', type: 'number' }] },
      ],
    }
    const sheet = await buildSheet(shop, { passportsFields: [address] })
    const made = { town: 'Biella', site: 'https://mill.example/', deep: { n: 2 } }
    const { id } = await buildPublishedPassport(shop, sheet, { fields: { address: made } })
    const { text } = await createApiClient().get(`/p/${id}`)
    for (const label of ['Where it was made', 'Town', 'Workshop', 'More', 'Floor &lt;2&gt;']) {
      expect(text).to.contain(`<dt>${label}</dt>`)
    }
    expect(text)
      .to.contain('<dd>Biella</dd>')
      .and.to.contain('<a href="https://mill.example/"')
      .and.to.contain('<dd>2</dd>')
    await shop.api.patch(`/v1/dpp/products/${sheet}`, {
      passportsFields: [{ name: 'address', type: 'object', fields: [{ name: 'town', type: 'object', fields: [] }] }],
    })
    const changed = await createApiClient().get(`/p/${id}`)
    expect([changed.status, changed.text.includes('<dd>Biella</dd>')]).to.deep.equal([200, true])
  })

  it('keep what a buyer typed into a claim form, for correction', async () => {
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const { body } = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
    const form = new URLSearchParams({ token: String(body['token']), email: 'ada@"example' }).toString()
    const answer = await createApiClient().post('/claim/code', undefined, {
      raw: form,
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: platform.api },
    })
    expect(answer.status).to.equal(422)
    expect(answer.text).to.contain('value="ada@&quot;example"').and.to.contain('role="alert"')
  })
})

/** A page as it is before anything in it is opened. */
function unfolded(html: string): string {
  let depth = 0
  return html
    .split(/(<details|<\/details>)/)
    .filter((part) => {
      if (part === '<details') depth++
      if (part === '</details>') depth--
      return depth === 0
    })
    .join('')
}

/** Sends a form as a browser does. */
const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  createApiClient().post(path, undefined, {
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: platform.api, ...headers },
  })

describe('Public pages', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('say in the language of the reader what went wrong', async () => {
    const wishes = [
      ['', 'en'],
      ['fr-CA', 'fr'],
      ['de', 'de'],
      ['it', 'it'],
      ['pt', 'en'],
      ['en;q=0.1, fr', 'fr'],
    ] as const
    for (const [wish, language] of wishes) {
      const { headers, status, text } = await createApiClient().get(`/p/${absent}`, {
        headers: wish === '' ? {} : { 'accept-language': wish },
      })
      expect([status, headers['content-language']], wish).to.deep.equal([404, language])
      const { heading } = words[language].problems.product
      expect(text, wish).to.contain(`<html lang="${language}">`).and.to.contain(`<h1>${heading}</h1>`)
      expect(headers['vary']).to.contain('Accept-Language')
    }
    const frenchPage = await createApiClient().get('/p/none?lang=fr')
    expect(frenchPage.status).to.equal(400)
    expect(frenchPage.text).to.contain('<html lang="fr">').and.to.contain(words.fr.problems.product.heading)
  })

  it('lead through a claim in French, and keep the language that was asked for', async () => {
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const {
      body: { token },
    } = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
    const start = await createApiClient().get(`/claim?token=${token}&lang=fr`)
    expect(start.text)
      .to.contain('<html lang="fr">')
      .and.to.contain('Votre adresse e-mail')
      .and.to.contain('name="lang" value="fr"')
    expect(start.text).to.contain(`href="/p/${id}?lang=fr"`).and.to.contain(`href="/claim?token=${token}&amp;lang=en"`)
    const given = { token: String(token), email: createEmail(), lang: 'fr' }
    expect((await send('/claim/code', given)).text).to.contain('Nous avons envoyé six chiffres à')
    const wrong = await send('/claim/sign-in', { ...given, otp: '000000' })
    expect([wrong.status, wrong.text.includes('Ce code est faux')]).to.deep.equal([401, true])
    const bad = await send('/claim/code', { ...given, email: 'none' })
    expect([bad.status, bad.text.includes('Vérifiez ce que vous avez saisi')]).to.deep.equal([422, true])
    const broken = await createApiClient().get('/claim?token=none', { headers: { 'accept-language': 'fr' } })
    expect([broken.status, broken.text.includes('Ce lien ne fonctionne pas')]).to.deep.equal([400, true])
    const unasked = await createApiClient().get(`/claim?token=${token}`, { headers: { 'accept-language': 'fr' } })
    expect(unasked.text).to.contain('Votre adresse e-mail').and.not.to.contain('name="lang"')
  })

  it('let a buyer claim without a link, with the address that the seller has named, and nobody else', async () => {
    const item = { idGranularity: 'item', name: 'Bag', itemNumber: '1' }
    const email = createEmail('named')
    const { id } = await buildDescribedPassport(shop, item, { network: 'EthereumAnvil', allowedClaimEmail: email })
    const closed = await createApiClient().get(`/claim?passport=${id}`)
    expect([closed.status, closed.text.includes('This cannot be claimed')]).to.deep.equal([400, true])
    await publishAll(String(id))
    expect((await createApiClient().get(`/p/${id}`)).text, 'its chain, as others call it').to.contain(
      'EthereumAnvil <code>eip155:31337</code>',
    )
    expect((await createApiClient().get(`/p/${id}`)).text).to.contain(`href="/claim?passport=${id}"`)
    expect((await createApiClient().get(`/claim?passport=${id}`)).text).to.contain(`name="passport" value="${id}"`)
    const [owner, other] = [await cookieOf(email), await cookieOf(createEmail('other'))]
    const refused = await send('/claim', { passport: String(id), lang: 'fr' }, other)
    expect([refused.status, refused.text.includes('Le vendeur n’a pas indiqué cette adresse')]).to.deep.equal([
      403,
      true,
    ])
    const claimed = await send('/claim', { passport: String(id), lang: 'fr' }, owner)
    expect(claimed.status, claimed.text).to.equal(303)
    const job = /^\/claim\/([\w-]+)\?lang=fr$/.exec(String(claimed.headers['location']))?.[1]
    const buyer = await buildBuyer(shop, email)
    expect((await waitForJob(buyer, `/v1/dpp/claim/${job}/status`)).status).to.equal('completed')
    expect((await createApiClient().get(`/claim/${job}?lang=fr`, { headers: owner })).text).to.contain('Il est à vous')
    expect((await readPassport(shop.api, String(id))).status).to.equal('claimed')
  })

  /** A buyer's session as the sign-in of the claim pages gives it. */
  async function cookieOf(email: string): Promise<Record<string, string>> {
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const {
      body: { token },
    } = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
    const given = { token: String(token), email }
    expect((await send('/claim/code', given)).status).to.equal(200)
    const signedIn = await send('/claim/sign-in', { ...given, otp: await readCodeFor(email) })
    expect([signedIn.status, signedIn.headers['location']]).to.deep.equal([303, `/claim?token=${token}`])
    return { cookie: String(signedIn.headers['set-cookie']).split(';')[0] ?? '', origin: platform.api }
  }

  it('tell search engines what to read, and have the icon that browsers ask for', async () => {
    const robots = await createApiClient().get('/robots.txt')
    expect(robots.text)
      .to.match(/^User-agent: \*\n/)
      .and.to.contain('Disallow: /console\n')
    expect(robots.text).not.to.contain('Disallow: /p')
    const icon = await createApiClient().get('/favicon.ico')
    expect([icon.status, icon.headers['location']]).to.deep.equal([302, '/assets/tessera.svg'])
  })

  it('say to whoever has claimed a passport that it is theirs, and to nobody else', async () => {
    const buyer = await buildBuyer(shop)
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const link = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
    const claimed = await buyer.post('/v1/dpp/claim/magicToken', { magicToken: link.body.token })
    expect((await waitForJob(buyer, `/v1/jobs/${claimed.body.jobId}`)).failed).to.equal(0)
    expect((await buyer.get(`/p/${id}`)).text).to.contain('This one is yours.')
    const other = await buildBuyer(shop)
    for (const api of [other, createApiClient()]) {
      const { text } = await api.get(`/p/${id}`)
      expect(text).to.contain('Claimed by its owner').and.not.to.contain('This one is yours.')
    }
  })

  it('fold what is long, and have all of it', async () => {
    const data = {
      parts: Array.from({ length: 300 }, (_, at) => ({ name: `part-${at}` })),
      tags: Array.from({ length: 100 }, (_, at) => `tag-${at}`),
      story: `${'Once upon a time. '.repeat(100)}The end.`,
      deep: { a: { b: { c: { d: { e: { f: { long: 'x'.repeat(900) } } } } } } },
      ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`value-${at}`, at])),
    }
    const { id } = await buildDescribedPassport(
      shop,
      { idGranularity: 'item', name: 'Bag', itemNumber: '2' },
      { network: 'EthereumAnvil', data },
    )
    await publishAll(String(id))
    const { text } = await createApiClient().get(`/p/${id}?lang=fr`)
    const before = unfolded(text)
    for (const last of ['part-299', 'tag-99', 'The end.', 'Value-39', 'x'.repeat(900)]) {
      expect(text, last).to.contain(last)
      expect(before, last).not.to.contain(last)
    }
    for (const first of ['part-7', 'tag-23', 'Once upon a time.', 'Value-0']) expect(before, first).to.contain(first)
    for (const summary of ['292 de plus', '76 de plus', 'En entier'])
      expect(text).to.contain(`<summary>${summary}</summary>`)
    expect([...text.matchAll(/<details/g)].length).to.equal([...text.matchAll(/<\/details>/g)].length)
  })
})
