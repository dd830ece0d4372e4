import { expect } from 'chai'
import fc from 'fast-check'
import { setDomains, proveDomain } from '../../../support/network/domains.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { markCertified } from '../../../support/rows/dpp/passports.ts'
import { getOperator } from '../../identity/people.ts'
import { getBody, formatVerdict } from '../passports/fixtures.ts'
import { buildDescribedPassport, buildShop, type Shop } from '../../../support/world.ts'
import { createGtin, formatItemPath, qualifierValue } from './gtin-values.ts'
import { createFamily, publishAll, createPublishedProduct } from './gtins.ts'
import { listDescriptionFaults, listLinkSetFaults } from './standard.ts'

interface Link {
  href: string
  title: string
  type?: string
  hreflang?: string[]
}
type LinkSet = { linkset: ({ anchor: string; description: string } & Record<string, Link[]>)[] }
const voc = 'https://ref.gs1.org/voc'
const setType = 'application/linkset+json'
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('GS1 Digital Link resolver', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const get = (path: string, headers: Record<string, string> = {}) => createApiClient().get(path, { headers })
  const page = (id: string, query = '') => `${platform.api}/p/${id}${query}`
  const credential = (id: string) => `${platform.api}/v1/dpp/passports/${id}/vc.jsonld`
  const led = ({ status, headers }: Answer) => `${status} ${headers['location']}`
  const setOf = (answer: Answer) => getBody<LinkSet>(answer).linkset

  it('leads from item, batch and model to the page of each, and up to the next that is there', async () => {
    const gtin = createGtin()
    const { model, batch, item } = await createFamily(shop, gtin)
    for (const [path, id] of [
      ['', model],
      ['/', model],
      ['/10/B', batch],
      ['/10/B/21/S', item],
      ['/21/S', item],
      ['/22/V/10/B/21/S', item],
    ] as const)
      expect(led(await get(`/01/${gtin}${path}`)), path).to.equal(`307 ${page(id)}`)
    for (const [path, id, scanned] of [
      ['/10/B/21/none', batch, '?10=B&21=none'],
      ['/10/none', model, '?10=none'],
      ['/10/none/21/none', model, '?10=none&21=none'],
      ['/10/none/21/S', model, '?10=none&21=S'],
      ['/21/none', model, '?21=none'],
    ] as const)
      expect(led(await get(`/01/${gtin}${path}`)), path).to.equal(`307 ${page(id, scanned)}`)
  })

  it('leads on to a page that opens, with the whole query, and to the credential without', async () => {
    const gtin = createGtin()
    const { item } = await createFamily(shop, gtin)
    const query = '?17=261231&utm_source=a%20b&flag'
    const answer = await get(`/01/${gtin}/21/S${query}`, { accept: browser })
    expect(led(answer)).to.equal(`307 ${page(item, query)}`)
    const opens = await get(String(answer.headers['location']).slice(platform.api.length), { accept: browser })
    expect(opens.status).to.equal(200)
    const form = await get(`/01/${gtin}/21/S?linkType=gs1:dpp&a=1`, { accept: 'application/vc' })
    expect(led(form)).to.equal(`307 ${credential(item)}`)
    expect((await get(String(form.headers['location']).slice(platform.api.length))).status).to.equal(200)
  })

  it('finds the GTIN however it is written: own or of the parent, in gtin or in id, with 8 to 14 digits', async () => {
    for (const length of [8, 12, 13]) {
      const gtin = createGtin(length)
      const id = await createPublishedProduct(shop, { idGranularity: 'item', itemNumber: `S${length}`, gtin })
      for (const spelledGtin of [gtin, gtin.padStart(14, '0')])
        expect(led(await get(`/01/${spelledGtin}/21/S${length}`))).to.equal(`307 ${page(id)}`)
    }
    const gtin = createGtin()
    const id = await createPublishedProduct(shop, {
      idGranularity: 'item',
      itemNumber: '1',
      id: `https://id.gs1.org/01/${gtin}/21/1`,
    })
    expect(led(await get(`/01/${gtin}/21/1`))).to.equal(`307 ${page(id)}`)
  })

  it('knows no draft, neither by itself nor by the GTIN of a draft', async () => {
    const gtin = createGtin()
    const { id } = await buildDescribedPassport(shop, {
      idGranularity: 'model',
      name: 'Bag',
      modelNumber: 'draft',
      gtin,
    })
    const item = await createPublishedProduct(shop, { idGranularity: 'item', modelNumber: 'draft', itemNumber: 'S' })
    expect(formatVerdict(await get(`/01/${gtin}`))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await get(`/01/${gtin}/21/S`))).to.equal('404 NOT_FOUND')
    const other = await createPublishedProduct(shop, { idGranularity: 'model', modelNumber: 'other', gtin })
    expect(led(await get(`/01/${gtin}/21/S`))).to.equal(`307 ${page(other, '?21=S')}`)
    await publishAll(id)
    expect(led(await get(`/01/${gtin}/21/S`))).to.equal(`307 ${page(item)}`)
  })

  it('answers the links of item, batch and model as a link set', async () => {
    const gtin = createGtin()
    const { model, batch, item } = await createFamily(shop, gtin)
    await markCertified((await getOperator()).db, batch)
    expect((await shop.api.patch(`/v1/dpp/passports/${model}`, { status: 'archived' })).status).to.equal(200)
    for (const [query, accept] of [
      ['?linkType=linkset', '*/*'],
      ['?linkType=all', 'application/json'],
      ['', setType],
    ] as const) {
      const answer = await get(`/01/${gtin}/21/S${query}`, { accept })
      expect(answer.status).to.equal(200)
      expect(answer.headers['content-type']).to.equal(accept === '*/*' ? setType : accept)
      expect(answer.headers['link']).to.include('rel="http://www.w3.org/ns/json-ld#context"')
      expect(listLinkSetFaults(answer.body)).to.deep.equal([])
      const set = setOf(answer)
      expect(set.map(({ anchor }) => anchor.slice(platform.api.length))).to.deep.equal([
        `/01/${gtin}/10/B/21/S`,
        `/01/${gtin}/10/B`,
        `/01/${gtin}`,
      ])
      const [of, ofBatch, ofModel] = set
      expect(of?.[`${voc}/defaultLink`]).to.deep.equal([{ href: page(item), title: 'Bag' }])
      expect(of?.[`${voc}/pip`]).to.deep.equal([
        { href: page(item), title: 'Bag', type: 'text/html', hreflang: ['en', 'fr', 'de', 'it', 'es'] },
      ])
      expect(of?.[`${voc}/dpp`]?.map(({ href, type }) => `${type} ${href}`)).to.deep.equal([
        `text/html ${page(item)}`,
        `application/ld+json ${credential(item)}`,
        `application/vc ${credential(item)}`,
      ])
      expect(of).to.not.have.property(`${voc}/certificationInfo`)
      expect(ofBatch?.[`${voc}/dpp`]?.map(({ type }) => type)).to.include('application/vc+jwt')
      expect(ofBatch?.[`${voc}/certificationInfo`]?.[0]?.href).to.equal(
        `${platform.api}/v1/dpp/passports/${batch}/anchor`,
      )
      expect(ofModel?.[`${voc}/dpp`]?.map(({ href }) => href)).to.deep.equal([page(model)])
    }
    const linked = await get(`/01/${gtin}/21/S?linkType=linkset`, { accept: 'application/ld+json' })
    const { '@context': context, ...rest } = linked.body
    expect(context).to.equal('https://ref.gs1.org/standards/resolver/linkset-context')
    expect(listLinkSetFaults(rest)).to.deep.equal([])
    const shown = await get(`/01/${gtin}/21/S?linkType=linkset`, { accept: browser })
    expect(shown.headers['content-type']).to.include('text/html')
    for (const id of [item, batch, model]) expect(shown.text).to.include(`href="${page(id)}"`)
  })

  it('leads to the link of a type, of the nearest product that has it, in the form that is asked for', async () => {
    const gtin = createGtin()
    const { batch, item } = await createFamily(shop, gtin)
    await markCertified((await getOperator()).db, batch)
    const of = async (type: string, accept = '*/*') =>
      led(await get(`/01/${gtin}/21/S?linkType=${type}`, { accept })).replace(/\?.*/, '')
    for (const type of ['gs1:pip', `${voc}/pip`, 'https://gs1.org/voc/pip', 'gs1:dpp', 'gs1:defaultLink', ''])
      expect(await of(encodeURIComponent(type)), type).to.equal(`307 ${page(item)}`)
    expect(await of('gs1:dpp', 'application/ld+json')).to.equal(`307 ${credential(item)}`)
    expect(await of('gs1:dpp', 'image/png')).to.equal(`307 ${page(item)}`)
    expect(await of('gs1:certificationInfo')).to.equal(`307 ${platform.api}/v1/dpp/passports/${batch}/anchor`)
    expect(led(await get(`/01/${gtin}/21/S`, { accept: 'application/vc' }))).to.equal(`307 ${credential(item)}`)
    const none = await get(`/01/${gtin}/21/S?linkType=gs1:recallStatus`)
    expect(formatVerdict(none)).to.equal('404 NOT_FOUND')
    expect(none.body['detail']).to.include('gs1:pip').and.include('gs1:certificationInfo')
    expect(formatVerdict(await get(`/01/${gtin}/21/S?linkType=constructor`))).to.equal('404 NOT_FOUND')
  })

  it('leads to the first publisher on the platform, and on a proven domain to those of its organization', async () => {
    const gtin = createGtin()
    const [other, host] = [await buildShop(), `${createGtin(8)}.brand.example`]
    const mine = (await createFamily(shop, gtin)).item
    const theirs = await createPublishedProduct(other, { idGranularity: 'item', itemNumber: 'S', gtin, name: 'Copy' })
    expect(led(await get(`/01/${gtin}/21/S`))).to.equal(`307 ${page(mine)}`)
    const named = `${createGtin(8)}.brand.example`
    await setDomains(other.api, other.application, named)
    expect(formatVerdict(await get(`/01/${gtin}/21/S`, { host: named })), 'not proven').to.equal(
      '421 MISDIRECTED_REQUEST',
    )
    await proveDomain(other.api, other.application, host)
    expect(led(await get(`/01/${gtin}/21/S`, { host: `${host.toUpperCase()}:8443` }))).to.equal(`307 ${page(theirs)}`)
    const set = await get(`/01/${gtin}/21/S?linkType=linkset`, { host })
    expect(setOf(set).map(({ anchor }) => anchor)).to.deep.equal([`https://${host}/01/${gtin}/21/S`])
    const own = createGtin()
    await createFamily(shop, own)
    expect(formatVerdict(await get(`/01/${own}/21/S`, { host })), 'only those of the organization').to.equal(
      '404 NOT_FOUND',
    )
  })

  it('names all of them, and leads to none, where only others than the first have proven a domain', async () => {
    const gtin = createGtin()
    const [first, other, third] = [await buildShop(), await buildShop(), await buildShop()]
    const mine = await createPublishedProduct(first, { idGranularity: 'item', itemNumber: 'S', gtin })
    const theirs = await createPublishedProduct(other, { idGranularity: 'item', itemNumber: 'S', gtin, name: 'Copy' })
    await createPublishedProduct(third, { idGranularity: 'item', itemNumber: 'S', gtin, name: 'Unproven' })
    const host = `${createGtin(8)}.brand.example`
    await proveDomain(other.api, other.application, host)
    const linkSetAnswer = await get(`/01/${gtin}/21/S`)
    expect(linkSetAnswer.status).to.equal(300)
    expect(linkSetAnswer.headers['content-type']).to.equal(setType)
    expect(listLinkSetFaults(linkSetAnswer.body)).to.deep.equal([])
    expect(setOf(linkSetAnswer).map((one) => one[`${voc}/defaultLink`]?.[0]?.href)).to.deep.equal([
      page(mine),
      page(theirs),
    ])
    const shown = await get(`/01/${gtin}/21/S`, { accept: browser })
    expect(shown.status).to.equal(300)
    for (const id of [mine, theirs]) expect(shown.text).to.include(`href="${page(id)}"`)
    expect(shown.text)
      .to.include(`Published by ${host}`)
      .and.match(/Signed by .*, not confirmed/)
      .and.not.include('Unproven')
    await proveDomain(first.api, first.application, `${createGtin(8)}.maker.example`)
    expect(led(await get(`/01/${gtin}/21/S`)), 'the first has proven one too').to.equal(`307 ${page(mine)}`)
  })

  it('tells batches of one serial number apart where the link names one', async () => {
    const gtin = createGtin()
    const of = (batchNumber: string) =>
      createPublishedProduct(shop, { idGranularity: 'item', modelNumber: gtin, batchNumber, itemNumber: 'S', gtin })
    const [a, b] = [await of('A'), await of('B')]
    expect((await get(`/01/${gtin}/21/S`)).status).to.equal(300)
    expect(led(await get(`/01/${gtin}/10/A/21/S`))).to.equal(`307 ${page(a)}`)
    expect(led(await get(`/01/${gtin}/10/B/21/S`))).to.equal(`307 ${page(b)}`)
    expect(formatVerdict(await get(`/01/${gtin}/10/C/21/S`))).to.equal('404 NOT_FOUND')
  })

  it('refuses what is no Digital Link, for programs and for people, to pages of every origin', async () => {
    const gtin = createGtin()
    const wrong = `${gtin.slice(0, -1)}${(Number(gtin.at(-1)) + 1) % 10}`
    for (const path of [
      wrong,
      `${gtin}/99/1`,
      `${gtin}/21/S/10/B`,
      `${gtin}/10`,
      `${gtin}/21/%zz`,
      `${gtin}/21/a%20b`,
      `${gtin}/HAdsSA`,
      `${gtin}?linkType=a&linkType=b`,
    ])
      expect(formatVerdict(await get(`/01/${path}`)), path).to.equal('400 INVALID_REQUEST')
    const refused = await get(`/01/${wrong}`, { origin: 'https://else.example' })
    expect(refused.headers['access-control-allow-origin']).to.equal('*')
    expect(refused.body['errors']?.[0]).to.include({ path: 'gtin' })
    for (const [path, status] of [
      [wrong, 400],
      [gtin, 404],
    ] as const) {
      const shown = await get(`/01/${path}`, { accept: browser })
      expect(shown.status).to.equal(status)
      expect(shown.headers['content-type']).to.include('text/html')
    }
  })

  it('tells people in French what is wrong with a link, or which products there are', async () => {
    const gtin = createGtin()
    const french = { accept: browser, 'accept-language': 'fr' }
    const own = createGtin()
    const { item } = await createFamily(shop, own)
    for (const batchNumber of ['A', 'B'])
      await createPublishedProduct(shop, {
        idGranularity: 'item',
        modelNumber: gtin,
        batchNumber,
        itemNumber: 'S',
        gtin,
      })
    for (const [path, status, words] of [
      [`${createGtin()}`, 404, 'Rien n’est connu de ce produit'],
      [`${gtin}1`, 400, 'Le GTIN n’est pas correct'],
      [`${gtin}/21/a%20b`, 400, 'Le numéro de série (21)'],
      [`${gtin}/HAdsSA`, 400, 'Après le GTIN viennent'],
      [`${gtin}/21/S`, 300, 'Lequel est-ce'],
      [`${own}/21/S?linkType=gs1:recallStatus`, 404, 'pas de lien de ce type'],
    ] as const) {
      const answer = await get(`/01/${path}`, french)
      expect([answer.status, answer.headers['content-language']], path).to.deep.equal([status, 'fr'])
      expect(answer.text, path).to.contain('<html lang="fr">').and.to.contain(words)
      expect(answer.headers['vary']).to.include('Accept-Language').and.to.include('Host')
    }
    expect(led(await get(`/01/${own}/21/S?lang=fr`, french))).to.equal(`307 ${page(item, '?lang=fr')}`)
  })

  it('leads 200 random links to what each of them means', async () => {
    const many = await Promise.all(
      fc
        .sample(fc.record({ batchNumber: qualifierValue, itemNumber: qualifierValue }), 200)
        .map(async (numbers, at) => {
          const product = { idGranularity: 'item', name: 'Bag', gtin: createGtin([8, 12, 13, 14][at % 4]), ...numbers }
          return { product, id: (await buildDescribedPassport(shop, product)).id }
        }),
    )
    await publishAll(...many.map(({ id }) => id))
    const wrong = await Promise.all(
      many.map(async ({ product, id }) => {
        const link = formatItemPath(product)
        return led(await get(link)) === `307 ${page(id)}` ? [] : [link]
      }),
    )
    expect(wrong.flat()).to.deep.equal([])
  })

  it('answers HEAD as GET without a body, and OPTIONS with both', async () => {
    const gtin = createGtin()
    const { model } = await createFamily(shop, gtin)
    const answer = await createApiClient().send('HEAD', `/01/${gtin}`)
    expect(led(answer)).to.equal(`307 ${page(model)}`)
    expect(answer.headers).to.include({
      'access-control-allow-origin': '*',
      link: `<${platform.api}/01/${gtin}?linkType=linkset>; rel="linkset"; type="${setType}"`,
    })
    expect(answer.bytes.length).to.equal(0)
    const optionsAnswer = await createApiClient().send('OPTIONS', `/01/${gtin}`)
    expect(optionsAnswer.status).to.equal(204)
    expect(optionsAnswer.headers).to.include({ allow: 'GET, HEAD, OPTIONS', 'access-control-allow-origin': '*' })
  })

  it('describes itself', async () => {
    const answer = await get('/.well-known/gs1resolver')
    expect(answer.status).to.equal(200)
    expect(answer.headers).to.include({
      'access-control-allow-origin': '*',
      'content-type': 'application/json; charset=utf-8',
    })
    expect(listDescriptionFaults(answer.body)).to.deep.equal([])
    expect(answer.body).to.deep.include({
      resolverRoot: platform.api,
      supportedPrimaryKeys: ['01'],
      supportedLinkType: [{ namespace: `${voc}/`, prefix: 'gs1:' }],
    })
  })
})
