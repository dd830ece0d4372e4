import { expect } from 'chai'
import { signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildMember, buildProductPassport, buildShop, type Shop } from '../../support/world.ts'
import { inspectPages, looks } from '../loyalty/walk.ts'
import { createVisitor, listLinks, readForm, readText, type Visitor } from '../passports/visitor.ts'

const path = '/console/events'

describe('Console: events', function () {
  this.timeout(120_000)
  let shop: Shop
  let owner: Visitor
  let jacket: string
  before(async () => {
    shop = await buildShop()
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
    jacket = (await buildProductPassport(shop, { name: 'Field jacket', itemNumber: 'FJ-1' })).id
  })

  /** What the rows say, without the time. */
  const listRows = async (query = '', language = 'en'): Promise<string[]> => {
    const { status, text } = await owner.get(`${path}${query}`, language)
    expect(status, text).to.equal(200)
    const rows = [...text.matchAll(/<tr><td><time.*?<\/td>(.*?)<\/tr>/gs)]
    return rows.map(([, cells = '']) => readText({ text: cells }).trim())
  }

  it('are listed from the first page on, the newest first, with the passport that each is about', async () => {
    expect(listLinks(await owner.get('/console'))).to.include(path)
    const rows = await listRows()
    expect(rows[0]).to.contain('Passport created').and.to.contain('Field jacket, FJ-1')
    expect(rows.at(-1)).to.contain('Application created')
    expect(listLinks(await owner.get(path))).to.include(`/console/passports/${jacket}`)
    expect((await listRows('', 'fr'))[0]).to.contain('Passeport créé')
  })

  it('have the filters of the API in the address of the page and of its file', async () => {
    const today = new Date().toISOString().slice(0, 10)
    for (const [query, count] of [
      ['?subject=application', 1],
      ['?subject=dppPassport&type=create', 1],
      ['?type=scan', 0],
      [`?passport=${jacket}&granularity=`, 1],
      [`?application=${shop.application}&since=${today}&until=${today}`, 2],
      ['?until=2020-01-01', 0],
    ] as const)
      expect(await listRows(query), query).to.have.length(count)
    const page = await owner.get(`${path}?subject=application`)
    expect(readForm(page, path)).to.include({ subject: 'application', type: '' })
    const file = await owner.get(listLinks(page).find((link) => link.startsWith(`${path}.csv`)) ?? '')
    expect(file.headers['content-type']).to.contain('text/csv')
    const [head, ...lines] = file.text.trim().split('\r\n')
    expect(head).to.equal('id,created_at,subject,type,application,application_name,passport,product,unknown_number')
    expect(lines.map((line) => line.split(',').slice(2, 5))).to.deep.equal([
      ['application', 'create', shop.application],
    ])
    expect((await owner.get(`${path}?since=2026-02-31`)).status).to.equal(422)
  })

  it('no longer lead to a passport that was deleted, and come page by page', async () => {
    expect((await shop.api.delete(`/v1/dpp/passports/${jacket}`)).status).to.equal(200)
    expect((await listRows(`?passport=${jacket}`))[0])
      .to.contain('Passport deleted')
      .and.to.contain('deleted since')
    expect(listLinks(await owner.get(path))).to.not.include(`/console/passports/${jacket}`)
    const names = Array.from({ length: 30 }, (_, at) => `Renamed ${at}`)
    for (const name of names) await shop.api.patch(`/v1/applications/${shop.application}`, { name })
    const first = await owner.get(`${path}?subject=application`)
    const next = listLinks(first).find((link) => link.includes('cursor=')) ?? ''
    expect(next).to.contain('subject=application')
    const rows = await listRows(next.slice(path.length))
    expect(rows).to.have.length(6)
    expect(rows.at(-1)).to.contain('Application created')
  })

  it('are those of the own organization, for every role', async () => {
    const other = await buildShop()
    expect(await listRows(`?application=${other.application}`)).to.deep.equal([])
    const viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    expect((await viewer.get(path)).status).to.equal(200)
  })

  describeInBrowser('in Chromium', () => {
    it('have no fault that axe finds, and nothing is cut off', async () => {
      const browser = await openBrowser()
      for (const look of looks)
        await inspectPages(browser, { cookie: owner.cookie, look }, [path, `${path}?product=jacket`])
      await browser.close()
    })
  })
})
