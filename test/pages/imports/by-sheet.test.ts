import { expect } from 'chai'
import { signInMember } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { buildSheet, buildShop, type Shop } from '../../support/world.ts'
import { createVisitor, readForm, readText, type Visitor } from '../passports/visitor.ts'

const table = 'Serial No.;weight;Vegan;Note\r\nA-1;1.2;yes;x\r\nA-2;heavy;no;x\r\n'

describe('Console: an import by a sheet', () => {
  let shop: Shop
  let visitor: Visitor
  let sheet: string

  before(async () => {
    shop = await buildShop()
    visitor = createVisitor(await signInMember(shop.owner, shop.organization))
    sheet = await buildSheet(shop, {
      name: 'Weekend bag',
      passportsFields: [
        { name: 'serialNumber', label: 'Serial no', type: 'string', required: true },
        { name: 'weight', type: 'number' },
        { name: 'vegan', type: 'boolean' },
      ],
    })
  })

  /** @returns the path of the next step */
  async function upload(): Promise<string> {
    const boundary = 'a-line-between'
    const head = 'Content-Disposition: form-data; name="file"; filename="bags.csv"'
    const sent = await createApiClient({ cookie: visitor.cookie }).post('/console/imports/new', undefined, {
      raw: [`--${boundary}`, head, '', table, `--${boundary}--`, ''].join('\r\n'),
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, origin: new URL(platform.api).origin },
    })
    expect(sent.status, sent.text).to.equal(303)
    return String(sent.headers['location'])
  }

  it('fills in where each column goes by key or label, and converts numbers and yes or no', async () => {
    const draft = await upload()
    const chosen = await visitor.post(draft, { application: shop.application, how: 'sheet', sheet })
    expect([chosen.status, chosen.headers['location']]).to.deep.equal([303, `${draft}/mapping`])
    const page = await visitor.get(`${draft}/mapping`)
    expect(readText(page)).to.contain('By the sheet Weekend bag')
    const form = readForm(page, `${draft}/mapping`)
    expect(form).to.deep.include({ k0: 'product', v0: sheet, d0: 'fields.serialNumber', d1: 'fields.weight', d3: '' })
    expect([form['t1'], form['t2']]).to.deep.equal(['number', 'boolean'])
    expect((await visitor.post(`${draft}/mapping`, form)).headers['location']).to.equal(`${draft}/preview`)
    const preview = readText(await visitor.get(`${draft}/preview`))
    expect(preview).to.contain('1 of the first 2 rows would fail.').and.to.contain('heavy')
    expect(preview).to.contain('"vegan": true').and.to.contain('A-1')
  })

  it('keeps the sheet when the columns are chosen again, and offers its fields only', async () => {
    const draft = await upload()
    await visitor.post(draft, { application: shop.application, how: 'sheet', sheet })
    const form = readForm(await visitor.get(`${draft}/mapping`), `${draft}/mapping`)
    const nothing = await visitor.post(`${draft}/mapping`, { ...form, d0: '', d1: '', d2: '' })
    expect(nothing.status).to.equal(400)
    expect(readForm(nothing, `${draft}/mapping`)).to.deep.include({ k0: 'product', v0: sheet, d0: '' })
    expect(nothing.text).to.not.contain('value="product.name"')
  })

  it('knows no sheet of another organization', async () => {
    const foreign = await buildSheet(await buildShop())
    const draft = await upload()
    for (const other of [foreign, ''])
      expect(
        (await visitor.post(draft, { application: shop.application, how: 'sheet', ...(other && { sheet: other }) }))
          .status,
      ).to.equal(404)
  })
})
