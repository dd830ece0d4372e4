import { expect } from 'chai'
import {
  codeOf,
  createEmail,
  enablePhones,
  getOperator,
  listMessagesTo,
  readCodeFor,
  signInBuyer,
} from '../../core/identity/people.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { createApiClient } from '../../support/client.ts'
import { ageCodes } from '../../support/rows/identity/sessions.ts'
import { buildPublishedPassport, buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { createVisitor, listLinks, readForm, readText, type Visitor } from '../passports/visitor.ts'

const anybody = createVisitor('')

describe('Pages to pass a passport on', function () {
  this.timeout(120_000)
  let shop: Shop
  let sheet: string
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
    await enablePhones(shop.organization)
  })

  const signIn = async (email: string): Promise<{ visitor: Visitor; token: string }> => {
    const token = String((await signInBuyer(shop.application, email)).body['token'])
    return { token, visitor: createVisitor(`tessera.user=${token}`) }
  }
  /** A passport that somebody has claimed, and their browser. */
  async function claim(email = createEmail('owner')) {
    const { visitor, token } = await signIn(email)
    const { id } = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })
    const api = createApiClient({ bearer: token })
    const { body } = await api.post('/v1/dpp/claim', { passport: id })
    await waitForJob(api, `/v1/dpp/claim/${body.jobId}/status`)
    return { email, visitor, passport: id, path: `/p/${id}/transfer`, api }
  }
  const readLink = async (address: string): Promise<string> => {
    const message = (await listMessagesTo(address)).find(({ text }) => text.includes('/transfer?token='))
    return /\/transfer\?token=[\w-]+/.exec(message?.text ?? '')?.[0] ?? ''
  }

  it('lead from the passport of its owner to the form, and from the form to what they have', async () => {
    const { visitor, passport, path } = await claim()
    expect(listLinks(await visitor.get(`/p/${passport}`))).to.include(path)
    expect(listLinks(await anybody.get(`/p/${passport}`))).to.not.include(path)
    expect(listLinks(await visitor.get('/me'))).to.include(path)
    const to = createEmail('taker')
    expect(readText(await visitor.get(path))).to.contain('Their e-mail address')
    const sent = await visitor.post(path, { email: to })
    expect([sent.status, sent.headers['location']]).to.deep.equal([303, '/me?sent=yes'])
    const list = await visitor.get('/me?sent=yes')
    expect(readText(list)).to.contain('The message is on its way').and.to.contain(`to ${to}`)
    expect(readText(await visitor.get(path))).to.contain('This cannot be passed on.')
    const back = await visitor.post(`${path}/withdraw`, readForm(list, `${path}/withdraw`))
    expect([back.status, back.headers['location']]).to.deep.equal([303, '/me'])
    expect(readText(await visitor.get('/me'))).to.contain('taken back')
    expect((await visitor.post(`${path}/withdraw`, {})).status, 'again').to.equal(303)
    expect((await anybody.post(`${path}/withdraw`, {})).headers['location']).to.equal('/me')
    expect((await anybody.get(await readLink(to))).status).to.equal(400)
  })

  it('ask for a new code where the last one is old, on the form and when it is sent', async () => {
    const { db } = await getOperator()
    const { email, visitor, path } = await claim()
    await ageCodes(db, email, 11)
    const late = await visitor.post(path, { email: createEmail() })
    expect([late.status, late.headers['location']]).to.deep.equal([303, path])
    const proof = await visitor.get(path)
    expect(readText(proof)).to.contain('sign in with a new code')
    const sent = await visitor.post(`${path}/code`, { ...readForm(proof, `${path}/code`), email })
    const code = await readCodeFor(email)
    const wrong = await visitor.post(`${path}/sign-in`, {
      ...readForm(sent, `${path}/sign-in`),
      otp: code === '000000' ? '000001' : '000000',
    })
    expect([wrong.status, readText(wrong).includes('wrong or no longer good')]).to.deep.equal([401, true])
    const done = await visitor.post(`${path}/sign-in`, { ...readForm(sent, `${path}/sign-in`), otp: code })
    expect([done.status, done.headers['location']]).to.deep.equal([303, path])
    const cookie = String(done.headers['set-cookie']).split(';')[0] ?? ''
    expect(readText(await createVisitor(cookie).get(path))).to.contain('Their e-mail address')
    const unsent = await visitor.post(`${path}/code`, { email: 'nobody' })
    expect([unsent.status, readForm(unsent, `${path}/code`)['email']]).to.deep.equal([422, 'nobody'])
  })

  it('say what is wrong, keep what was written, and tell strangers that it is not theirs', async () => {
    const { email, visitor, path } = await claim()
    const own = await visitor.post(path, { email })
    expect([own.status, readText(own).includes('Check the address')]).to.deep.equal([422, true])
    expect(readForm(own, path)).to.include({ email })
    const phone = await visitor.post(path, { phoneCallingCode: '+33', phone: '12' })
    expect(phone.status).to.equal(422)
    expect(phone.text).to.contain('value="+33"')
    const { visitor: stranger } = await signIn(createEmail('stranger'))
    expect(readText(await stranger.get(path))).to.contain('This is not yours.')
    const refused = await stranger.post(path, { email: createEmail() })
    expect([refused.status, readText(refused).includes('somebody else')]).to.deep.equal([403, true])
    expect((await anybody.post(path, { email })).headers['location']).to.equal(path)
    expect((await anybody.get('/p/00000000-0000-4000-8000-000000000000/transfer')).status).to.equal(404)
  })

  it('let whoever has the link sign in, accept, and watch it arrive, in their language', async () => {
    const { visitor, path, passport, api } = await claim()
    const to = createEmail('taker')
    await visitor.post(path, { email: to, lang: 'fr' })
    const link = await readLink(to)
    expect((await listMessagesTo(to))[0]?.subject).to.contain('est pour vous')
    const page = await anybody.get(link, 'fr')
    expect(readText(page)).to.contain('Connectez-vous avec l’adresse qui a reçu le message')
    const sent = await anybody.post('/transfer/code', { ...readForm(page, '/transfer/code'), email: to })
    const done = await anybody.post('/transfer/sign-in', {
      ...readForm(sent, '/transfer/sign-in'),
      otp: await readCodeFor(to),
    })
    expect([done.status, done.headers['location']]).to.deep.equal([303, link])
    const taker = createVisitor(String(done.headers['set-cookie']).split(';')[0] ?? '')
    const answers = await taker.get(link)
    expect(readText(answers)).to.contain(to).and.to.contain('Accept it')
    const accepted = await taker.post('/transfer', readForm(answers, '/transfer'))
    const job = String(accepted.headers['location'])
    expect(`${accepted.status} ${job}`).to.match(/^303 \/claim\//)
    const bearer = /tessera.user=(\w+)/.exec(taker.cookie)?.[1] ?? ''
    await waitForJob(createApiClient({ bearer }), `/v1/dpp${job}/status`)
    expect(readText(await taker.get(job))).to.contain('The item was passed on to you')
    expect(readText(await taker.get('/me'))).to.contain('for you yours')
    expect(readText(await visitor.get('/me'))).to.contain('passed on')
    expect(readText(await taker.get(`/p/${passport}`))).to.contain('This one is yours')
    expect((await taker.get(link)).status, 'used').to.equal(400)
    expect((await taker.post('/transfer', { token: 'nothing' })).status).to.equal(400)
    expect(codeOf(await api.delete(`/v1/dpp/passports/${passport}/transfer`))).to.deep.equal([
      403,
      'DPP_TRANSFER_NOT_ALLOWED',
    ])
  })

  it('let them decline, tell others that it is not for them, and take no answer of somebody who is not signed in', async () => {
    const { visitor, path } = await claim()
    const to = createEmail('decliner')
    await visitor.post(path, { email: to })
    const link = await readLink(to)
    const { visitor: other } = await signIn(createEmail('other'))
    expect(readText(await other.get(link))).to.contain('for another address')
    const token = link.split('=')[1] ?? ''
    for (const action of ['/transfer', '/transfer/decline']) {
      expect((await other.post(action, { token })).status).to.equal(403)
      expect((await anybody.post(action, { token })).headers['location']).to.equal(link)
    }
    const { visitor: taker } = await signIn(to)
    const declined = await taker.post('/transfer/decline', readForm(await taker.get(link), '/transfer/decline'))
    expect([declined.status, readText(declined).includes('You declined')]).to.deep.equal([200, true])
    expect(readText(await visitor.get('/me'))).to.contain('declined')
    expect((await anybody.get('/transfer?token=nothing')).status).to.equal(400)
  })

  it('lead whoever is not named in a passport to a question to its brand', async () => {
    const { id } = await buildPublishedPassport(shop, sheet)
    const { visitor } = await signIn(createEmail('asking'))
    const page = await visitor.get(`/claim?passport=${id}`)
    const refused = await visitor.post('/claim', readForm(page, '/claim'))
    expect([refused.status, readText(refused).includes('Ask for this passport')]).to.deep.equal([403, true])
    const sent = await visitor.post('/claim/ask', { ...readForm(refused, '/claim/ask'), text: 'It was\r\na gift.' })
    expect([sent.status, readText(sent).includes('You have asked')]).to.deep.equal([200, true])
    expect((await anybody.post('/claim/ask', { passport: id })).headers['location']).to.equal(`/claim?passport=${id}`)
    for (let at = 0; at < 4; at++) await visitor.post('/claim/ask', { passport: id })
    const limited = await visitor.post('/claim/ask', { passport: id })
    expect([limited.status, readText(limited).includes('Too many questions')]).to.deep.equal([429, true])
  })
})
