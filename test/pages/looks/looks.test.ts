import { expect } from 'chai'
import { sectionNames } from '../../../core/features/applications/index.ts'
import { languages } from '../../../core/languages/index.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { setPlan } from '../../core/organization/quotas.fixtures.ts'
import { createApiClient, type Answer } from '../../support/client.ts'
import {
  buildDescribedPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { readText } from '../passports/visitor.ts'
import { brandTexts, createShownItems, setTheme } from './scenes.ts'

const visitor = createApiClient()

/** Lists the headings of the sections of a passport, as they come. */
const listSections = ({ text }: Answer): string[] =>
  [...text.matchAll(/<section class="part"><h2>([^<]*)/g)].map(([, heading = '']) => heading.trim())

describe('Looks of an application', () => {
  let shop: Shop
  let slug: string
  let item: string
  before(async () => {
    shop = await buildShop()
    item = (await createShownItems(shop)).plain
    slug = String((await shop.api.get(`/v1/applications/${shop.application}`)).body['slug'])
  })
  const patchTheme = (theme: object) => shop.api.patch(`/v1/applications/${shop.application}`, { theme })
  const listPages = (language = 'en') => [
    `/p/${item}?lang=${language}`,
    `/claim?passport=${item}&lang=${language}`,
    `/me?application=${slug}&lang=${language}`,
  ]
  const readLooks = async (): Promise<string> => (await visitor.get(`/me/looks.css?application=${slug}`)).text

  it('refuses a wrong font, mode, look, section, language or tag at its path', async () => {
    const wrong: [path: string, theme: object][] = [
      ['theme.googleFont', { googleFont: 'Comic Sans' }],
      ['theme.mode', { mode: 'night' }],
      ['theme.look', { look: 'loud' }],
      ['theme.sections[1]', { sections: ['care', 'prices'] }],
      ['theme.sections', { sections: ['care', 'care'] }],
      ['theme.languages[0]', { languages: ['pt'] }],
      ['theme.languages', { languages: [] }],
      ['theme.texts.french', { texts: { french: { tagline: 'Bonjour' } } }],
      ['theme.texts.FR', { texts: { FR: { tagline: 'Bonjour' } } }],
      ['theme.texts.fr.slogan', { texts: { fr: { slogan: 'Bonjour' } } }],
      ['theme.texts.fr.tagline', { texts: { fr: { tagline: 'x'.repeat(121) } } }],
      ['theme.texts.fr.story', { texts: { fr: { story: '  ' } } }],
    ]
    for (const [path, theme] of wrong) {
      const refused = await patchTheme(theme)
      expect(refused.status, path).to.equal(422)
      expect(
        (refused.body['errors'] as unknown as { path: string }[]).map((issue) => issue.path),
        path,
      ).to.deep.equal([path])
    }
  })

  it('shows the font, the look and the mode on each page, by a style sheet of the application', async () => {
    await setTheme(shop, { googleFont: 'Cormorant Garamond', look: 'editorial', mode: 'dark', languages: ['fr', 'en'] })
    const looks = await readLooks()
    expect(looks).to.contain('color-scheme: dark').and.to.contain('font-family: Cormorant Garamond, Georgia, serif')
    expect(looks, 'HTML would escape it in previews').to.not.match(/[<>&"']/)
    const [, font = ''] = /url\((\/assets\/fonts\/cormorant-garamond-latin-[0-9a-f]{12}\.woff2)\)/.exec(looks) ?? []
    const file = await visitor.get(font)
    expect([file.status, file.headers['content-type'], file.headers['cache-control']]).to.deep.equal([
      200,
      'font/woff2',
      'public, max-age=31536000, immutable',
    ])
    expect((await visitor.get('/assets/fonts/none.woff2')).status).to.equal(404)
    for (const address of listPages('de')) {
      const page = await visitor.get(address)
      expect(page.text, address).to.contain(`<link rel="stylesheet" href="/me/looks.css?application=${slug}">`)
      // On a slow line a font that is loaded ahead would hold up the style sheet.
      expect(page.text, address).to.not.contain(font)
      expect(page.headers['content-security-policy'], address).to.contain("font-src 'self'")
      // German is not offered, so that the first of the languages stands in for it.
      expect(page.text, address).to.contain('<html lang="fr">').and.to.not.contain('hreflang="de"')
    }
  })

  it('adjusts a colour in which text could not be read, and says so in its answer', async () => {
    const changed = await patchTheme({ mode: null, look: null, primaryColor: '#ffd400' })
    const [light, ...more] = changed.body['themeAdjustments'] as unknown as { shown: string; contrast: number }[]
    expect(light).to.include({ colour: 'primaryColor', scheme: 'light', given: '#ffd400' })
    expect(light?.contrast).to.be.lessThan(4.5)
    expect(more).to.deep.equal([])
    expect(await readLooks())
      .to.contain(`--accent: ${light?.shown}`)
      .and.to.contain('--accent: #ffd400')
    expect((await visitor.get(`/v1/applications/${shop.application}`)).body).to.not.have.property('themeAdjustments')
    // A black that cannot be read on a dark page becomes its ink, and no grey.
    const black = await patchTheme({ primaryColor: '#000', look: 'quiet' })
    expect(black.body['themeAdjustments']).to.deep.equal([
      { colour: 'primaryColor', scheme: 'dark', given: '#000', shown: '#efebe5', contrast: 1.13 },
    ])
    expect((await patchTheme({ primaryColor: null, look: null })).body).to.not.have.property('themeAdjustments')
  })

  it('puts the sections that the brand names first, and drops none', async () => {
    await setTheme(shop, { texts: brandTexts })
    const usual = listSections(await visitor.get(`/p/${item}?lang=en`))
    expect(usual).to.have.length.greaterThan(7)
    await setTheme(shop, { texts: brandTexts, sections: ['people'] })
    const ordered = listSections(await visitor.get(`/p/${item}?lang=en`))
    expect(ordered).to.deep.equal(['People behind it', ...usual.filter((heading) => heading !== 'People behind it')])
    await setTheme(shop, { texts: brandTexts, sections: [...sectionNames].reverse() })
    expect(listSections(await visitor.get(`/p/${item}?lang=en`))).to.deep.equal([...usual].reverse())
  })

  it('shows the texts of the brand on each page, escaped', async () => {
    const tagline = '<b>Since 1921</b> & "always"'
    await setTheme(shop, { texts: { en: { ...brandTexts.en, tagline, footer: '<script>alert(1)</script>' } } })
    for (const address of listPages()) {
      const page = await visitor.get(address)
      expect(page.text, address).to.not.contain('<script>alert').and.to.not.contain('<b>Since')
      expect(readText(page), address).to.contain(tagline).and.to.contain('<script>alert(1)</script>')
      expect(readText(page), address).to.contain(brandTexts.en.help)
    }
    const [passport = '', claim = ''] = listPages()
    const text = readText(await visitor.get(passport))
    for (const own of [brandTexts.en.story, brandTexts.en.care, brandTexts.en.claim]) expect(text).to.contain(own)
    expect(readText(await visitor.get(claim))).to.contain(brandTexts.en.claim)
  })

  it('says in which language a text is that lacks the one of the reader, and falls back to what there is', async () => {
    await setTheme(shop, { texts: { ar: { tagline: 'مرحبا', help: 'اتصل بنا' }, fr: { tagline: 'Bonjour' } } })
    for (const language of languages) {
      const page = await visitor.get(`/me?application=${slug}&lang=${language}`)
      expect(page.text, language).to.match(/<p class="lines" lang="ar" dir="auto">اتصل بنا<\/p>/)
    }
    const english = await visitor.get(`/me?application=${slug}&lang=en`)
    expect(readText(english)).to.contain('In Arabic')
    const french = await visitor.get(`/me?application=${slug}&lang=fr`)
    expect(french.text).to.contain('<p class="lines">Bonjour</p>').and.to.contain('En arabe')
    // The main language of the brand comes before any other.
    await patchTheme({ languages: ['fr', 'de'], texts: { de: { help: 'Ruf uns an' }, ar: null } })
    expect((await visitor.get(`/me?application=${slug}&lang=de`)).text)
      .to.contain('<p class="lines" lang="fr" dir="auto">Bonjour</p>')
      .and.to.contain('<p class="lines">Ruf uns an</p>')
      .and.to.contain('Auf Französisch')
  })

  it('labels the fields of a sheet and the words of an enum in the language of the reader', async () => {
    const sheet = await buildSheet(shop, {
      passportsFields: [
        { name: 'made', label: { en: 'Made of', fr: 'Fait de', ja: '素材' }, type: 'string' },
        {
          name: 'color',
          label: { ja: '色' },
          type: 'enum',
          variants: ['red'],
          variantLabels: { red: { en: 'Deep red', 'fr-CA': 'Rouge profond' } },
        },
        { name: 'plain', label: 'As ever', type: 'string' },
      ],
    })
    const fields = { made: 'Wool', color: 'red', plain: 'yes' }
    const { id } = await buildPublishedPassport(shop, sheet, { fields })
    const french = await visitor.get(`/p/${id}?lang=fr`)
    expect(readText(french)).to.contain('Fait de').and.to.contain('As ever')
    expect(french.text).to.contain('<span lang="ja" dir="auto">色</span> <span class="tongue">En japonais</span>')
    expect(french.text).to.match(/<dd>Rouge profond/)
    // The application offers no Italian: its page is in French, and so are its labels.
    expect(readText(await visitor.get(`/p/${id}?lang=it`))).to.contain('Fait de')
    await setTheme(shop, {})
    const italian = await visitor.get(`/p/${id}?lang=it`)
    expect(italian.text).to.contain('<span lang="en" dir="auto">Made of</span>').and.to.contain('In inglese')
    const wrong: [path: string, field: object][] = [
      ['label.english', { name: 'made', label: { english: 'Made of' }, type: 'string' }],
      ['label.fr', { name: 'made', label: { fr: '' }, type: 'string' }],
      ['label', { name: 'none', label: {}, type: 'string' }],
      ['variantLabels.blue', { name: 'color', type: 'enum', variants: ['red'], variantLabels: { blue: 'Blue' } }],
      ['variantLabels.red.FR', { name: 'color', type: 'enum', variants: ['red'], variantLabels: { red: { FR: 'r' } } }],
    ]
    for (const [path, field] of wrong) {
      const refused = await shop.api.patch(`/v1/dpp/products/${sheet}`, { passportsFields: [field] })
      expect(refused.status, path).to.equal(422)
      expect((refused.body['errors'] as unknown as { path: string }[])[0]?.path).to.equal(`passportsFields[0].${path}`)
    }
  })

  it('leaves our name out of pages where the plan has that, as long as it does', async () => {
    await setTheme(shop, { hideFooter: true, texts: brandTexts })
    const hasName = ({ text }: Answer) => /<footer>[^]*<p>Tessera<\/p>/.test(text)
    for (const address of listPages()) {
      const page = await visitor.get(address)
      expect(hasName(page), address).to.equal(false)
      expect(readText(page), address).to.contain(brandTexts.en.footer)
    }
    await setPlan(shop, 'free')
    for (const address of listPages()) expect(hasName(await visitor.get(address)), address).to.equal(true)
    // What is stored stays, and counts again with another plan; it cannot be chosen anew.
    await patchTheme({ title: 'Alba' })
    await patchTheme({ hideFooter: null })
    const refused = await patchTheme({ hideFooter: true })
    expect([refused.status, (refused.body['errors'] as unknown as { path: string }[])[0]?.path]).to.deep.equal([
      422,
      'theme.hideFooter',
    ])
    await setPlan(shop, 'growth')
    expect((await patchTheme({ hideFooter: true })).status).to.equal(200)
  })

  it('says in words what documents are, to experts as programs do, and marks what is certified once a section', async () => {
    const product = {
      idGranularity: 'item',
      name: 'Certified bag',
      itemNumber: 'C-1',
      countryOfProduction: { countryCode: 'ES', countryName: 'Spain' },
      productionDate: '2026-03-01',
      relatedDocument: [
        {
          linkURL: 'https://brand.example/care.pdf',
          linkName: 'Leather care',
          linkType: 'gs1:instructions',
          mediaType: 'application/pdf',
        },
      ],
    }
    const { id } = await buildDescribedPassport(shop, product, {
      network: 'EthereumAnvil',
      certifiedPaths: ['weight'],
      data: { weight: 1 },
    })
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
    expect((await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)).failed).to.equal(0)
    const page = await visitor.get(`/p/${id}?lang=en`)
    expect(readText(page)).to.contain('Leather care Instructions, PDF')
    const [, experts = ''] = page.text.split('For experts')
    expect(experts).to.contain('File type <code>application/pdf</code><br>Kind of link <code>gs1:instructions</code>')
    expect(page.text.split('application/pdf')).to.have.length(2)
    const [, origin = ''] = /<h2>Origin([^]*?)<\/section>/.exec(page.text) ?? []
    expect(origin.split('certified')).to.have.length(2)
    expect(origin).to.match(/^ <span class="mark">/)
  })
})
