import { expect } from 'chai'
import type { Passport } from '../../../core/features/dpp/index.ts'
import { signInMember } from '../../core/identity/people.ts'
import {
  buildMember,
  buildPassport,
  buildProductPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { createVisitor, followJob, listLinks, readForm, readText, type Visitor } from './visitor.ts'

const list = '/console/passports'

describe('Console: list of passports', () => {
  let shop: Shop
  let owner: Visitor
  let viewer: Visitor
  let sheet: string
  let draft: Passport
  let published: Passport
  let described: Passport
  before(async () => {
    shop = await buildShop()
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
    viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
  })

  const listShown = async (visitor: Visitor, query = ''): Promise<string[]> =>
    listLinks(await visitor.get(`${list}${query}`)).flatMap(
      (address) => /^\/console\/passports\/([0-9a-f-]{36})$/.exec(address)?.[1] ?? [],
    )

  it('shows what fills it while it is empty: to create one, to import a file', async () => {
    const page = await owner.get(list)
    expect(page.status).to.equal(200)
    expect(readText(page)).to.contain('No passports yet')
    expect(listLinks(page)).to.include.members([`${list}/new`, '/console/imports/new'])
    const theirs = await viewer.get(list)
    expect(readText(theirs)).to.contain('Somebody whose role may create passports')
    expect(listLinks(theirs)).to.not.include(`${list}/new`)
  })

  it('finds by name, reference, number, identifier and the address that may claim', async () => {
    sheet = await buildSheet(shop, { name: 'Weekend bag' })
    draft = await buildPassport(shop, sheet, { reference: 'REF/7 <b>', allowedClaimEmail: 'ada@people.example' })
    published = await buildPublishedPassport(shop, sheet)
    described = await buildProductPassport(shop, { name: 'Field jacket', itemNumber: 'FJ 1', modelNumber: 'FJ' })
    const find = (text: string) => listShown(owner, `?search=${encodeURIComponent(text)}`)
    expect(await listShown(owner)).to.deep.equal([described.id, published.id, draft.id])
    expect(await find('weekEND')).to.deep.equal([published.id, draft.id])
    expect(await find('jack')).to.deep.equal([described.id])
    expect(await find('REF/7')).to.deep.equal([draft.id])
    expect(await find('FJ 1')).to.deep.equal([described.id])
    expect(await find(published.id.toUpperCase())).to.deep.equal([published.id])
    expect(await find('ada@people.example')).to.deep.equal([draft.id])
    expect(readText(await owner.get(`${list}?search=nowhere`))).to.contain('Nothing fits.')
  })

  it('has the filters of the API and the order in its address', async () => {
    const day = new Date().toISOString().slice(0, 10)
    for (const [query, expected] of [
      ['?status=draft&order=oldest', [draft.id, described.id]],
      ['?status=published', [published.id]],
      [`?sheet=${sheet}&order=newest`, [published.id, draft.id]],
      ['?granularity=item', [described.id]],
      ['?model=FJ&batch=', [described.id]],
      ['?source=import', []],
      ['?certify=failed', []],
      [`?application=${shop.application}&since=${day}&until=${day}&changed=${day}&order=unchanged`, 3],
      [`?until=2020-01-01`, []],
      [`?owner=${shop.organization}`, []],
    ] as const) {
      const shown = await listShown(owner, query)
      if (typeof expected === 'number') expect(shown, query).to.have.length(expected)
      else expect(shown, query).to.deep.equal(expected)
    }
    const form = readForm(await owner.get(`${list}?status=draft&sheet=${sheet}`), list)
    expect(form).to.include({ status: 'draft', sheet })
    expect((await owner.get(`${list}?since=2026-02-31`)).status).to.equal(422)
  })

  it('answers the filtered passports as a file in which no cell is a formula', async () => {
    const formula = await buildProductPassport(shop, { name: '=1+1', itemNumber: 'X' })
    const page = await owner.get(`${list}?granularity=item`)
    const address = listLinks(page).find((link) => link.startsWith(`${list}.csv`)) ?? ''
    const file = await owner.get(address)
    expect(file.headers['content-type']).to.contain('text/csv')
    const lines = file.text.trim().split('\r\n')
    expect(lines[0]).to.match(/^id,name,reference,status,/)
    expect(lines.slice(1).map((line) => line.split(',').slice(0, 2))).to.deep.equal([
      [formula.id, "'=1+1"],
      [described.id, 'Field jacket'],
    ])
  })

  it('shows a viewer no action, refuses what the role lacks, and sends a stranger to the sign-in', async () => {
    const page = await viewer.get(list)
    expect(page.text).to.not.match(/type="checkbox"|name="act"/)
    expect((await viewer.get(`${list}/new`)).status).to.equal(403)
    expect((await viewer.get(`${list}/bulk?act=publish&of=all`)).status).to.equal(403)
    expect((await viewer.post(`${list}/bulk`, { act: 'publish', of: 'all', matched: '1' })).status).to.equal(403)
    const editor = createVisitor(await signInMember(await buildMember(shop.organization, 'editor'), shop.organization))
    expect((await editor.get(list)).text)
      .to.match(/value="archive"/)
      .and.not.match(/value="delete"/)
    expect((await editor.post(`${list}/bulk`, { act: 'delete', of: 'all', matched: '1' })).status).to.equal(403)
    const away = await createVisitor('none=1').get(list)
    expect([away.status, away.headers['location']]).to.deep.equal([
      303,
      `/console/sign-in?next=${encodeURIComponent(list)}`,
    ])
  })

  it('asks with the exact number before all of a filtered list is published, and shows the job', async () => {
    const question = await owner.get(`${list}/bulk?act=publish&of=all&search=weekend`)
    expect(readText(question)).to.contain('Publish 2 passports?').and.to.contain('1 of 2 will change.')
    expect(readText(question)).to.contain('They are published already')
    const form = readForm(question, `${list}/bulk`)
    expect(form).to.include({ act: 'publish', of: 'all', search: 'weekend', matched: '2' })
    const begun = await owner.post(`${list}/bulk`, { ...form, skipCertification: 'on' })
    expect(begun.status, readText(begun)).to.equal(303)
    const job = await owner.get(await followJob(owner, begun))
    expect(readText(job))
      .to.contain('Publishing passports')
      .and.to.match(/Published 1 .*Stayed as they were 1/)
    expect(await listShown(owner, '?status=draft&search=weekend')).to.deep.equal([])
    const stranger = await buildShop()
    const theirs = createVisitor(await signInMember(stranger.owner, stranger.organization))
    expect((await theirs.get(String(begun.headers['location']))).status).to.equal(404)
  })

  it('asks again when other passports match than the question said', async () => {
    const form = readForm(await owner.get(`${list}/bulk?act=archive&of=all&search=weekend`), `${list}/bulk`)
    await buildPassport(shop, sheet)
    const refused = await owner.post(`${list}/bulk`, form)
    expect(refused.status).to.equal(412)
    expect(readText(refused)).to.contain('Other passports match now').and.to.contain('Archive 3 passports?')
    expect(await listShown(owner, '?status=archived')).to.deep.equal([])
  })

  it('archives and deletes the chosen rows only, and says what cannot be', async () => {
    const [one, two] = [await buildPassport(shop, sheet), await buildPassport(shop, sheet)]
    const question = await owner.get(`${list}/bulk?act=archive&of=chosen&box-${one.id}=on`)
    expect(readText(question)).to.contain('Archive 1 passport?').and.to.contain('Nothing brings them back.')
    const archived = await owner.post(`${list}/bulk`, readForm(question, `${list}/bulk`))
    expect(readText(await owner.get(await followJob(owner, archived)))).to.match(/Archived 1/)
    expect(await listShown(owner, '?status=archived')).to.deep.equal([one.id])
    const again = await owner.get(`${list}/bulk?act=archive&of=chosen&box-${one.id}=on`)
    expect(readText(again)).to.contain('0 of 1 will change.')
    expect(again.text).to.not.contain('Archive 0')
    const deletion = await owner.get(`${list}/bulk?act=delete&of=chosen&box-${one.id}=on&box-${two.id}=on`)
    const deleted = await owner.post(`${list}/bulk`, readForm(deletion, `${list}/bulk`))
    expect(readText(await owner.get(await followJob(owner, deleted)))).to.match(/Deleted 2/)
    expect(await listShown(owner, `?search=${two.id}`)).to.deep.equal([])
    const none = await owner.get(`${list}/bulk?act=delete&of=chosen`)
    expect([none.status, readText(none).includes('Nothing is chosen')]).to.deep.equal([400, true])
    expect((await owner.post(`${list}/bulk`, { act: 'delete', of: 'chosen', matched: '0' })).status).to.equal(400)
  })

  it('takes no form of another site', async () => {
    const form = { act: 'archive', of: 'all', matched: '1' }
    expect((await owner.post(`${list}/bulk`, form, { origin: 'https://evil.example' })).status).to.equal(403)
  })

  it('speaks French, and pages by cursor', async () => {
    for (let made = 0; made < 26; made++) await buildPassport(shop, sheet)
    const page = await owner.get(`${list}?sheet=${sheet}`, 'fr')
    expect(readText(page)).to.contain('Passeports').and.to.contain('Page suivante')
    const next = listLinks(page).find((address) => address.includes('cursor=')) ?? ''
    expect(next).to.contain(`sheet=${sheet}`)
    const second = (await owner.get(next)).text
    expect(second).to.contain(`${list}/${published.id}`)
    expect(page.bytes.length, 'bytes').to.be.lessThan(60_000)
    const question = readText(await owner.get(`${list}/bulk?act=certify&of=all&status=draft`, 'fr'))
    expect(question).to.contain('ce sont des brouillons, à publier d’abord')
  })
})
