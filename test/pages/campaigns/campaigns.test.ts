import { expect } from 'chai'
import { getOperator, signInMember } from '../../core/identity/people.ts'
import { putCampaignInState } from '../../support/rows/loyalty/campaigns.ts'
import { buildMember, type Shop } from '../../support/world.ts'
import { createVisitor, listLinks, readForm, readText, type Visitor } from '../passports/visitor.ts'
import { buildCampaignShop, campaignsPath, message, saveDraft } from './scenes.ts'

/** Finds the next day on which the clocks of Paris change: the last Sunday of a month. @param month from 0 */
function findChange(month: number): string {
  const now = new Date()
  const [day = ''] = [now.getUTCFullYear(), now.getUTCFullYear() + 1]
    .map((year) => new Date(Date.UTC(year, month + 1, 0)))
    .map((last) => new Date(last.getTime() - last.getUTCDay() * 86_400_000))
    .filter((sunday) => sunday > new Date(now.getTime() + 86_400_000))
    .map((sunday) => sunday.toISOString().slice(0, 10))
  return day
}

describe('Console: campaigns', function () {
  this.timeout(60_000)
  let shop: Shop
  let owner: Visitor
  before(async () => ({ shop, owner } = await buildCampaignShop(40)))

  it('says what fills an empty list, and that no wallet is connected yet', async () => {
    const page = await owner.get(campaignsPath)
    expect(readText(page)).to.contain('No campaigns yet').and.to.contain('has credentials of no wallet')
    expect(listLinks(page)).to.include.members([
      `${campaignsPath}/new`,
      `/console/branding/${shop.application}/wallets`,
    ])
    expect(readText(await owner.get(campaignsPath, 'fr'))).to.contain('Pas encore de campagne')
  })

  it('shows what a draft comes to before anything is stored, and refuses it at its fields', async () => {
    const form = readForm(await owner.get(`${campaignsPath}/new`), campaignsPath)
    const { google: _, ...empty } = form
    const shown = await owner.post(campaignsPath, {
      ...empty,
      ...message,
      'locale-fr': 'yes',
      holdoutPercent: '10',
      act: 'show',
    })
    expect(shown.status).to.equal(200)
    expect(readText(shown)).to.contain('Match 40').and.to.contain('Held back 4').and.to.contain('not saved yet')
    expect(shown.text.match(/data-shows="headline"[^>]*>A coffee on us/g)).to.have.length(3)
    expect(shown.text).to.contain('data-wallet="apple-wallet">').and.to.contain('data-wallet="google-wallet" hidden>')
    const refused = await owner.post(campaignsPath, {
      ...empty,
      ...message,
      headline: 'See www.shop.example',
      minPoints: '9',
      maxPoints: '3',
      minVisits: 'x',
      act: 'save',
    })
    expect(refused.status).to.equal(422)
    expect(readForm(refused, campaignsPath)).to.include({ headline: 'See www.shop.example', minVisits: 'x' })
    expect(refused.text).to.match(/id="minVisits-fault">is no number/)
    const linked = await owner.post(campaignsPath, {
      ...empty,
      ...message,
      headline: 'See www.shop.example',
      act: 'save',
    })
    expect(linked.text).to.match(/id="headline-fault">must have no link/)
    expect((await shop.api.get('/v1/loyalty/campaigns')).body['total']).to.equal(0)
  })

  it('counts an audience for the script, as a part of a page', async () => {
    const path = `${campaignsPath}/audience?application=${shop.application}&apple=yes`
    const all = await owner.get(`${path}&locale-fr=yes`)
    expect(all.text).to.not.contain('<html')
    expect(readText(all)).to.contain('Match 40')
    expect(readText(await owner.get(`${path}&locale-de=yes`))).to.contain('Match 0')
    expect(readText(await owner.get(`${path}&minPoints=x`))).to.contain('put right')
  })

  it('keeps a draft, changes it, and finds that somebody else has', async () => {
    const path = await saveDraft(owner, { ...message, inactiveForDays: '30' })
    const form = readForm(await owner.get(path), path)
    expect(form).to.include({ name: 'Autumn', inactiveForDays: '30', apple: 'yes' }).and.to.not.have.property('google')
    expect((await owner.post(path, { ...form, name: 'Winter', act: 'save' })).status).to.equal(303)
    const late = await owner.post(path, { ...form, name: 'Spring', act: 'save' })
    expect(late.status).to.equal(412)
    expect(readForm(late, path)).to.include({ name: 'Spring' })
    expect((await owner.post(path, { ...readForm(late, path), act: 'save' })).status).to.equal(303)
    const file = await owner.get(`${campaignsPath}.csv?status=draft`)
    expect(file.text)
      .to.contain('id,application,name,status')
      .and.to.contain(',Spring,draft,apple-wallet,A coffee on us')
    expect((await owner.post(`${path}/delete`, {})).status).to.equal(303)
    expect((await owner.get(path)).status).to.equal(404)
  })

  it('is scheduled in the zone of the organization, also where its clocks change, and cancelled', async () => {
    const changed = await shop.api.patch(`/v1/organizations/${shop.organization}`, { timeZone: 'Europe/Paris' })
    expect(changed.status, changed.text).to.equal(200)
    const path = await saveDraft(owner, message)
    const form = readForm(await owner.get(`${path}/schedule`), `${path}/schedule`)
    const schedule = (fields: Record<string, string>) => owner.post(`${path}/schedule`, { ...form, ...fields })
    expect(readText(await schedule({ at: '2020-01-01T10:00' }))).to.contain('over already')
    expect(readText(await schedule({ at: '2026-13-01T10:00' }))).to.contain('not written as it has to be')
    expect(readText(await schedule({ at: `${findChange(2)}T02:30` }))).to.contain('does not exist on that day')
    const twice = findChange(9)
    const question = await schedule({ at: `${twice}T02:30` })
    expect(readText(question)).to.contain('The first (UTC+2)').and.to.contain('The second (UTC+1)')
    expect(readForm(question, `${path}/schedule`)).to.include({ at: `${twice}T02:30` })
    expect((await schedule({ at: `${twice}T02:30`, which: 'second' })).status).to.equal(303)
    const page = await owner.get(path)
    expect(readText(page)).to.contain('(Europe/Paris)')
    expect(page.text).to.contain(`datetime="${twice}T01:30:00.000Z"`)
    expect((await owner.post(`${path}/cancel`, {})).status).to.equal(303)
    expect(readForm(await owner.get(path), path)).to.include({ name: 'Autumn' })
    const again = await owner.post(`${path}/cancel`, {})
    expect(again.status).to.equal(409)
    expect(readText(again)).to.contain('not scheduled any more')
  })

  it('says whom it reaches and that it is final before it is sent, and shows a viewer no act', async () => {
    const path = await saveDraft(owner, { ...message, holdoutPercent: '25' })
    const question = readText(await owner.get(`${path}/send`))
    expect(question).to.contain('30 customers will get it').and.to.contain('About 10 customers (25%)')
    expect(question).to.contain('cannot be taken back').and.to.contain('A coffee on us')
    const viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    const read = await viewer.get(path)
    expect(read.status).to.equal(200)
    expect(listLinks(read).filter((link) => /\/(send|schedule|delete)$/.test(link))).to.deep.equal([])
    expect((await viewer.get(`${path}/send`)).status).to.equal(403)
    expect((await viewer.get(`${campaignsPath}/new`)).status).to.equal(403)
  })

  it('tells that one stopped, on the first page too, and goes on after a question', async () => {
    const path = await saveDraft(owner, { ...message, name: 'Stranded one' })
    const { db } = await getOperator()
    await putCampaignInState(db, String(path.split('/').at(-1)), 'stranded')
    const home = await owner.get('/console')
    expect(readText(home)).to.contain('The campaign Stranded one stopped before all messages were sent')
    expect(listLinks(home)).to.include(path)
    const page = await owner.get(path)
    expect(readText(page)).to.contain('The job that sent it is gone.')
    expect(listLinks(page)).to.include(`${path}/resume`)
    expect(readText(await owner.get(`${path}/resume`))).to.contain('gets no other')
    expect((await owner.post(`${path}/resume`, {})).status).to.equal(303)
    expect(readText(await owner.post(`${path}/resume`, {}))).to.contain(
      'It is being sent, or all of it was sent already.',
    )
  })
})
