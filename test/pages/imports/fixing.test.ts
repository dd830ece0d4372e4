import { expect } from 'chai'
import { signInMember } from '../../core/identity/people.ts'
import { getRows } from '../../core/dpp/passports/fixtures.ts'
import { createApiClient, type Answer } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { createForm } from '../../core/imports/intake/intake.maker.ts'
import { createRow, createWorkbook } from '../../core/imports/formats/workbook.maker.ts'
import { buildMember, buildShop, type Shop } from '../../support/world.ts'
import { createVisitor, listLinks, readForm, readText, type Visitor } from '../passports/visitor.ts'

const start = '/console/imports/new'

describe('Console: an import from the question what a row is to what is published', function () {
  this.timeout(60_000)
  let shop: Shop
  let visitor: Visitor

  before(async () => {
    shop = await buildShop()
    visitor = createVisitor(await signInMember(shop.owner, shop.organization))
  })

  /** Uploads a table. @returns the path of the next step */
  async function upload(content: string | Buffer, file = 'list.csv'): Promise<string> {
    const { raw, type } = createForm([{ file, content }])
    const sent = await createApiClient({ cookie: visitor.cookie }).post(start, undefined, {
      raw,
      headers: { 'content-type': type, origin: new URL(platform.api).origin },
    })
    expect(sent.status, sent.text).to.equal(303)
    return String(sent.headers['location'])
  }
  const choose = (draft: string, row: string) =>
    visitor.post(draft, { application: shop.application, how: 'suggest', row })
  /** Accepts what is suggested. @returns the preview */
  async function accept(draft: string): Promise<Answer> {
    const form = readForm(await visitor.get(`${draft}/mapping`), `${draft}/mapping`)
    const sent = await visitor.post(`${draft}/mapping`, form)
    expect(sent.status, readText(sent)).to.equal(303)
    return visitor.get(`${draft}/preview`)
  }
  /** The buttons of a preview, with what each changes. */
  const listFixes = ({ text }: Answer) =>
    [...text.matchAll(/name="change" value="([^"]*)"><button[^>]*>([^<]*)</g)].map(([, change = '', name = '']) => ({
      change: change.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&#39;', "'"),
      name: name.replaceAll('&quot;', '"'),
    }))

  it('asks first what a row is, with what was found out', async () => {
    const draft = await upload('Serial number,SKU,Name\nN-1,S-1,Lamp\nN-2,S-1,Lamp\n')
    const page = await visitor.get(draft)
    expect(readText(page)).to.contain('What one row of the file is').and.to.contain('A single item with its own number')
    expect(readForm(page, draft)).to.include({ row: 'item' })
    await choose(draft, 'model')
    const form = readForm(await visitor.get(`${draft}/mapping`), `${draft}/mapping`)
    expect(form).to.include({ granularity: 'model', d0: 'data.serialNumber' })
    await choose(draft, 'item')
    const again = readForm(await visitor.get(`${draft}/mapping`), `${draft}/mapping`)
    expect(again).to.include({ granularity: 'item', d0: 'product.itemNumber' })
  })

  it('holds the import back while every row fails, and offers what mends it as a button', async () => {
    const draft = await upload('SKU;Name;Made on\nS-1;Lamp;02.03.2026\nS-2;Chair;14.03.2026\n')
    await choose(draft, 'model')
    const form = readForm(await visitor.get(`${draft}/mapping`), `${draft}/mapping`)
    await visitor.post(`${draft}/mapping`, { ...form, d2: 'product.productionDate', t2: '' })
    const failing = await visitor.get(`${draft}/preview`)
    expect(readText(failing)).to.contain('2 of the first 2 rows would fail.').and.to.contain('Every row would fail')
    expect(failing.text).to.not.contain('value="import"')
    const fixes = listFixes(failing)
    expect(fixes.map(({ name }) => name)).to.include('Change its values: trim, date(dd.MM.yyyy)')
    const { change = '' } = fixes.find(({ name }) => name.includes('date(dd.MM.yyyy)')) ?? {}
    expect((await visitor.post(`${draft}/fix`, { change })).headers['location']).to.equal(`${draft}/preview`)
    const mended = await visitor.get(`${draft}/preview`)
    expect(readText(mended)).to.contain('The first 2 rows are good.')
    expect(mended.text).to.contain('value="import"')
  })

  it('offers only what helps: a number that a column has, or to keep values as they are', async () => {
    const draft = await upload('Code;Name;EAN\nC-1;Lamp;123\nC-2;Chair;9520123456016\n')
    await choose(draft, 'model')
    await visitor.post(`${draft}/mapping`, { d1: 'product.name', d2: 'product.gtin', t2: 'gtin', granularity: 'model' })
    const preview = await visitor.get(`${draft}/preview`)
    const names = listFixes(preview).map(({ name }) => name)
    expect(names).to.include('Take “Code”: Number of the model: article, style or part number')
    expect(names).to.include('Keep “EAN” as it is: Barcode that is no GTIN')
    for (const wanted of ['Take “Code”', 'Keep “EAN”']) {
      const fix = listFixes(await visitor.get(`${draft}/preview`)).find(({ name }) => name.startsWith(wanted))
      await visitor.post(`${draft}/fix`, { change: fix?.change ?? '' })
    }
    expect(readText(await visitor.get(`${draft}/preview`))).to.contain('The first 2 rows are good.')
  })

  it('lets one of the sheets of a workbook be chosen, and finds the header behind titles', async () => {
    const list = [
      createRow(1, ['Price list 2026']),
      createRow(2, ['Article', null, 'Details', null]),
      createRow(3, ['SKU', 'Name', 'Colour', 'Brand']),
      createRow(4, ['S-1', 'Lamp', 'Red', 'Lumera']),
    ]
    const draft = await upload(
      createWorkbook([
        { name: 'Read me', rows: createRow(1, ['Notes for the reader']) },
        { name: 'Secret', rows: createRow(1, ['hidden']), hidden: true },
        { name: 'Articles', rows: list.join('') },
      ]),
      'list.xlsx',
    )
    const page = await visitor.get(draft)
    expect(readText(page)).to.contain('Sheets of the workbook').and.to.not.contain('Secret')
    const other = listLinks(page).find((link) => link.startsWith(`${start}/`) && !link.startsWith(draft)) ?? ''
    expect(readText(await visitor.get(other))).to.contain('sheet Articles')
    await choose(other, 'model')
    expect(readText(await accept(other)))
      .to.contain('The first 1 rows are good.')
      .and.to.contain('Lumera')
  })

  it('takes no change that is none', async () => {
    const draft = await upload('SKU;Name\nS-1;Lamp\n')
    await choose(draft, 'model')
    await accept(draft)
    for (const change of ['', '{', '[]', '{"remove":[],"add":[{"destination":"x"}]}'])
      expect((await visitor.post(`${draft}/fix`, { change })).status, change).to.be.oneOf([400, 422])
    const unknown = { remove: [], add: [{ destination: 'nonsense.path', kind: 'constant', value: '1' }] }
    expect((await visitor.post(`${draft}/fix`, { change: JSON.stringify(unknown) })).status).to.equal(400)
  })

  it('has a sample that is imported without a failure by what is suggested, and publishes what it made', async () => {
    const files = await Promise.all(['csv', 'xlsx'].map((format) => visitor.get(`/console/imports/sample.${format}`)))
    expect(files.map(({ status }) => status)).to.deep.equal([200, 200])
    const tried = await visitor.post('/console/imports/sample', {})
    const draft = String(tried.headers['location'])
    expect(tried.status, tried.text).to.equal(303)
    await choose(draft, readForm(await visitor.get(draft), draft)['row'] ?? '')
    const preview = await accept(draft)
    expect(readText(preview)).to.contain('The first 12 rows are good.')
    const begin = readForm(preview, `${draft}/start`)
    const begun = await visitor.post(`${draft}/start`, { ...begin, what: 'import' })
    const report = String(begun.headers['location'])
    const id = report.split('/').at(-1)
    await shop.api.get(`/v1/imports/${id}/progress`)
    const done = await visitor.get(report)
    expect(readText(done)).to.contain('Publish these 12')
    const link = listLinks(done).find((one) => one.includes('act=publish')) ?? ''
    const question = await visitor.get(link.replaceAll('&amp;', '&'))
    expect(readText(question)).to.contain('Publish 12 passports?').and.to.contain('Only passports of this import')
    const answer = await visitor.post('/console/passports/bulk', readForm(question, '/console/passports/bulk'))
    expect(answer.headers['location'], answer.text).to.match(/^\/console\/passports\/jobs\//)
    const job = String(answer.headers['location']).split('/').at(-1)
    await shop.api.get(`/v1/jobs/${job}/sse`)
    const published = await shop.api.get(
      `/v1/dpp/passports?pageSize=100&filters[import][eq]=${id}&filters[status][eq]=published`,
    )
    expect(getRows(published)).to.have.length(12)
    expect(readText(await visitor.get(report))).to.not.contain('Publish these')
  })

  it('publishes nothing but drafts of that import, and only for roles that may', async () => {
    const model = { name: 'Lamp', idGranularity: 'model', modelNumber: 'ONLY-1' }
    const item = { name: 'Lamp', idGranularity: 'item', modelNumber: 'ONLY-1', itemNumber: '1' }
    const mine = await shop.api.post('/v1/dpp/passports', { application: shop.application, product: item })
    expect(mine.status, mine.text).to.equal(201)
    const query = `entityName=DppPassport&application=${shop.application}`
    const sent = await shop.api.post(`/v1/imports?${query}`, [{ product: model }])
    const id = String(sent.body['id'])
    await shop.api.get(`/v1/imports/${id}/progress`)
    const report = `/console/imports/${id}`
    const viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    expect(readText(await viewer.get(report))).to.not.contain('Publish')
    const page = await visitor.get(report)
    expect(readText(page)).to.contain('Publish this one')
    const link = listLinks(page).find((one) => one.includes('act=publish')) ?? ''
    expect((await viewer.get(link)).status).to.equal(403)
    const question = await visitor.get(link)
    expect(readText(question)).to.contain('Publish 1 passport?')
    const answer = await visitor.post('/console/passports/bulk', readForm(question, '/console/passports/bulk'))
    await shop.api.get(`/v1/jobs/${String(answer.headers['location']).split('/').at(-1)}/sse`)
    const after = await shop.api.get(`/v1/dpp/passports/${String(mine.body['id'])}`)
    expect(after.body['status']).to.equal('draft')
  })
})
