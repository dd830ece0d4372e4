import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createEmail, createUniqueName, getOwnClient, signInMember } from '../../core/identity/people.ts'
import {
  buildApplication,
  buildBuyer,
  buildMember,
  buildModelTree,
  buildPassport,
  buildProductPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'

describe('Console: search', function () {
  this.timeout(60_000)
  let shop: Shop
  let cookie: string
  before(async () => {
    shop = await buildShop()
    cookie = await signInMember(shop.owner, shop.organization)
  })

  const search = (text: string, by = cookie) => getOwnClient(by).get(`/console/search?q=${encodeURIComponent(text)}`)
  /** Where an exact hit leads. */
  const findPage = async (text: string, by = cookie) => (await search(text, by)).headers['location']
  const listLinks = (text: string) =>
    [...text.matchAll(/<td><a href="(\/console\/(?:passports|accounts)\/[^"]+)"/g)].map(([, link]) => link)

  it('leads from an id, a reference, a token and each number straight to the passport', async () => {
    const sheet = await buildSheet(shop)
    const reference = createUniqueName('ref')
    const { id, tokenId } = await buildPassport(shop, sheet, { reference })
    for (const text of [id, id.toUpperCase(), ` ${reference} `, tokenId, BigInt(tokenId).toString()])
      expect(await findPage(text), text).to.equal(`/console/passports/${id}`)
    const { item, itemNumber } = await buildModelTree(shop)
    expect(await findPage(itemNumber)).to.equal(`/console/passports/${item.id}`)
  })

  it('lists the passports that share a number', async () => {
    const { model, batch, item, modelNumber } = await buildModelTree(shop)
    const { text, status } = await search(modelNumber)
    expect(status).to.equal(200)
    expect(listLinks(text)).to.have.members([model, batch, item].map(({ id }) => `/console/passports/${id}`))
  })

  it('finds passports by a part of the name of their product or sheet, and leads to the only one with that name', async () => {
    const name = createUniqueName('Trunk')
    const { id } = await buildProductPassport(shop, { name })
    expect(await findPage(name.toLowerCase())).to.equal(`/console/passports/${id}`)
    const part = name.slice(0, -1)
    expect(listLinks((await search(part)).text)).to.deep.equal([`/console/passports/${id}`])
    const sheet = await buildSheet(shop, { name: `${name} of a sheet` })
    const ofSheet = await buildPassport(shop, sheet)
    const { text } = await search(name)
    expect(listLinks(text)).to.deep.equal([`/console/passports/${ofSheet.id}`, `/console/passports/${id}`])
    expect(text).to.contain(`href="/console/passports?search=${encodeURIComponent(name)}"`)
    expect(text).to.contain(`href="/console/accounts?search=${encodeURIComponent(name)}"`)
  })

  it('leads from an e-mail address to the account, and lists those in several applications', async () => {
    const email = createEmail('customer')
    const { account } = await buildBuyer(shop, email)
    expect(await findPage(email.toUpperCase())).to.equal(`/console/accounts/${account}`)
    expect((await search(email.slice(1))).status).to.equal(200)
    const second = await buildBuyer({ application: await buildApplication(shop.organization) }, email)
    expect(listLinks((await search(email)).text)).to.have.members(
      [account, second.account].map((id) => `/console/accounts/${id}`),
    )
  })

  it('finds nothing of another organization, and shows any text as it is', async () => {
    const other = await buildShop()
    const { id, tokenId } = await buildPassport(other, await buildSheet(other))
    const email = createEmail('customer')
    await buildBuyer(other, email)
    for (const text of [id, tokenId, email, randomUUID(), '%', '_', '0x', '9'.repeat(78), "<b>'", '‮x', '\\'])
      expect((await search(text)).text, text).to.contain('Nothing fits.')
    expect((await search('\0')).status).to.be.oneOf([200, 400])
    expect((await search('<b>x')).text)
      .to.contain('Search: &lt;b&gt;x')
      .and.to.not.contain('<b>x')
    expect((await search('x'.repeat(201))).status).to.equal(400)
    expect((await search('')).text).to.not.contain('Nothing fits.')
    expect((await getOwnClient(cookie).get('/console/search')).status).to.equal(200)
  })

  it('is in the head of the pages of every member, in their language, and needs an organization', async () => {
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    const { text } = await getOwnClient(viewer).get('/console/accounts', undefined, { 'accept-language': 'fr' })
    expect(text).to.contain('action="/console/search"').and.to.contain('Passeport ou client')
    const { id } = await buildProductPassport(shop)
    expect(await findPage(id, viewer)).to.equal(`/console/passports/${id}`)
    const nowhere = await signInMember(shop.owner)
    expect(await findPage(id, nowhere)).to.match(/^\/console\/organizations/)
  })
})
