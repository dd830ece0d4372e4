import { expect } from 'chai'
import { getOperator, signInMember } from '../../core/identity/people.ts'
import { createApiClient, type Answer } from '../../support/client.ts'
import { insertHeldPictures } from '../../support/rows/pictures/pictures.ts'
import {
  buildApplication,
  buildMember,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { createVisitor, readForm, readText, type Visitor } from '../passports/visitor.ts'

const list = '/console/branding'
const titles = ['Claiming a passport', 'A passport', 'What a customer has']

/** Lists the addresses of the previews that a page shows in frames. */
const listFrames = ({ text }: Pick<Answer, 'text'>): string[] =>
  [...text.matchAll(/<iframe src="([^"]*)"/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'))

describe('Console: branding', () => {
  let shop: Shop
  let owner: Visitor
  let path: string
  before(async () => {
    shop = await buildShop()
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
    path = `${list}/${shop.application}`
  })
  const readTheme = async () => (await shop.api.get(`/v1/applications/${shop.application}`)).body['theme'] as unknown
  const setTheme = (theme: object) => shop.api.patch(`/v1/applications/${shop.application}`, { theme })
  const fill = async (fields: Record<string, string>) => ({ ...readForm(await owner.get(path), path), ...fields })

  it('leads to the page of the only application, and lists several with their colours', async () => {
    const led = await owner.get(list)
    expect([led.status, led.headers['location']]).to.deep.equal([303, path])
    const other = await buildShop()
    const second = await buildApplication(other.organization)
    await other.api.patch(`/v1/applications/${second}`, { theme: { title: 'Maison Alba', primaryColor: '#8a1c4a' } })
    const theirs = createVisitor(await signInMember(other.owner, other.organization))
    const page = await theirs.get(list)
    expect(page.status).to.equal(200)
    expect(readText(page)).to.contain('2 applications').and.to.contain('Maison Alba #8a1c4a')
    expect(page.text).to.contain('fill="#8a1c4a"').and.to.contain(`href="${list}/${second}"`)
    expect((await theirs.get(path)).status).to.equal(404)
    expect((await theirs.get(`${path}/preview/me`)).status).to.equal(404)
  })

  it('keeps the fields that were changed, and clears those that were emptied', async () => {
    await setTheme({ title: 'Before', secondaryColor: '#123456', googleFont: 'Inter' })
    const fields = await fill({ act: 'save', title: '', primaryColor: ' #0a7d54 ', mode: 'light' })
    const saved = await owner.post(path, fields)
    expect([saved.status, saved.headers['location']]).to.deep.equal([303, `${path}?saved=yes`])
    expect(await readTheme()).to.deep.equal({
      secondaryColor: '#123456',
      googleFont: 'Inter',
      primaryColor: '#0a7d54',
      mode: 'light',
    })
    expect(readText(await owner.get(`${path}?saved=yes`))).to.contain('Your changes are kept.')
  })

  it('shows a draft in all previews and stores nothing of it', async () => {
    const stored = await readTheme()
    const page = await owner.post(
      path,
      await fill({ act: 'preview', title: 'Maison <Draft>', primaryColor: '#b00020' }),
    )
    expect(page.status).to.equal(200)
    expect(readText(page)).to.contain('Nothing is kept until you save.')
    expect(readForm(page, path)).to.include({ title: 'Maison <Draft>', primaryColor: '#b00020' })
    const frames = listFrames(page)
    expect(frames).to.have.length(3)
    for (const frame of frames) {
      const preview = await owner.get(frame)
      expect(preview.status, frame).to.equal(200)
      expect(readText(preview), frame).to.contain('Maison <Draft>')
      expect(preview.text, frame).to.contain('--accent: #b00020')
      expect(preview.headers['content-security-policy'])
        .to.contain("frame-ancestors 'self'")
        .and.to.match(/sandbox allow-same-origin$/)
        .and.to.not.contain('script-src')
    }
    for (const title of titles) expect(page.text).to.contain(`title="${title}" sandbox="allow-same-origin"`)
    expect(page.headers['content-security-policy'])
      .to.contain("frame-src 'self'")
      .and.to.contain("frame-ancestors 'none'")
    expect(await readTheme()).to.deep.equal(stored)
    const inFrench = await owner.get(frames[1] ?? '', 'fr')
    expect(inFrench.text).to.contain('<html lang="fr">').and.to.contain('Sac de week-end')
    expect((await owner.get(`${path}/preview/checkout`)).status).to.equal(400)
  })

  it('previews pages as they are once the looks are saved', async () => {
    const theme = { title: 'Alba Bags', primaryColor: '#8a1c4a', logoUrl: 'https://shop.example/logo.png' }
    await setTheme({ ...theme, secondaryColor: null, mode: null, googleFont: null })
    const slug = String((await shop.api.get(`/v1/applications/${shop.application}`)).body['slug'])
    const passport = await buildPublishedPassport(shop, await buildSheet(shop))
    const looks = await createApiClient().get(`/me/looks.css?application=${slug}`)
    const frames = listFrames(await owner.get(path))
    const pages = [`/claim?passport=${passport.id}`, `/p/${passport.id}`, `/me?application=${slug}`]
    const logo = '<img class="logo" src="https://shop.example/logo.png" alt="">'
    await insertHeldPictures((await getOperator()).db, shop.organization, [theme.logoUrl], Buffer.from('a logo'))
    for (const [at, address] of pages.entries()) {
      const real = await createApiClient().get(address)
      const preview = await owner.get(frames[at] ?? '')
      for (const { text } of [real, preview]) expect(text, address).to.contain('Alba Bags')
      expect(preview.text, address).to.contain(logo)
      // Pages of a passport show the copy that was made of it; one without a passport shows the logo itself.
      expect(real.text, address).to.match(
        /<img class="logo" src="(?:\/p\/[^"]+\.webp|https:\/\/shop\.example\/logo\.png)"/,
      )
      expect(real.text).to.contain(`<link rel="stylesheet" href="/me/looks.css?application=${slug}">`)
      expect(preview.text).to.contain(`<style>${looks.text}</style>`)
    }
  })

  it('says which colours cannot be read as text, by how much, and what pages show instead', async () => {
    const page = await owner.post(path, await fill({ mode: '', primaryColor: '#ffd400', secondaryColor: '#767676' }))
    const text = readText(page)
    expect(text).to.match(
      /Colour of buttons and links, #ffd400 light 1\.3\d : 1 Not enough\. Our pages show #[0-9a-f]{6}/,
    )
    expect(text).to.match(/Colour of buttons and links, #ffd400 dark 1[12]\.\d\d : 1 Enough/)
    expect(text).to.match(/Colour of accents, #767676 light 4\.3\d : 1 Not enough for text/)
    const light = readText(await owner.post(path, await fill({ mode: 'light', primaryColor: '#0a7d54' })))
    expect(light).to.match(/#0a7d54 light \d\.\d\d : 1 Enough/)
    expect(light).to.not.match(/#0a7d54 dark/)
    expect(readText(await owner.post(path, await fill({ primaryColor: '' })))).to.not.contain('WCAG')
  })

  it('says what is wrong with each field, keeps what was written and previews the rest', async () => {
    const wrong = { title: 'Alba', primaryColor: 'green', logoUrl: 'javascript:alert(1)', secondaryColor: '#00f' }
    const stored = await readTheme()
    for (const act of ['preview', 'save']) {
      const page = await owner.post(path, await fill({ act, ...wrong }))
      expect(page.status).to.equal(422)
      expect(readText(page))
        .to.contain('Colour of buttons and links is not written as it has to be')
        .and.to.contain('Address of the logo is not written as it has to be')
      expect(readForm(page, path)).to.include(wrong)
      const preview = await owner.get(listFrames(page)[2] ?? '')
      expect(preview.text).to.contain('--second: #0000ff').and.to.not.contain('javascript:')
    }
    expect(await readTheme()).to.deep.equal(stored)
  })

  it('shows what somebody else saved meanwhile before it overwrites it', async () => {
    const fields = await fill({ act: 'save', title: 'Mine' })
    await setTheme({ title: 'Theirs' })
    const refused = await owner.post(path, fields)
    expect(refused.status).to.equal(412)
    expect(readText(refused)).to.contain('Somebody has changed the looks').and.to.contain('Heading Theirs')
    expect((await owner.post(path, { ...readForm(refused, path), act: 'save' })).status).to.equal(303)
    expect(await readTheme()).to.include({ title: 'Mine' })
  })

  it('shows a viewer the looks and their previews, and neither form', async () => {
    const viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    const page = await viewer.get(path)
    expect(page.status).to.equal(200)
    expect(readText(page)).to.contain('Heading Mine')
    expect(page.text).to.not.contain(`action="${list}`)
    expect((await viewer.get(listFrames(page)[0] ?? '')).status).to.equal(200)
    const fields = await fill({ act: 'save', title: 'Taken over' })
    for (const act of ['save', 'preview']) expect((await viewer.post(path, { ...fields, act })).status).to.equal(403)
    expect(await readTheme()).to.include({ title: 'Mine' })
  })
})
