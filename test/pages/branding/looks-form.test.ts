import { expect } from 'chai'
import { starts } from '../../../core/features/applications/index.ts'
import { signInMember } from '../../core/identity/people.ts'
import type { Answer } from '../../support/client.ts'
import { buildShop, type Shop } from '../../support/world.ts'
import { createVisitor, readForm, readText, type Visitor } from '../passports/visitor.ts'

/** Lists the addresses of the previews that a page shows in frames. */
const listFrames = ({ text }: Pick<Answer, 'text'>): string[] =>
  [...text.matchAll(/<iframe src="([^"]*)"/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'))

const listSections = ({ text }: Answer): string[] =>
  [...text.matchAll(/<section class="part"><h2>([^<]*)/g)].map(([, heading = '']) => heading.trim())

describe('Console: looks and texts of an application', () => {
  let shop: Shop
  let owner: Visitor
  let path: string
  before(async () => {
    shop = await buildShop()
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
    path = `/console/branding/${shop.application}`
  })
  const readTheme = async () => (await shop.api.get(`/v1/applications/${shop.application}`)).body['theme'] as unknown
  const setTheme = (theme: object) => shop.api.patch(`/v1/applications/${shop.application}`, { theme })
  const fill = async (fields: Record<string, string>) => ({ ...readForm(await owner.get(path), path), ...fields })

  it('starts with a finished look by one button, previews it, and keeps it once it is saved', async () => {
    await setTheme({ title: 'Alba' })
    for (const look of ['quiet', 'bold', 'editorial'] as const) {
      const page = await owner.post(path, await fill({ act: look, 'tagline.en': 'Since 1921' }))
      expect(page.status).to.equal(200)
      const form = readForm(page, path)
      expect(form).to.include({ title: 'Alba', look, googleFont: starts[look].googleFont, 'tagline.en': 'Since 1921' })
      expect(form['sections1']).to.equal(starts[look].sections[0])
      expect(await readTheme()).to.deep.equal({ title: 'Alba' })
      for (const frame of listFrames(page)) {
        const preview = await owner.get(frame)
        expect(preview.status, frame).to.equal(200)
        expect(preview.text, frame).to.contain(`font-family: ${starts[look].googleFont}`)
        expect(preview.headers['content-security-policy'], frame).to.contain("font-src 'self'")
        expect(readText(preview), frame).to.contain('Since 1921')
      }
    }
    const chosen = readForm(await owner.post(path, await fill({ act: 'bold' })), path)
    expect((await owner.post(path, { ...chosen, act: 'save' })).status).to.equal(303)
    const { mode: _, ...chosenLook } = starts.bold
    expect(await readTheme(), 'system is the usual mode').to.deep.equal({ title: 'Alba', ...chosenLook })
  })

  it('previews the order of sections, the texts, the wide picture and the end of pages before anything is stored', async () => {
    const fields = {
      act: 'preview',
      sections1: 'origin',
      sections2: 'care',
      'story.en': 'Four generations.',
      'help.fr': 'Écrivez-nous.',
      'footer.en': 'Calle Mayor 4',
      bgImageUrl: 'https://brand.example/wide.jpg',
      hideFooter: 'true',
    }
    await setTheme({ sections: null })
    const stored = await readTheme()
    const frames = listFrames(await owner.post(path, await fill(fields)))
    const [claim, passport, me] = await Promise.all(frames.map((frame) => owner.get(frame)))
    if (!claim || !passport || !me) throw new Error('A preview is missing')
    expect(listSections(passport).slice(0, 2)).to.deep.equal(['Origin', 'Care and use'])
    expect(passport.text).to.contain('Four generations.')
    for (const page of [claim, passport, me]) {
      expect(page.text)
        .to.contain('<p class="lines" lang="fr" dir="auto">Écrivez-nous.</p>')
        .and.to.contain('In French')
      expect(page.text).to.contain('Calle Mayor 4').and.to.not.contain('<p>Tessera</p>')
      expect(page.text).to.contain('<img class="banner" src="https://brand.example/wide.jpg"')
    }
    expect(await readTheme()).to.deep.equal(stored)
  })

  it('keeps texts by language, clears those that were emptied, and leaves those of other languages alone', async () => {
    await setTheme({ texts: { ar: { tagline: 'مرحبا' }, fr: { tagline: 'Bonjour', help: 'Aide' } } })
    const fields = await fill({ act: 'save', 'tagline.fr': '', 'claim.de': 'Ihr Stück\r\nfür immer', languages1: 'de' })
    expect((await owner.post(path, fields)).status).to.equal(303)
    expect(await readTheme()).to.deep.include({
      languages: ['de'],
      texts: { ar: { tagline: 'مرحبا' }, fr: { help: 'Aide' }, de: { claim: 'Ihr Stück\nfür immer' } },
    })
    const refused = await owner.post(path, await fill({ act: 'save', 'tagline.en': 'x'.repeat(121) }))
    expect(refused.status).to.equal(422)
    expect(readText(refused)).to.contain('Line beneath the heading (English)')
    const twice = await owner.post(path, await fill({ act: 'save', sections1: 'care', sections2: 'care' }))
    expect(twice.status).to.equal(422)
    expect(readText(twice)).to.contain('Order of sections')
  })
})
