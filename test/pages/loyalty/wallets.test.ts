import { expect } from 'chai'
import { languages, words } from '../../../core/languages/index.ts'
import {
  buildIssuingShop,
  publicAddress,
  startGoogleStage,
  type GoogleStage,
} from '../../core/loyalty/cards/google/stage.ts'
import { createEmail, signInBuyer } from '../../core/identity/people.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { createApiClient } from '../../support/client.ts'
import { buildPublishedPassport, buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { createVisitor, listLinks, readForm, readText } from '../passports/visitor.ts'

const applePath = (slug: string) => `/me/wallets/apple-wallet?application=${slug}`
const googlePath = (slug: string) => `/me/wallets/google-wallet?application=${slug}`

const readSlug = async ({ api, application }: Shop): Promise<string> =>
  String((await api.get(`/v1/applications/${application}`)).body['slug'])

describe('/me and the cards of a buyer, where only Apple Wallet is set up', () => {
  let shop: Shop
  let slug: string
  before(async () => {
    shop = await buildShop()
    slug = await readSlug(shop)
  })
  const signIn = async (email = createEmail('card')) => {
    const token = String((await signInBuyer(shop.application, email)).body['token'])
    return { email, token, visitor: createVisitor(`tessera.user=${token}`) }
  }

  it('offers the card for Apple Wallet and gives it out as a file', async () => {
    const { visitor } = await signIn()
    const page = await visitor.get('/me')
    expect(listLinks(page)).to.include(applePath(slug)).and.to.not.include(googlePath(slug))
    expect(readText(page)).to.contain('Add to Apple Wallet').and.to.contain('Not in your wallet yet')
    const file = await visitor.get(applePath(slug))
    expect(file.status, file.text).to.equal(200)
    expect(file.headers['content-type']).to.equal('application/vnd.apple.pkpass')
    expect(file.bytes.subarray(0, 2).toString()).to.equal('PK')
  })

  it('says on a page why there is no card for Google Wallet, in the language of the reader', async () => {
    const { visitor } = await signIn()
    for (const language of languages) {
      const page = await visitor.get(googlePath(slug), language)
      expect(page.status, page.text).to.equal(409)
      const { failure, back } = words[language].wallets
      expect(readText(page)).to.contain(failure.head).and.to.contain(failure.notConfigured).and.to.contain(back)
      expect(readText(await visitor.get('/me', language))).to.contain(words[language].wallets.add['apple-wallet'])
    }
  })

  it('leads whoever is not signed in to the page where they can', async () => {
    for (const path of [applePath(slug), googlePath(slug)]) {
      const answer = await createVisitor('').get(path)
      expect([answer.status, answer.headers['location']]).to.deep.equal([303, `/me?application=${slug}`])
    }
    const form = { application: slug, messages: 'off' }
    expect((await createVisitor('').post('/me/wallets/apple-wallet/messages', form)).status).to.equal(303)
    expect((await createVisitor('').get(applePath('nobody-has-this'))).status).to.equal(404)
    expect((await createVisitor('').get(`/me/wallets/paper?application=${slug}`)).status).to.equal(400)
  })

  it('is where the passport of an item leads its owner, and nobody else', async () => {
    const { email, token, visitor } = await signIn()
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop), { allowedClaimEmail: email })
    const api = createApiClient({ bearer: token })
    const { body } = await api.post('/v1/dpp/claim', { passport: id })
    await waitForJob(api, `/v1/dpp/claim/${body.jobId}/status`)
    expect(listLinks(await visitor.get(`/p/${id}`))).to.include(`/me?application=${slug}#card`)
    expect(listLinks(await createVisitor('').get(`/p/${id}`))).to.not.include(`/me?application=${slug}#card`)
    expect((await visitor.get('/me')).text).to.contain('id="card"')
  })
}).timeout(120_000)

describe('/me and the cards of a buyer for Google Wallet', () => {
  let stage: GoogleStage
  let shop: Shop
  let slug: string
  before(async () => {
    stage = await startGoogleStage()
    shop = await buildIssuingShop(stage)
    slug = await readSlug(shop)
  })
  after(() => stage.stop())
  const signIn = async () => {
    const token = String((await signInBuyer(shop.application)).body['token'])
    return createVisitor(`tessera.user=${token}`, stage.api, publicAddress)
  }
  const path = '/me/wallets/google-wallet/messages'

  it('leads to Google, and shows that the card is in the wallet', async () => {
    const visitor = await signIn()
    expect(readText(await visitor.get('/me'))).to.contain('Save to Google Wallet')
    const answer = await visitor.get(googlePath(slug))
    expect(answer.status, answer.text).to.equal(302)
    await stage.phone.save(String(answer.headers['location']))
    const page = readText(await visitor.get('/me'))
    expect(page).to.contain('In your wallet').and.to.contain('The shop may send messages to it.')
  })

  it('lets the buyer refuse messages and allow them again', async () => {
    const visitor = await signIn()
    const object = await stage.phone.save(String((await visitor.get(googlePath(slug))).headers['location']))
    for (const text of ['No messages come to it.', 'The shop may send messages to it.']) {
      const answer = await visitor.post(path, readForm(await visitor.get('/me'), path))
      expect([answer.status, answer.headers['location']]).to.deep.equal([303, `/me?application=${slug}`])
      expect(readText(await visitor.get('/me'))).to.contain(text)
    }
    await stage.phone.delete(object)
    expect(readText(await visitor.get('/me')))
      .to.contain('Not in your wallet yet')
      .and.to.not.contain('messages to it')
  })

  it('keeps the language that the address names', async () => {
    const visitor = await signIn()
    const link = listLinks(await visitor.get('/me?lang=it')).find((each) =>
      each.startsWith('/me/wallets/google-wallet'),
    )
    expect(link).to.equal(`${googlePath(slug)}&lang=it`)
    await stage.phone.save(String((await visitor.get(String(link))).headers['location']))
    const answer = await visitor.post(path, readForm(await visitor.get('/me?lang=it'), path))
    expect(answer.headers['location']).to.equal(`/me?application=${slug}&lang=it`)
  })

  it('says on a page that Google does not answer, and takes no form of another site', async () => {
    const visitor = await signIn()
    stage.google.failures.push('down')
    const page = await visitor.get(googlePath(slug))
    expect(page.status).to.equal(503)
    expect(readText(page)).to.contain('The wallet does not answer.')
    const foreign = await visitor.post(path, { application: slug, messages: 'on' }, { origin: 'https://evil.example' })
    expect(foreign.status).to.equal(403)
  })
}).timeout(120_000)
