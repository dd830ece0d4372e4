import { expect } from 'chai'
import type { Passport } from '../../../core/features/dpp/index.ts'
import { signInMember } from '../../core/identity/people.ts'
import {
  buildCertifiedPassport,
  buildMember,
  buildModelTree,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { createVisitor, followJob, listLinks, readForm, readText, type Visitor } from './visitor.ts'

const list = '/console/passports'

describe('Console: one passport', () => {
  let shop: Shop
  let owner: Visitor
  let viewer: Visitor
  let sheet: string
  let draft: Passport
  before(async () => {
    shop = await buildShop()
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
    viewer = createVisitor(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    sheet = await buildSheet(shop, { certifiedPaths: ['color'] })
    draft = await buildPassport(shop, sheet, {
      fields: { serialNumber: 'A<1>', color: 'red', size: 12.5, origin: { country: 'PT' } },
    })
  })

  /** The acts to which the page of a passport leads. */
  const listActs = async (visitor: Visitor, id: string): Promise<string[]> => {
    const { text } = await visitor.get(`${list}/${id}`)
    const nav = /<nav class="buttons".*?<\/nav>/s.exec(text)?.[0] ?? ''
    return [...nav.matchAll(/>([^<>\n]+)<\/a>/g)].map(([, name = '']) => name)
  }

  it('shows its values by the labels of the sheet, its readiness with the way to the field, and its history', async () => {
    const page = await owner.get(`${list}/${draft.id}`)
    expect(page.status).to.equal(200)
    const text = readText(page)
    expect(text).to.contain('A<1>').and.to.contain('12.5').and.to.contain('Country PT').and.to.contain('Draft')
    expect(text)
      .to.contain('Readiness Not ready')
      .and.to.match(/History .* Created/)
    expect(page.bytes.length).to.be.lessThan(60_000)
    const remedies = listLinks(page).filter((address) => address.includes('/edit?field='))
    expect(listLinks(page)).to.include(`${list}/bulk?act=publish&of=chosen&box-${draft.id}=on`)
    for (const remedy of remedies.slice(0, 2)) expect((await owner.get(remedy)).text).to.match(/autofocus/)
    expect(readText(await owner.get(`${list}/${draft.id}`, 'fr'))).to.contain('Préparation Pas prêt')
  })

  it('is not there for another organization, also when it is public', async () => {
    const stranger = await buildShop()
    const theirs = createVisitor(await signInMember(stranger.owner, stranger.organization))
    const published = await buildPublishedPassport(shop, sheet)
    for (const path of ['', '/edit', '/delete', '/link', '/link/end', '/status/revoke'])
      expect((await theirs.get(`${list}/${published.id}${path}`)).status, path).to.equal(404)
    for (const [path, form] of [
      ['/edit', { mark: '' }],
      ['/delete', {}],
      ['/link', {}],
      ['/link/end', {}],
      ['/status/revoke', { reason: 'x' }],
    ] as const)
      expect((await theirs.post(`${list}/${published.id}${path}`, form)).status, path).to.equal(404)
    const question = await theirs.get(`${list}/bulk?act=archive&of=chosen&box-${published.id}=on`)
    expect(readText(question)).to.contain('Archive 0 passports?')
  })

  it('shows a viewer no act and refuses each of them', async () => {
    expect(await listActs(viewer, draft.id)).to.deep.equal([])
    const page = await viewer.get(`${list}/${draft.id}`)
    expect(listLinks(page).filter((address) => /edit|bulk|delete/.test(address))).to.deep.equal([])
    for (const path of ['/edit', '/delete', '/link', '/link/end', '/status/suspend'])
      expect((await viewer.get(`${list}/${draft.id}${path}`)).status, path).to.equal(403)
    for (const [path, form] of [
      ['/edit', { mark: '' }],
      ['/delete', {}],
      ['/link', {}],
      ['/link/end', {}],
      ['/status/suspend', { reason: 'x' }],
    ] as const)
      expect((await viewer.post(`${list}/${draft.id}${path}`, form)).status, path).to.equal(403)
    const editor = createVisitor(await signInMember(await buildMember(shop.organization, 'editor'), shop.organization))
    expect(await listActs(editor, draft.id)).to.deep.equal(['Edit', 'Publish', 'Archive'])
    expect((await editor.post(`${list}/${draft.id}/delete`, {})).status).to.equal(403)
  })

  it('is deleted after a page that says what will happen', async () => {
    const gone = await buildPassport(shop, sheet)
    expect(await listActs(owner, gone.id)).to.deep.equal(['Edit', 'Publish', 'Archive', 'Delete'])
    const question = await owner.get(`${list}/${gone.id}/delete`)
    expect(readText(question)).to.contain('They are gone for good')
    const deleted = await owner.post(`${list}/${gone.id}/delete`, readForm(question, `${list}/${gone.id}/delete`))
    expect([deleted.status, deleted.headers['location']]).to.deep.equal([303, list])
    expect((await owner.get(`${list}/${gone.id}`)).status).to.equal(404)
    expect((await owner.post(`${list}/${gone.id}/delete`, {}, { origin: 'https://evil.example' })).status).to.equal(403)
  })

  it('has a claim link, the same until it is ended', async () => {
    const { id } = await buildPublishedPassport(shop, sheet)
    const link = `${list}/${id}/link`
    expect(await listActs(owner, id)).to.include('Claim link')
    expect((await owner.get(link)).text).to.not.contain('token=')
    const readLink = async () => /id="link">([^<]+)</.exec((await owner.post(link, {})).text)?.[1]
    const first = await readLink()
    expect(first).to.match(/\/claim\?token=/)
    expect(await readLink()).to.equal(first)
    expect(readText(await owner.get(`${link}/end`))).to.contain('cannot claim with it any more')
    expect((await owner.post(`${link}/end`, {})).status).to.equal(303)
    expect(await readLink()).to.not.equal(first)
    const refused = await owner.post(`${list}/${draft.id}/link`, {})
    expect([refused.status, readText(refused).includes('cannot be claimed now')]).to.deep.equal([409, true])
    const code = await owner.get(`/v1/dpp/passports/${id}/qr-code?format=svg&size=180`)
    expect(code.headers['content-type']).to.contain('image/svg+xml')
    expect((await owner.get(`${list}/${id}`)).text).to.contain(`/v1/dpp/passports/${id}/qr-code?format=svg`)
  })

  it('shows its certificate and anchor; is suspended, restored, revoked with a reason; then archived', async () => {
    const id = await buildCertifiedPassport(shop)
    const page = readText(await owner.get(`${list}/${id}`))
    expect(page).to.contain('Certificate State Certified').and.to.contain('Anchored on EthereumAnvil')
    expect(page).to.contain('Version 1 was anchored on EthereumAnvil')
    const change = (act: string, form: Record<string, string>) => owner.post(`${list}/${id}/status/${act}`, form)
    expect(readText(await owner.get(`${list}/${id}/status/suspend`))).to.contain('until you lift the suspension')
    expect((await change('suspend', { reason: ' ' })).status).to.equal(422)
    expect((await change('suspend', { reason: 'A recall' })).status).to.equal(303)
    expect(readText(await owner.get(`${list}/${id}`))).to.contain('Suspended')
    expect(await listActs(owner, id))
      .to.include('Lift the suspension')
      .and.not.include('Suspend')
    expect((await change('restore', { reason: 'All is well' })).status).to.equal(303)
    expect(readText(await owner.get(`${list}/${id}/status/revoke`))).to.contain('A revocation is for good')
    expect((await change('revoke', { reason: 'Fake' })).status).to.equal(303)
    expect(await listActs(owner, id)).to.deep.equal(['Edit', 'Archive', 'Delete'])
    const question = await owner.get(`${list}/bulk?act=archive&of=chosen&box-${id}=on`)
    const begun = await owner.post(`${list}/bulk`, readForm(question, `${list}/bulk`))
    await followJob(owner, begun)
    expect(await listActs(owner, id)).to.deep.equal(['Delete'])
    const refused = await owner.get(`${list}/${draft.id}/status/revoke`)
    expect([refused.status, refused.text.includes('danger')]).to.deep.equal([422, false])
    expect((await owner.get(`${list}/${id}/status/forget`)).status).to.equal(400)
  })

  it('names how many come along with a model', async () => {
    const { model, item } = await buildModelTree(shop)
    const question = readText(await owner.get(`${list}/bulk?act=publish&of=chosen&box-${model.id}=on`))
    expect(question).to.contain('Publish 3 passports?')
    expect(listLinks(await owner.get(`${list}/${item.id}`))).to.include(`${list}/${model.id}`)
  })
})
