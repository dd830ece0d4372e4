import { expect } from 'chai'
import { signInMember } from '../../core/identity/people.ts'
import { waitUntil } from '../../support/processes.ts'
import {
  buildMember,
  buildOrganization,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  type Shop,
} from '../../support/world.ts'
import { createVisitor, readText, type Visitor } from '../certification/forms.ts'
import { buildConsole } from '../loyalty/scenes.ts'

const path = '/console/sheets'
const at = (id: string, step = '') => `${path}/${id}${step}`
/** What leads or changes from a page of a sheet. */
const actions = /\/(edit|values|mint|delete|status\?to=\w+)"|method="post" action="\/console\/sheets/

const row = (list: string, index: number, members: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ label: '', type: 'string', variants: '', more: '', ...members }).map(([name, value]) => [
      `${list}.${index}.${name}`,
      value,
    ]),
  )

describe('Console: sheets', function () {
  this.timeout(400_000)
  let shop: Shop
  let owner: Visitor
  before(async () => {
    const built = await buildConsole()
    shop = built.shop
    owner = createVisitor(built.cookie)
  })
  const read = async (id: string) => (await shop.api.get(`/v1/dpp/products/${id}`)).body

  it('say what fills an empty list', async () => {
    const page = await owner.open(path)
    expect(page.status, page.text).to.equal(200)
    expect(readText(page)).to.contain('No sheets yet')
    expect(readText(await owner.open(path, 'fr'))).to.contain('Pas encore de fiche')
    expect(readText(await owner.open(`${path}/statistics`))).to.contain('Statistics of all sheets')
  })

  it('are created with a form whose fields are added, moved and removed without a script', async () => {
    const first = await owner.open(`${path}/new`)
    expect(first.text).to.contain('value="serialNumber"')
    const form = {
      name: 'Weekend bag',
      application: shop.application,
      network: '',
      paths: '',
      ...row('p', 0, { name: 'serialNumber', required: 'yes', certified: 'yes' }),
      ...row('p', 1, { name: 'colour', label: 'Colour', type: 'enum', variants: 'sand\r\nink' }),
    }
    const added = await owner.submit(`${path}/new`, { ...form, act: 'add:s' })
    expect(readText(added)).to.contain('Not saved yet.')
    expect(added.text).to.contain('name="s.0.name"')
    const moved = await owner.submit(`${path}/new`, { ...form, act: 'up:p:1' })
    expect(moved.text.indexOf('value="colour"')).to.be.lessThan(moved.text.indexOf('value="serialNumber"'))
    const removed = await owner.submit(`${path}/new`, { ...form, act: 'remove:p:0' })
    expect(removed.text).to.not.contain('value="serialNumber"')
    expect((await shop.api.get('/v1/dpp/products')).body['total'], 'nothing is saved yet').to.equal(0)

    const bad = row('p', 1, { name: 'colour', type: 'enum', variants: '', more: '{"minLength": 2' })
    const refused = await owner.submit(`${path}/new`, { ...form, ...bad, name: ' ', act: 'save' })
    expect(refused.status).to.equal(422)
    expect(readText(refused)).to.match(/Name is missing.*colour: Further members as JSON is no JSON/)
    const wrong = await owner.submit(`${path}/new`, { ...form, ...row('p', 1, { name: 'serialNumber' }), act: 'save' })
    expect([wrong.status, readText(wrong).includes('serialNumber: Key is there twice')]).to.deep.equal([422, true])
    const nameless = await owner.submit(`${path}/new`, { ...form, ...row('p', 1, { name: '' }), act: 'save' })
    expect([nameless.status, readText(nameless).includes('Please check: Field 2')]).to.deep.equal([422, true])
    const foreign = await owner.submit(`${path}/new`, {
      ...form,
      application: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab',
      act: 'save',
    })
    expect(foreign.status).to.equal(422)

    const made = await owner.submit(`${path}/new`, {
      ...form,
      ...row('s', 0, { name: 'material', label: 'Material', certified: 'yes', more: '{"maxLength": 40}' }),
      act: 'save',
    })
    expect(made.status, made.text).to.equal(303)
    const id = String(made.headers['location']).split('/').at(-1) ?? ''
    expect(await read(id)).to.deep.include({
      name: 'Weekend bag',
      status: 'DRAFT',
      network: 'EthereumAnvil',
      passportsFields: [
        { name: 'serialNumber', type: 'string', required: true },
        { name: 'colour', type: 'enum', label: 'Colour', variants: ['sand', 'ink'] },
      ],
      productFields: [{ name: 'material', type: 'string', label: 'Material', maxLength: 40 }],
      certifiedPaths: ['serialNumber', 'material'],
    })
    const page = readText(await owner.open(at(id)))
    for (const words of ['Weekend bag', 'draft', 'Material', 'One line of text', 'required; certified', 'sand, ink'])
      expect(page).to.contain(words)
  })

  it('keep what a form does not show, and the order of certified paths', async () => {
    const passportsFields = [
      {
        name: 'parts',
        type: 'array',
        itemsType: { name: '[]', type: 'object', fields: [{ name: 'weight', type: 'number' }] },
      },
      { name: 'note', type: 'text', required: false, default: 'None' },
      { name: 'grade', type: 'enum', variants: ['a', 'b'] },
    ]
    const certifiedPaths = ['parts[].weight', 'grade', 'note']
    const id = await buildSheet(shop, { passportsFields, certifiedPaths })
    const before = await read(id)
    const page = await owner.open(at(id, '/edit'))
    const sent = await owner.submit(at(id, '/edit'), { ...readFields(page.text), act: 'save' })
    expect([sent.status, sent.headers['location']]).to.deep.equal([303, at(id)])
    expect(await read(id)).to.deep.equal(before)
    const text = await owner.open(at(id, '/edit?as=text'))
    const again = await owner.submit(at(id, '/edit'), { ...readFields(text.text), name: 'Other', act: 'save' })
    expect(again.status, again.text).to.equal(303)
    const { name, passportsFields: fields, version } = await read(id)
    expect({ name, fields, version }).to.deep.equal({ name: 'Other', fields: passportsFields, version: 1 })
    const broken = await owner.submit(at(id, '/edit'), { ...readFields(text.text), 'text.p': '{', act: 'save' })
    expect([broken.status, readText(broken).includes('Fields of each passport is no JSON')]).to.deep.equal([422, true])
  })

  it('say which passports do not fit new fields, and judge them again when that is wanted', async () => {
    const id = await buildSheet(shop)
    await buildPassport(shop, id)
    const fields = readFields((await owner.open(at(id, '/edit'))).text)
    const change = { ...fields, ...row('p', 4, { name: 'lot', required: 'yes' }) }
    const refused = await owner.submit(at(id, '/edit'), { ...change, act: 'save' })
    expect(refused.status).to.equal(409)
    expect(readText(refused)).to.contain('1 passport does not fit the new fields.')
    const sent = await owner.submit(at(id, '/edit'), { ...change, act: 'migrate' })
    expect(sent.status, sent.text).to.equal(303)
    const job = String(sent.headers['location'])
    expect(job).to.match(new RegExp(`^${at(id, '/jobs/')}`))
    await waitUntil('the job has ended', async () => readText(await owner.open(job)).includes('Failed'))
    expect(readText(await owner.open(job))).to.contain('New fields: Bag')
  })

  it('have values, which the form replaces', async () => {
    const productFields = [
      { name: 'material', type: 'string', required: true, label: 'Material' },
      { name: 'weight', type: 'number', min: 0 },
      { name: 'vegan', type: 'boolean' },
      { name: 'care', type: 'text' },
      {
        name: 'origin',
        type: 'object',
        fields: [
          { name: 'town', type: 'string' },
          { name: 'land', type: 'string' },
        ],
      },
    ]
    const fields = { material: 'Cotton', origin: { town: 'Porto', land: 'PT' } }
    const id = await buildSheet(shop, { productFields, fields })
    expect((await owner.open(at(id, '/values'))).text).to.contain('&quot;town&quot;:&quot;Porto&quot;')
    const values = { 'v.0': 'Wool', 'v.1': '1,5', 'v.2': 'true', 'v.3': 'Cold\r\nwater', 'v.4': '{"town": "Faro"}' }
    const sent = await owner.submit(at(id, '/values'), values)
    expect(sent.status, sent.text).to.equal(303)
    expect((await read(id))['fields']).to.deep.equal({
      material: 'Wool',
      weight: 1.5,
      vegan: true,
      care: 'Cold\r\nwater',
      origin: { town: 'Faro' },
    })
    const refused = await owner.submit(at(id, '/values'), { ...values, 'v.0': '', 'v.1': 'heavy' })
    expect(refused.status).to.equal(422)
    expect(readText(refused)).to.contain('Please check: Material is missing').and.contain('weight is not written')
    expect(refused.text).to.contain('value="heavy"')
  })

  it('are found by the filters in the address, page by page, and as a file', async () => {
    const other = await buildConsole()
    const theirs = createVisitor(other.cookie)
    for (let count = 0; count < 26; count++)
      await buildSheet(other.shop, { name: `Sheet ${count}`, status: count === 7 ? 'ARCHIVED' : 'ACTIVE' })
    const page = await theirs.open(path)
    expect(readText(page)).to.contain('26 sheets')
    const next = /href="([^"]+)" rel="next"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
    expect(readText(await theirs.open(String(next)))).to.contain('Sheet 0')
    const archived = readText(await theirs.open(`${path}?status=ARCHIVED&search=sheet&order=name`))
    expect(archived).to.contain('1 sheet ').and.contain('Sheet 7')
    expect(readText(await theirs.open(`${path}?search=nothing`))).to.contain('No sheet fits.')
    const file = await theirs.open(`${path}.csv?status=ACTIVE`)
    expect(file.text.trim().split('\r\n')).to.have.length(26)
    expect((await theirs.open(`${path}?since=2026-02-31`)).status).to.equal(422)
  })

  it('move between states after a page that says what will happen, and are deleted without passports', async () => {
    const id = await buildSheet(shop, { status: 'DRAFT' })
    expect((await owner.open(at(id))).text).to.not.contain(`${at(id)}/mint`)
    const question = readText(await owner.open(at(id, '/status?to=ACTIVE')))
    expect(question).to.contain('Its passports can be minted and claimed').and.contain('cannot be a draft again')
    expect((await owner.submit(at(id, '/status?to=ACTIVE'))).status).to.equal(303)
    expect((await read(id))['status']).to.equal('ACTIVE')
    expect((await owner.open(at(id))).text).to.contain(`${at(id)}/mint`)
    expect((await owner.submit(at(id, '/status?to=ARCHIVED'))).status).to.equal(303)
    expect(readText(await owner.open(at(id, '/delete')))).to.contain('Nobody can bring it back')
    expect((await read(id))['status']).to.equal('ARCHIVED')
    expect((await owner.submit(at(id, '/delete'))).headers['location']).to.equal(path)
    expect((await owner.open(at(id))).status).to.equal(404)

    const kept = await buildSheet(shop)
    const { id: passport } = await buildPublishedPassport(shop, kept)
    const page = await owner.open(at(kept))
    expect(page.text).to.contain(`href="/p/${passport}"`)
    expect(page.text).to.contain(`/console/passports?sheet=${kept}&amp;status=published`)
    for (const answer of [await owner.open(at(kept, '/delete')), await owner.submit(at(kept, '/delete'))])
      expect([answer.status, readText(answer).includes('Archive it instead')]).to.deep.equal([409, true])
  })

  it('mint a pasted table once it was checked, line by line', async () => {
    const id = await buildSheet(shop)
    const mint = at(id, '/mint')
    expect(readText(await owner.open(mint))).to.contain('serialNumber , color , size , origin')
    const check = (table: string) => owner.submit(mint, { table, act: 'check' })
    for (const [table, words] of [
      ['serialNumber,colour\nA-1,red', 'The column colour is no field of this sheet.'],
      ['serialNumber;SERIALNUMBER\nA-1;B-1', 'is there twice'],
      ['A-1;red;1;;too;many', '1 has more cells than there are columns'],
      ['serialNumber\n', 'There is no line with a passport.'],
      ['serialNumber,size\n"A,1', 'a quotation mark is not closed'],
      ['serialNumber\tsize\nA-1\tbig\n\n\tsmall', '2 size is not written as it has to be'],
      ['serialNumber\tsize\nA-1\tbig\n\n\t2', '4 serialNumber is missing'],
    ] as const) {
      const page = await check(table)
      expect([page.status, readText(page)].join(' '), table)
        .to.contain('422')
        .and.contain(words)
      expect(page.text, table).to.not.contain('value="mint"')
    }
    const table = 'serialNumber\tcolor\tsize\r\nM-1\tred\t1.5\r\nM-2\t\t\r\n'
    const good = await check(table)
    expect(readText(good)).to.contain('2 lines are in order').and.contain('Mint 2 passports')
    const fields = readFields(good.text)
    const changed = await owner.submit(mint, { ...fields, table: `${table}M-3\t\t`, act: 'mint' })
    expect(readText(changed)).to.contain('The table has changed since it was checked').and.contain('Mint 3 passports')
    expect((await shop.api.get(`/v1/dpp/passports?filters[product][eq]=${id}`)).body['total']).to.equal(0)
    const sent = await owner.submit(mint, { ...fields, table, act: 'mint' })
    expect(sent.status, sent.text).to.equal(303)
    const job = String(sent.headers['location'])
    await waitUntil('the job has ended', async () => readText(await owner.open(job)).includes('Done'))
    expect(readText(await owner.open(job)))
      .to.contain('2 of 2')
      .and.contain('Mint: Bag')
    const listed = (await shop.api.get(`/v1/dpp/passports?filters[product][eq]=${id}`)).body['data'] ?? []
    expect(listed.map((passport) => passport['fields']).sort()).to.have.length(2)
    for (const passport of listed)
      expect((await owner.open(job)).text).to.contain(`/console/passports/${passport['id']}`)
    const back = await owner.submit(at(id, '/status?to=DRAFT'))
    expect([back.status, readText(back).includes('it cannot be a draft again')]).to.deep.equal([409, true])
    expect((await shop.api.patch(`/v1/dpp/products/${id}`, { status: 'ARCHIVED' })).status).to.equal(200)
    expect(readText(await owner.open(mint))).to.contain('Activate it first')
    const closed = await owner.submit(mint, { ...fields, table, act: 'mint' })
    expect(closed.status).to.equal(409)
  })

  it('are only read by a viewer, not deleted by an editor, and belong to one organization', async () => {
    const id = await buildSheet(shop)
    const viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    const editor = createVisitor(await signInMember(await buildMember(shop.organization, 'editor'), shop.organization))
    const other = await buildOrganization()
    const stranger = createVisitor(await signInMember(other.owner, other.organization))
    for (const page of [path, at(id), `${path}/statistics`]) {
      const { status, text } = await viewer.open(page)
      expect([status, actions.test(text), text.includes(`${path}/new`)], page).to.deep.equal([200, false, false])
    }
    const steps = ['/edit', '/values', '/mint', '/delete', '/status?to=ARCHIVED']
    for (const step of steps) {
      expect((await viewer.open(at(id, step))).status, step).to.equal(403)
      expect((await stranger.open(at(id, step))).status, step).to.equal(404)
    }
    expect((await stranger.open(at(id))).status).to.equal(404)
    expect((await viewer.open(`${path}/new`)).status).to.equal(403)
    const forms: [string, Record<string, string>][] = [
      [at(id, '/edit'), { name: 'x', act: 'save' }],
      [at(id, '/values'), { 'v.0': 'x' }],
      [at(id, '/mint'), { table: 'x', act: 'check' }],
      [at(id, '/delete'), {}],
      [at(id, '/status?to=ARCHIVED'), {}],
    ]
    for (const [form, fields] of forms) {
      expect((await viewer.submit(form, fields)).status, form).to.equal(403)
      expect((await stranger.submit(form, fields)).status, form).to.equal(404)
      expect((await owner.submit(form, fields, 'https://evil.example')).status, form).to.equal(403)
    }
    expect((await viewer.submit(`${path}/new`, { name: 'x', act: 'save' })).status).to.equal(403)
    expect((await editor.open(at(id))).text).to.match(actions)
    expect((await editor.open(at(id))).text).to.not.contain('/delete"')
    expect((await editor.submit(at(id, '/delete'))).status).to.equal(403)
    expect((await stranger.open(at(id, `/jobs/${id}`))).status).to.equal(404)
    expect((await owner.open(at(id, `/jobs/${id}`))).status).to.equal(404)
  })
})

/** Reads what a browser would send of the fields of the form on a page: those of the main part. */
function readFields(page: string): Record<string, string> {
  const main = page.slice(page.indexOf('<main'))
  const decode = (text: string) =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  const fields: Record<string, string> = {}
  for (const [tag] of main.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1]
    if (name !== undefined && (!tag.includes('type="checkbox"') || tag.includes(' checked')))
      fields[name] = decode(/value="([^"]*)"/.exec(tag)?.[1] ?? '')
  }
  for (const [, name, text] of main.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>([^]*?)<\/textarea>/g))
    fields[String(name)] = decode(String(text))
  for (const [, name, options] of main.matchAll(/<select[^>]*name="([^"]*)"[^>]*>([^]*?)<\/select>/g))
    fields[String(name)] = decode(
      (/<option value="([^"]*)" selected/.exec(String(options)) ?? /<option value="([^"]*)"/.exec(String(options)))?.[1]
        ?? '',
    )
  return fields
}
