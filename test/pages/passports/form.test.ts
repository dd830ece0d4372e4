import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { readPassport } from '../../core/dpp/passports/fixtures.ts'
import { signInMember } from '../../core/identity/people.ts'
import {
  buildMember,
  buildPassport,
  buildProductPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { createVisitor, listLinks, readForm, readText, type Visitor } from './visitor.ts'

const list = '/console/passports'

const passportsFields = [
  { name: 'serialNumber', label: 'Serial number', type: 'string', required: true, maxLength: 8 },
  { name: 'a.b [c]', label: 'Odd name', type: 'text' },
  { name: 'weight', label: 'Weight (kg)', type: 'number', min: 1, max: 9 },
  { name: 'made', label: 'Made on', type: 'date' },
  { name: 'color', label: 'Colour', type: 'enum', variants: ['red', 'blue'] },
  { name: 'washable', label: 'Washable', type: 'boolean' },
  { name: 'more', label: 'More', type: 'json' },
  {
    name: 'parts',
    label: 'Part',
    type: 'array',
    itemsType: {
      name: '[]',
      type: 'object',
      fields: [
        { name: 'name', label: 'Name', type: 'string', required: true },
        { name: 'tags', label: 'Tag', type: 'array', itemsType: { name: '[]', type: 'string' } },
      ],
    },
  },
  { name: 'origin', label: 'Origin', type: 'object', fields: [{ name: 'country', label: 'Country', type: 'string' }] },
]

describe('Console: form of a passport', () => {
  let shop: Shop
  let owner: Visitor
  let sheet: string
  before(async () => {
    shop = await buildShop()
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
    sheet = await buildSheet(shop, { passportsFields })
  })

  const getId = (address: unknown): string => /\/console\/passports\/([0-9a-f-]{36})$/.exec(String(address))?.[1] ?? ''

  it('begins with a sheet or without one', async () => {
    const page = await owner.get(`${list}/new`)
    expect(readText(page)).to.contain('From a sheet').and.to.contain('Without a sheet')
    expect(page.text).to.contain(sheet)
    const foreign = await buildShop()
    expect((await owner.get(`${list}/new?sheet=${await buildSheet(foreign)}`)).status).to.equal(404)
    expect((await owner.get(`${list}/new?application=${foreign.application}`)).status).to.equal(404)
    expect((await owner.post(list, { sheet: '', application: '' })).status).to.equal(200)
  })

  it('creates from the definitions of a sheet, with lists to which elements are added without a script', async () => {
    const fields = readForm(await owner.get(`${list}/new?sheet=${sheet}`), list)
    expect(fields).to.include({ sheet, 'fields.serialNumber': '', 'fields.parts~n': '0', 'fields.origin.country': '' })
    const written = {
      ...fields,
      'fields.serialNumber': 'S 1',
      'fields.a~1b ~2c~3': 'one\r\ntwo',
      'fields.weight': '2,5',
    }
    const one = await owner.post(list, { ...written, add: 'fields.parts' })
    expect(one.status).to.equal(200)
    const withPart = readForm(one, list)
    expect(withPart).to.include({ 'fields.parts~n': '1', 'fields.serialNumber': 'S 1', 'fields.weight': '2,5' })
    const named = { ...withPart, 'fields.parts[0].name': 'Strap' }
    const withTag = readForm(await owner.post(list, { ...named, add: 'fields.parts[0].tags' }), list)
    const two = readForm(
      await owner.post(list, { ...withTag, 'fields.parts[0].tags[0]': 'leather', add: 'fields.parts' }),
      list,
    )
    const both = { ...two, 'fields.parts[1].name': 'Buckle' }
    const removed = readForm(await owner.post(list, { ...both, remove: 'fields.parts[0]' }), list)
    expect(removed).to.include({ 'fields.parts~n': '1', 'fields.parts[0].name': 'Buckle' })
    const saved = await owner.post(list, {
      ...both,
      'fields.made': '2026-03-01',
      'fields.color': 'blue',
      'fields.washable': 'false',
      'fields.more': '{"a": [1]}',
      'fields.origin.country': 'PT',
      reference: ' R-1 ',
      allowedClaimEmail: 'ada@people.example',
      certifiedPaths: 'color\r\nparts[].name\r\n',
    })
    expect(saved.status, readText(saved)).to.equal(303)
    const passport = await readPassport(shop.api, getId(saved.headers['location']))
    expect(passport.fields).to.deep.equal({
      serialNumber: 'S 1',
      'a.b [c]': 'one\ntwo',
      weight: 2.5,
      made: '2026-03-01',
      color: 'blue',
      washable: false,
      more: { a: [1] },
      parts: [{ name: 'Strap', tags: ['leather'] }, { name: 'Buckle' }],
      origin: { country: 'PT' },
    })
    expect([passport.reference, passport.allowedClaimEmail, passport.certifiedPaths, passport.status]).to.deep.equal([
      'R-1',
      'ada@people.example',
      ['color', 'parts[].name'],
      'draft',
    ])
  })

  it('keeps all that was written when it is refused, with the message of the API beside the field', async () => {
    const fields = readForm(await owner.get(`${list}/new?sheet=${sheet}`), list)
    const written = {
      ...fields,
      'fields.weight': '12',
      'fields.more': '{not json',
      'fields.parts~n': '2',
      'fields.parts[1].tags~n': '1',
      'fields.parts[1].tags[0]': 'kept <i>',
      reference: 'R-2',
      allowedClaimPhoneNumber: '12',
    }
    const refused = await owner.post(list, written)
    expect(refused.status).to.equal(422)
    const text = readText(refused)
    expect(text).to.contain('must be JSON')
    const kept = readForm(refused, list)
    expect(kept).to.include({ 'fields.weight': '12', 'fields.more': '{not json', reference: 'R-2' })
    expect(kept).to.include({ 'fields.parts[1].tags[0]': 'kept <i>', allowedClaimPhoneNumber: '12' })
    const again = await owner.post(list, { ...kept, 'fields.more': '', allowedClaimPhoneNumber: '' })
    expect(again.text).to.match(/id="fields.weight-issue">must be at most 9</)
    expect(again.text).to.match(/id="fields.serialNumber-issue">is required</)
    expect(again.text).to.match(/id="fields.parts%5B1%5D.name-issue">is required</)
    expect(again.text).to.contain('href="#fields.weight"')
    const mended = { ...kept, 'fields.more': '', allowedClaimPhoneNumber: '' }
    const french = await owner.post(list, mended, { 'accept-language': 'fr' })
    expect(readText(french)).to.contain('est trop élevé')
  })

  it('names the passport that has the same reference', async () => {
    const { id } = await buildPassport(shop, await buildSheet(shop), { reference: 'TAKEN' })
    const fields = readForm(await owner.get(`${list}/new?sheet=${sheet}`), list)
    const refused = await owner.post(list, { ...fields, 'fields.serialNumber': 'S', reference: 'TAKEN' })
    expect(refused.status).to.equal(409)
    expect(readText(refused)).to.contain('Another passport of the application has this reference')
    expect(listLinks(refused)).to.include(`${list}/${id}`)
  })

  it('changes and removes values, and leaves alone what was not touched', async () => {
    const made = await shop.api.post('/v1/dpp/passports', {
      product: sheet,
      fields: { serialNumber: 'S', weight: 3, parts: [{ name: 'P' }], origin: { country: 'PT' }, 'a.b [c]': ' x\n' },
    })
    const edit = `${list}/${made.body.id}/edit`
    const fields = readForm(await owner.get(edit), edit)
    const same = await owner.post(edit, fields)
    expect(same.status, readText(same)).to.equal(303)
    expect((await readPassport(shop.api, made.body.id)).updatedAt).to.equal(made.body.updatedAt)
    const saved = await owner.post(edit, {
      ...fields,
      'fields.weight': '',
      'fields.parts~n': '0',
      'fields.origin.country': '',
      'fields.serialNumber': 'T',
    })
    expect(saved.status, readText(saved)).to.equal(303)
    const passport = await readPassport(shop.api, made.body.id)
    expect(passport.fields).to.deep.equal({ serialNumber: 'T', 'a.b [c]': ' x\n' })
  })

  it('refuses a form that was opened before somebody else saved, and shows both values', async () => {
    const { id } = await buildPassport(shop, sheet, { fields: { serialNumber: 'OLD' } })
    const edit = `${list}/${id}/edit`
    const fields = readForm(await owner.get(edit), edit)
    await shop.api.patch(`/v1/dpp/passports/${id}`, { fields: { serialNumber: 'THEIRS' } })
    const refused = await owner.post(edit, { ...fields, 'fields.serialNumber': 'MINE' })
    expect(refused.status).to.equal(412)
    expect(readText(refused)).to.contain('Somebody has changed the passport').and.to.contain('Stored now: THEIRS')
    expect((await readPassport(shop.api, id)).fields).to.deep.equal({ serialNumber: 'THEIRS' })
    const saved = await owner.post(edit, readForm(refused, edit))
    expect(saved.status).to.equal(303)
    expect((await readPassport(shop.api, id)).fields).to.deep.equal({ serialNumber: 'MINE' })
  })

  it('makes a passport without a sheet of the members of UNTP, and opens the one that the readiness names', async () => {
    const fields = readForm(await owner.get(`${list}/new?application=${shop.application}`), list)
    expect(Object.keys(fields)).to.not.include('product.countryOfProduction.countryCode')
    const opened = readForm(await owner.post(list, { ...fields, add: 'product.countryOfProduction~o' }), list)
    const itemNumber = randomUUID()
    const written = {
      ...opened,
      'product.name': 'Field jacket',
      'product.idGranularity': 'item',
      'product.itemNumber': itemNumber,
      'product.countryOfProduction.countryCode': 'PT',
      'data~r': '{"wash": 30}',
    }
    const refused = await owner.post(list, { ...written, 'product.name': '' })
    expect(refused.status).to.be.oneOf([400, 422])
    expect(refused.text).to.match(/id="product.name-issue"/)
    const saved = await owner.post(list, written)
    expect(saved.status, readText(saved)).to.equal(303)
    const passport = await readPassport(shop.api, getId(saved.headers['location']))
    expect([passport.product, passport.data]).to.deep.equal([
      { name: 'Field jacket', idGranularity: 'item', itemNumber, countryOfProduction: { countryCode: 'PT' } },
      { wash: 30 },
    ])
    const edit = `${list}/${passport.id}/edit`
    const page = await owner.get(`${edit}?field=${encodeURIComponent('product.relatedParty[0].party.registeredId')}`)
    expect(page.text).to.match(/name="product.relatedParty\[0\].party.registeredId"[^>]* autofocus/)
    expect(page.bytes.length).to.be.lessThan(60_000)
    const removed = readForm(
      await owner.post(edit, { ...readForm(page, edit), remove: 'product.countryOfProduction~o' }),
      edit,
    )
    const changed = await owner.post(edit, { ...removed, 'product.relatedParty~n': '0' })
    expect(changed.status, readText(changed)).to.equal(303)
    expect((await readPassport(shop.api, passport.id)).product).to.not.have.property('countryOfProduction')
  })

  it('keeps members that no form has, and lets an editor write', async () => {
    const facility = { id: 'https://f.example/1', name: 'Mill', openedBy: { year: 1890 } }
    const { id } = await buildProductPassport(shop, { producedAtFacility: facility, vintage: 'x' })
    const editor = createVisitor(await signInMember(await buildMember(shop.organization, 'editor'), shop.organization))
    const edit = `${list}/${id}/edit`
    const fields = readForm(await editor.get(edit), edit)
    expect(fields['product~r']).to.contain('vintage')
    const saved = await editor.post(edit, { ...fields, 'product.producedAtFacility.name': 'Old mill' })
    expect(saved.status, readText(saved)).to.equal(303)
    expect((await readPassport(shop.api, id)).product).to.deep.include({
      producedAtFacility: { ...facility, name: 'Old mill' },
      vintage: 'x',
    })
    const viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    expect((await viewer.post(list, { sheet })).status).to.equal(403)
    expect((await owner.post(edit, fields, { origin: 'https://evil.example' })).status).to.equal(403)
  })
})
