import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { languages, words } from '../../../core/languages/index.ts'
import { createEmail, getOperator, getOwnClient, signInMember } from '../../core/identity/people.ts'
import { setPlan } from '../../core/organization/quotas.fixtures.ts'
import { createApiClient } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { insertHeldPictures, listPictures } from '../../support/rows/pictures/pictures.ts'
import { buildBuyer, buildPublishedPassport, buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { brandTexts, setTheme } from '../looks/scenes.ts'
import { createVisitor, readText } from '../passports/visitor.ts'
import { listAddresses, readCodeMail, readMailTo } from './scenes.ts'

/** Reads what people read of a mail. */
const readMailText = (html: string): string => readText({ text: html })

/** The end of a mail with our name. */
const ourEnd = /<td [^>]*>Tessera<\/td>/

describe('Mails as HTML', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('bring a code in the language of the reader and in the looks of the application', async () => {
    await setTheme(shop, { title: 'Alba & Söhne', look: 'editorial', primaryColor: '#ffd400', googleFont: 'Inter' })
    const { body } = await shop.api.get(`/v1/applications/${shop.application}`)
    const [light] = body['themeAdjustments'] as unknown as { shown: string }[]
    for (const language of languages) {
      const { html, text } = await readCodeMail(shop, language)
      const code = /\b\d{6}\b/.exec(text)?.[0] ?? ''
      expect(html, language)
        .to.contain(`<html lang="${language}">`)
        .and.to.contain(`<table role="presentation" lang="${language}"`)
      expect(html, language).to.match(
        new RegExp(`<strong style="[^"]*color:${light?.shown};[^"]*user-select:all">${code}</strong>`),
      )
      expect(html, language).to.contain('font-family:Inter, system-ui').and.to.contain('background-color:#f6f1e7')
      expect(html, language).to.match(/<h1[^>]*>Alba &amp; Söhne<\/h1>/)
      // What lists of mails show stands before the mail, and the code on a line of its own.
      const shown = readMailText(html)
      for (const paragraph of text.trim().split('\n\n'))
        expect(shown, language).to.contain(paragraph.replace(/\s+/g, ' '))
      expect(html, 'a code has no link').to.not.contain('<a ')
    }
  })

  it('have one scheme, dark where all pages of the application are dark', async () => {
    for (const [mode, scheme, paper] of [
      ['auto', 'light', '#ffffff'],
      ['dark', 'dark', '#0b0b0c'],
    ] as const) {
      await setTheme(shop, { look: 'bold', mode })
      const { html } = await readCodeMail(shop)
      expect(html, mode)
        .to.contain(`<meta name="color-scheme" content="${scheme}">`)
        .and.to.contain(`color-scheme:${scheme};background-color:${paper}`)
    }
  })

  it('escape what a brand wrote, and show none of its texts and nothing from its own addresses', async () => {
    const logoUrl = 'https://tracker.example/logo.png?reader=1'
    await setTheme(shop, {
      title: '<img src=x onerror=alert(1)> "Alba" www.evil.example',
      logoUrl,
      bgImageUrl: 'https://tracker.example/wide.png',
      googleFont: 'Playfair Display',
      texts: brandTexts,
    })
    const mail = await readCodeMail(shop)
    expect(mail.html).to.not.match(/<(?:img|script|style|link|iframe|form|video|object)\b/)
    expect(mail.html).to.not.contain('tracker.example')
    expect(mail.html).to.contain('&lt;img src=x onerror=alert(1)&gt; &quot;Alba&quot; www evil example')
    for (const text of Object.values(brandTexts.en)) expect(mail.html).to.not.contain(text)
    // Whoever is sent a code has not asked for the words of the brand: none of them may become a link.
    for (const said of [mail.html, mail.text, mail.subject])
      expect(said).to.contain('www evil example').and.not.contain('www.evil.example')
    expect(listAddresses(mail)).to.deep.equal([])
    const { db } = await getOperator()
    expect(await listPictures(db, shop.organization), 'a worker fetches it').to.deep.equal([logoUrl])
  })

  it('show the logo from our own address once it was fetched, with the name of the brand for all who do not see it', async () => {
    const logoUrl = 'https://held.example/logo.png'
    const { db } = await getOperator()
    await insertHeldPictures(db, shop.organization, [logoUrl], Buffer.from('RIFF'))
    await setTheme(shop, { title: 'Alba', logoUrl })
    const mail = await readCodeMail(shop)
    const hash = createHash('sha256').update(logoUrl).digest('hex')
    const path = `/assets/logos/${shop.application}/${hash}.webp`
    expect(listAddresses(mail)).to.deep.equal([`${platform.api}${path}`])
    expect(mail.html).to.match(/<h1[^>]*><img [^>]*width="4" height="3" alt="Alba" [^>]*><\/h1>/)
    const anybody = createApiClient()
    const picture = await anybody.get(path)
    expect(picture.headers).to.include({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    const other = await buildShop()
    for (const wrong of [path.replace(hash, '0'.repeat(64)), path.replace(shop.application, other.application)])
      expect((await anybody.get(wrong)).status).to.equal(404)
    await setTheme(shop, { title: 'Alba' })
    expect((await anybody.get(path)).status, 'it is the logo no more').to.equal(404)
  })

  it('end with our name unless the plan of the application leaves it out', async () => {
    await setTheme(shop, { title: 'Alba' })
    expect((await readCodeMail(shop)).html).to.match(ourEnd)
    await setTheme(shop, { title: 'Alba', hideFooter: true })
    expect((await readCodeMail(shop)).html).to.not.contain('Tessera')
    await setPlan(shop, 'free')
    expect((await readCodeMail(shop)).html).to.match(ourEnd)
    await setPlan(shop, 'growth')
  })

  it('lead on by a button and by the same address as text, in answers to requests for passports', async () => {
    await setTheme(shop, { title: 'Alba', primaryColor: '#7a2430' })
    const email = createEmail('asking')
    const [buyer, { id }] = [await buildBuyer(shop, email), await buildPublishedPassport(shop, await buildSheet(shop))]
    await buyer.post('/v1/dpp/claim/requests', { passport: id, text: 'Bought in Lyon.' })
    const member = createVisitor(await signInMember(shop.owner, shop.organization))
    const list = await member.get('/console/claim-requests')
    const [, request = ''] = /action="(\/console\/claim-requests\/[\w-]+)"/.exec(list.text) ?? []
    await member.post(request, { decision: 'approve' })
    const mail = await readMailTo(email)
    const [, address = ''] = /^(https?:\S+)$/m.exec(mail.text) ?? []
    expect(address).to.contain('/claim?token=')
    expect(listAddresses(mail)).to.deep.equal([address, address])
    expect(mail.html)
      .to.contain('bgcolor="#7a2430"')
      .and.to.contain(`>${words.en.claiming.button}</a>`)
      .and.to.contain(`>${address}</a>`)
  })

  it('have our own looks where the platform writes to members', async () => {
    const member = getOwnClient(await signInMember(shop.owner, shop.organization))
    const code = await readMailTo(shop.owner)
    expect(code.html)
      .to.match(/<h1[^>]*>Tessera<\/h1>/)
      .and.to.contain('background-color:#fbfaf7')
    const email = createEmail('invited')
    await shop.api.patch(`/v1/applications/${shop.application}`, { theme: { primaryColor: '#7a2430' } })
    const invited = await member.post(`/v1/organizations/${shop.organization}/invitations`, { email, role: 'editor' })
    expect(invited.status, invited.text).to.equal(201)
    const mail = await readMailTo(email)
    expect(mail.html)
      .to.match(/<h1[^>]*>Tessera<\/h1>/)
      .and.to.contain('bgcolor="#0b5d57"')
      .and.to.contain('>See the invitation</a>')
      .and.to.not.match(ourEnd)
    expect(listAddresses(mail)).to.have.length(2)
  })
})
