import { expect } from 'chai'
import { getOperator, signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { insertImport } from '../../support/rows/imports/imports.ts'
import { buildMember, buildShop, type Shop } from '../../support/world.ts'
import { inspectPages, looks } from '../loyalty/walk.ts'
import { createVisitor, listLinks, readForm, readText, type Visitor } from '../passports/visitor.ts'

const list = '/console/imports/mappings'

describe('Console: saved mappings', function () {
  this.timeout(120_000)
  let shop: Shop
  let owner: Visitor
  let fetched: string
  let sent: string
  before(async () => {
    shop = await buildShop()
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
  })

  const rows = [
    { destination: 'reference', kind: 'field', source: 'Réf.', required: true, transforms: ['trim', 'upper'] },
    { destination: 'product.idGranularity', kind: 'constant', value: 'item' },
    { destination: 'product.name', kind: 'concat', source: ['brand', 'name'], value: ' ' },
    { destination: 'product.itemNumber', kind: 'field', source: 'Réf.' },
  ]
  async function createMapper(name: string, more: object = {}): Promise<string> {
    const body = { application: shop.application, type: 'file', format: 'csv', name, rows, ...more }
    const made = await shop.api.post('/v1/import/mappers', body)
    expect(made.status, made.text).to.equal(201)
    return String(made.body['id'])
  }
  const readMapper = async (id: string) => (await shop.api.get(`/v1/import/mappers/${id}`)).body

  it('are listed with what they read, found by name, and answered as a file', async () => {
    expect(listLinks(await owner.get('/console/imports'))).to.include(list)
    expect(readText(await owner.get(list))).to.contain('No saved mapping yet')
    sent = await createMapper('Atelier files')
    fetched = await createMapper('Shop feed', {
      type: 'url',
      url: 'https://feeds.example/products.csv',
      schedule: '0 6 * * *',
      headers: { 'X-Feed-Key': 'secret' },
    })
    const page = await owner.get(list)
    expect(listLinks(page)).to.include.members([`${list}/${sent}`, `${list}/${fetched}`])
    expect(readText(page)).to.contain('2 mappings').and.to.contain('An address that is fetched')
    const found = await owner.get(`${list}?name=FEED&type=url`)
    expect(listLinks(found)).to.include(`${list}/${fetched}`).and.to.not.include(`${list}/${sent}`)
    const file = await owner.get(listLinks(found).find((link) => link.startsWith(`${list}.csv`)) ?? '')
    expect(file.text.trim().split('\r\n')).to.have.length(2)
    expect(file.text).to.contain('Shop feed').and.to.not.contain('secret')
  })

  it('show where each column goes, their imports, and names of headers without their values', async () => {
    const { db } = await getOperator()
    const job = await insertImport(db, shop, { mapper: fetched, fileName: 'products.csv', completed: 12, total: 12 })
    const going = await insertImport(db, shop, { mapper: sent, fileName: 'going.csv', status: 'pending' })
    const page = await owner.get(`${list}/${fetched}`)
    const text = readText(page)
    expect(text).to.contain('brand, name columns, joined').and.to.contain('trim, upper')
    expect(text).to.contain('X-Feed-Key').and.to.not.contain('secret')
    expect(listLinks(page)).to.include(`/console/imports/${job}`).and.to.not.include(`/console/imports/${going}`)
    expect(listLinks(await owner.get(list))).to.include(`/console/imports/${going}`)
    expect(readText(await owner.get(`${list}/${fetched}`, 'fr'))).to.contain('Où vont les colonnes')
  })

  it('are changed by what differs only, and nothing of two who change them at once is lost', async () => {
    const address = `${list}/${fetched}`
    const before = await readMapper(fetched)
    const form = readForm(await owner.get(address), address)
    const saved = await owner.post(address, { ...form, schedule: '30 5 * * 1', onDuplicate: 'fail' })
    expect(saved.headers['location'], saved.text).to.equal(`${address}?saved=yes`)
    const after = await readMapper(fetched)
    expect(after).to.deep.include({ ...before, ...after, schedule: '30 5 * * 1', onDuplicate: 'fail' })
    expect(after['rows']).to.deep.equal(before['rows'])
    const late = await owner.post(address, { ...form, name: 'My feed' })
    expect(late.status).to.equal(412)
    expect(readText(late)).to.contain('Somebody has changed the mapping').and.to.contain('30 5 * * 1')
    expect(readForm(late, address)).to.include({ name: 'My feed', schedule: '0 6 * * *' })
    expect((await owner.post(address, readForm(late, address))).status).to.equal(303)
    expect(await readMapper(fetched)).to.deep.include({ name: 'My feed', schedule: '0 6 * * *', onDuplicate: null })
    const wrong = await owner.post(address, { ...readForm(await owner.get(address), address), schedule: '* * * * *' })
    expect([wrong.status, readText(wrong).includes('Schedule is not five fields')]).to.deep.equal([422, true])
    const taken = await owner.post(`${list}/${sent}`, {
      ...readForm(await owner.get(`${list}/${sent}`), `${list}/${sent}`),
      name: 'My feed',
    })
    expect([taken.status, readText(taken).includes('already has a mapping of this name')]).to.deep.equal([409, true])
  })

  it('fetch at once after a page that says what will happen', async () => {
    const question = await owner.get(`${list}/${fetched}/run`)
    expect(readText(question)).to.contain('https://feeds.example/products.csv').and.to.contain('stay as they are')
    const started = await owner.post(`${list}/${fetched}/run`, {})
    expect(started.status, started.text).to.equal(303)
    const job = String(started.headers['location'])
    expect(job).to.match(/^\/console\/imports\/[0-9a-f-]{36}$/)
    expect(listLinks(await owner.get(`${list}/${fetched}`))).to.include(job)
    expect(listLinks(await owner.get(`${list}/${sent}`))).to.not.include(`${list}/${sent}/run`)
  })

  it('show a viewer no action, and are those of the own organization', async () => {
    const viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    const page = await viewer.get(`${list}/${fetched}`)
    expect(page.status).to.equal(200)
    expect(listLinks(page).filter((link) => /\/(run|delete)$/.test(link))).to.deep.equal([])
    expect(page.text).to.not.contain(`action="${list}`)
    for (const act of ['', '/run', '/delete'])
      expect((await viewer.post(`${list}/${fetched}${act}`, { name: 'Mine' })).status, act).to.equal(403)
    const other = await buildShop()
    const foreign = createVisitor(await signInMember(other.owner, other.organization))
    expect((await foreign.get(`${list}/${fetched}`)).status).to.equal(404)
  })

  describeInBrowser('in Chromium', () => {
    it('have no fault that axe finds, and nothing is cut off', async () => {
      const browser = await openBrowser()
      const kept = await createMapper('Kept feed', { type: 'url', url: 'https://feeds.example/kept.csv' })
      const paths = [list, `${list}/${kept}`, `${list}/${kept}/run`, `${list}/${kept}/delete`]
      for (const look of looks) await inspectPages(browser, { cookie: owner.cookie, look }, paths)
      await browser.close()
    })
  })

  it('are deleted after a page that says what goes with them', async () => {
    const question = await owner.get(`${list}/${fetched}/delete`)
    expect(readText(question)).to.contain('0 6 * * *').and.to.contain('headers that it keeps')
    expect((await owner.post(`${list}/${fetched}/delete`, {})).headers['location']).to.equal(list)
    expect((await shop.api.get(`/v1/import/mappers/${fetched}`)).status).to.equal(404)
  })
})
