import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { forgetRequesters } from '../../../../core/features/dpp/index.ts'
import { createVisitor, listLinks, readText, type Visitor } from '../../../pages/passports/visitor.ts'
import { createApiClient } from '../../../support/client.ts'
import { ageRequests, readRequestText } from '../../../support/rows/dpp/requests/requests.ts'
import {
  buildBuyer,
  buildMember,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Buyer,
  type Shop,
} from '../../../support/world.ts'
import { codeOf, createEmail, getOperator, listMessagesTo, signInMember } from '../../identity/people.ts'
import { listEventTypes, readPassport, waitForJob } from '../passports/fixtures.ts'

const list = '/console/claim-requests'

describe('POST /v1/dpp/claim/requests', function () {
  this.timeout(120_000)
  let shop: Shop
  let sheet: string
  let owner: Visitor
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
  })
  const publish = async () => (await buildPublishedPassport(shop, sheet)).id
  const ask = (by: Buyer, passport: string, text = 'Bought in Lyon.') =>
    by.post('/v1/dpp/claim/requests', { passport, text })
  /** The identifier of the request for a passport, which the form of the list has in its address. */
  const findRequest = async (passport: string, by = owner): Promise<string> => {
    const { text } = await by.get(`${list}?application=${shop.application}`)
    const [, card = ''] = text.split(`/console/passports/${passport}`)
    return /action="\/console\/claim-requests\/([\w-]+)"/.exec(card)?.[1] ?? ''
  }
  const decide = (id: string, decision: string, by = owner) => by.post(`${list}/${id}`, { decision })

  it('asks the organization, which approves: the link of the mail claims the passport', async () => {
    const email = createEmail('asking')
    const [buyer, passport] = [await buildBuyer(shop, email), await publish()]
    const sent = await ask(buyer, passport, ' Bought in Lyon.\nOn 3 May. ')
    expect([sent.status, sent.text]).to.deep.equal([204, ''])
    expect(await listEventTypes(shop, passport)).to.deep.equal(['create', 'publish', 'update'])
    const shown = readText(await owner.get(list))
    expect(shown).to.contain('Bought in Lyon.').and.to.contain(email)
    const decided = await decide(await findRequest(passport), 'approve')
    expect([decided.status, decided.headers['location']]).to.deep.equal([303, list])
    const [message] = await listMessagesTo(email)
    const [, magicToken = ''] = /\/claim\?token=(\S+)/.exec(message?.text ?? '') ?? []
    const claimed = await buyer.post('/v1/dpp/claim/magicToken', { magicToken })
    await waitForJob(buyer, `/v1/dpp/claim/${claimed.body.jobId}/status`)
    expect((await readPassport(shop.api, passport)).mintedTo?.id).to.equal(buyer.account)
    expect(readText(await owner.get(`${list}?state=approved`))).to.contain(email)
    expect(codeOf(await ask(buyer, passport))).to.deep.equal([409, 'DPP_PASSPORT_NOT_CLAIMABLE'])
  })

  it('keeps one request of a person for a passport, with what they said last', async () => {
    const { db } = await getOperator()
    const [buyer, passport] = [await buildBuyer(shop), await publish()]
    for (const text of ['First words', 'Last words']) expect((await ask(buyer, passport, text)).status).to.equal(204)
    const stored = await readRequestText(db, passport)
    expect(stored).to.contain('Last words').and.not.contain('First words')
    expect(await listEventTypes(shop, passport)).to.deep.equal(['create', 'publish', 'update'])
  })

  it('is declined with a mail, and decided once', async () => {
    const email = createEmail('declined')
    const [buyer, passport] = [await buildBuyer(shop, email), await publish()]
    await ask(buyer, passport)
    const id = await findRequest(passport)
    for (const decision of ['decline', 'approve']) expect((await decide(id, decision)).status).to.equal(303)
    const messages = (await listMessagesTo(email)).filter(({ subject }) => subject.startsWith('About'))
    expect(messages).to.have.length(1)
    expect(messages[0]?.text).to.contain('could not confirm').and.not.contain('token=')
    expect((await ask(buyer, passport)).status, 'asked again').to.equal(204)
  })

  it('cannot be approved once the passport has an owner', async () => {
    const email = createEmail('owner')
    const [buyer, other] = [await buildBuyer(shop), await buildBuyer(shop, email)]
    const { id: passport } = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })
    await ask(buyer, passport)
    const id = await findRequest(passport)
    const claimed = await other.post('/v1/dpp/claim', { passport })
    await waitForJob(other, `/v1/dpp/claim/${claimed.body.jobId}/status`)
    const refused = await decide(id, 'approve')
    expect([refused.status, readText(refused).includes('Nobody can claim this passport any more')]).to.deep.equal([
      409,
      true,
    ])
    expect((await decide(id, 'decline')).status).to.equal(303)
  })

  it('refuses what is nobody, a draft and a passport of another application, and whoever is no buyer of it', async () => {
    const [buyer, foreign] = [await buildBuyer(shop), await buildBuyer(await buildShop())]
    const [passport, draft] = [await publish(), (await buildPassport(shop, sheet)).id]
    for (const [by, id] of [
      [buyer, draft],
      [buyer, randomUUID()],
      [foreign, passport],
    ] as const)
      expect(codeOf(await ask(by, id))).to.deep.equal([404, 'NOT_FOUND'])
    expect((await createApiClient().post('/v1/dpp/claim/requests', { passport })).status).to.equal(401)
    expect((await shop.api.post('/v1/dpp/claim/requests', { passport })).status).to.equal(403)
    expect((await buyer.post('/v1/dpp/claim/requests', { passport, text: 'x'.repeat(1_001) })).status).to.equal(422)
    const other = await buildShop()
    const stranger = createVisitor(await signInMember(other.owner, other.organization))
    await ask(buyer, passport)
    const id = await findRequest(passport)
    expect((await decide(id, 'approve', stranger)).status).to.equal(404)
    const viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    expect(readText(await viewer.get(list))).to.contain('Bought in Lyon.')
    expect(await findRequest(passport, viewer), 'no form for a viewer').to.equal('')
    expect((await decide(id, 'approve', viewer)).status).to.equal(403)
  })

  it('takes 5 requests a day of one person', async () => {
    const [buyer, passport] = [await buildBuyer(shop), await publish()]
    const statuses: number[] = []
    for (let at = 0; at < 6; at++) statuses.push((await ask(buyer, passport)).status)
    expect(statuses).to.deep.equal([204, 204, 204, 204, 204, 429])
  })

  it('forgets who requested it 90 days after the decision', async () => {
    const { db } = await getOperator()
    const email = createEmail('forgotten')
    const [buyer, passport] = [await buildBuyer(shop, email), await publish()]
    await ask(buyer, passport)
    await decide(await findRequest(passport), 'decline')
    await ageRequests(db, passport, 89)
    await forgetRequesters(db)
    expect(await readRequestText(db, passport)).to.contain(email)
    await ageRequests(db, passport, 2)
    await forgetRequesters(db)
    expect(await readRequestText(db, passport))
      .to.not.contain(email)
      .and.to.not.contain('Lyon')
  })

  it('is offered on the page of the passport to whoever its seller has not named', async () => {
    const passport = await publish()
    const page = await createVisitor('').get(`/p/${passport}`)
    expect(listLinks(page)).to.include(`/claim?passport=${passport}`)
  })
})
