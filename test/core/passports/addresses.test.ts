import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { client, type Answer } from '../../support/client.ts'
import { importRows, itemRow } from '../imports/job.maker.ts'
import { operator } from '../identity/people.ts'
import { faults, newSerial, newSheet, newShop, verdict, type Shop } from './fixtures.ts'
import { newProduct, publish } from './products.ts'

/** What runs in a page, opens a file of the machine, or is read as another host than it shows. */
const harmful = [
  'javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'vbscript:msgbox(1)', 'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD4=', 'file:///etc/passwd', 'blob:https://a.example/1',
]
const disguised = [
  ' javascript:alert(1)', 'java\nscript:alert(1)', 'java\tscript:alert(1)', '\u0001javascript:alert(1)', 'javascript\u200b:alert(1)',
  'https://bank.example@evil.example/', 'https://user:word@evil.example/', 'https://@evil.example/', 'https:\\\\evil.example/',
  'https://evil.example\\@bank.example/', 'https:evil.example', 'https:///evil.example', '//evil.example/', 'https://e\u202evil.example/',
  'https://evil.example/a b', 'https://evil.\u200bexample/', 'filesystem:https://a.example/x', 'view-source:https://a.example/',
  'intent://a#Intent;end', 'about:blank', 'ms-word:ofe|u|https://a.example/',
]
const schemes = fc.constantFrom('javascript', 'vbscript', 'data', 'file', 'blob', 'ftp', 'ws', 'intent', 'about', 'x-app')
const anyBad = fc.oneof(
  fc.constantFrom(...harmful, ...disguised),
  fc.tuple(schemes, fc.constantFrom('://a.example/', ':alert(1)', ':text/html,x', '://x')).map(([scheme, rest]) => `${scheme}${rest}`),
  fc.tuple(fc.constantFrom('\u0000', '\t', '\n', ' ', '\\', '\u200e', '\u202e', '\ufeff', '\u2066', '\u0085', '<', '"'), fc.nat({ max: 15 }))
    .map(([sign, at]) => `https://a.example/${'x'.repeat(5)}`.slice(0, 8 + at % 8) + sign + 'b.example/'),
)
const document = { linkName: 'Guide', mediaType: 'text/html', linkType: 'page' }

describe('Addresses that people follow', () => {
  let shop: Shop
  let sheet: string
  before(async () => {
    shop = await newShop()
    sheet = await newSheet(shop, {
      passportsFields: [
        { name: 'page', type: 'url' }, { name: 'picture', type: 'image' }, { name: 'note', type: 'string' }, { name: 'more', type: 'json' },
      ],
      productFields: [{ name: 'home', type: 'url' }],
    })
  })

  const item = (more: object) => ({ name: 'Bag', idGranularity: 'item', itemNumber: randomUUID(), ...more })
  /** Bodies with an address at a place of a passport, and the path of that place. */
  const places = (address: string): [path: string, body: Record<string, unknown>][] => [
    ['product.relatedDocument[0].linkURL', { application: shop.application, product: item({ relatedDocument: [{ ...document, linkURL: address }] }) }],
    ['product.productImage.linkURL', { application: shop.application, product: item({ productImage: { ...document, linkURL: address } }) }],
    ['product.id', { application: shop.application, product: item({ id: address }) }],
    ['product.producedAtFacility.id', { application: shop.application, product: item({ producedAtFacility: { id: address, name: 'F' } }) }],
    ['certificateUri', { application: shop.application, product: item({}), certificateUri: address }],
    ['fields.page', { product: sheet, fields: { page: address } }],
    ['fields.picture', { product: sheet, fields: { picture: address } }],
  ]
  /** Free values: only what would run or open something is refused there, in whatever disguise. */
  const free = (address: string): [path: string, body: Record<string, unknown>][] => [
    ['data.a[0].b', { application: shop.application, product: item({}), data: { a: [{ b: address }] } }],
    ['product.own', { application: shop.application, product: item({ own: address }) }],
    ['fields.note', { product: sheet, fields: { note: address } }],
    ['fields.more.a', { product: sheet, fields: { more: { a: address } } }],
  ]
  const create = (body: unknown) => shop.api.post('/v1/dpp/passports', body)
  const refused = async (path: string, body: unknown, address: string) => {
    const answer = await create(body)
    expect([verdict(answer), faults(answer).includes(path)], `${path} ${JSON.stringify(address)} ${answer.text}`)
      .to.deep.equal(['422 VALIDATION_FAILED', true])
  }

  it('are refused at their path where they run, open or hide something', async () => {
    for (const address of [...harmful, ...disguised]) {
      await Promise.all(places(address).map(([path, body]) => refused(path, body, address)))
    }
  })

  it('are refused in free values too where a reader could be made to run or open something', async () => {
    for (const address of [...harmful, ' javascript:alert(1)', '\u0001javascript:alert(1)', 'java\u200bscript:alert(1)', 'javascript: alert(1)']) {
      await Promise.all(free(address).map(([path, body]) => refused(path, body, address)))
    }
    for (const text of ['JavaScript: The Good Parts', 'Data: 12 May', 'File: 7', 'https://a.example/?q=javascript:alert(1)', 'a data:b']) {
      for (const [path, body] of free(text)) expect((await create(body)).status, `${path} ${text}`).to.equal(201)
    }
  })

  it('are refused whatever scheme and character is in them', () => fc.assert(
    fc.asyncProperty(anyBad, fc.nat({ max: 6 }), async (address, place) => {
      const [path, body] = places(address)[place] ?? ['', {}]
      await refused(path, body, address)
    }), { numRuns: 150 }))

  it('are taken where they lead to a page, a picture or name something', async () => {
    for (const address of ['https://a.example/', 'https://a.example/b?c=d#e', 'https://a.example/%E2%80%AE']) {
      await Promise.all(places(address).map(async ([path, body]) => {
        const answer = await create(body)
        expect(answer.status, `${path} ${address} ${answer.text}`).to.equal(201)
      }))
    }
    for (const id of ['urn:epc:id:sgtin:0614141.112345.400', 'did:web:a.example', 'mailto:a@b.example', 'tel:+391']) {
      expect((await create({ application: shop.application, product: item({ id }) })).status, id).to.equal(201)
      await refused('product.productImage.linkURL', { application: shop.application, product: item({ productImage: { ...document, linkURL: id } }) }, id)
    }
    expect((await create({ product: sheet, fields: { picture: `ipfs://b${'a'.repeat(58)}/x.png` } })).status).to.equal(201)
  })

  it('are refused by a change, an import, a preview, a credential that is built, a sheet and an application alike', async () => {
    const address = 'javascript:alert(1)'
    const described = await newProduct(shop)
    const changed = await shop.api.patch(`/v1/dpp/passports/${described.id}`, { product: { relatedDocument: [{ ...document, linkURL: address }] } })
    expect([verdict(changed), faults(changed)]).to.deep.equal(['422 VALIDATION_FAILED', ['product.relatedDocument[0].linkURL']])
    const [, built] = places(address)[0] ?? []
    expect(verdict(await shop.api.post('/v1/dpp/passports/build-vc', built))).to.equal('422 VALIDATION_FAILED')
    const { told } = await importRows(shop, [itemRow(newSerial(), { productImage: { ...document, linkURL: address } }), itemRow(newSerial(), {}, { data: { x: address } })])
    expect(told).to.deep.equal(['0 address product.productImage.linkURL', '1 address data.x'])
    const rows = [['product.name', 'name'], ['product.itemNumber', 'sku'], ['product.relatedDocument[0].linkURL', 'url'], ['product.relatedDocument[0].linkName', 'name']]
      .map(([destination, source]) => ({ destination, kind: 'field', source }))
    const preview = await shop.api.post('/v1/import/mappers/preview', {
      mapper: { application: shop.application, format: 'csv', rows: [...rows, { destination: 'product.idGranularity', kind: 'constant', value: 'item' }] },
      sample: `name,sku,url\nBag,${newSerial()},${address}\n`,
    })
    expect(preview.text).to.contain('linkURL').and.to.contain('"address"')
    const sheets = await shop.api.post('/v1/dpp/products', {
      application: shop.application, network: 'EthereumAnvil', name: 'S', productFields: [{ name: 'home', type: 'url' }], fields: { home: address },
    })
    expect([verdict(sheets), faults(sheets)]).to.deep.equal(['422 VALIDATION_FAILED', ['fields.home']])
    for (const url of [address, 'https://user@evil.example/', 'data:text/html,x']) {
      const made = await shop.api.post('/v1/applications', { name: 'Shop', websiteUrl: url, theme: { logoUrl: url, bgImageUrl: url } })
      expect([verdict(made), new Set(faults(made))], url).to.deep.equal(['422 VALIDATION_FAILED', new Set(['websiteUrl', 'theme.logoUrl', 'theme.bgImageUrl'])])
    }
  })

  it('of a certificate are public ones at port 443', async () => {
    for (const address of [
      'https://127.0.0.1/c', 'https://10.1.2.3/c', 'https://[::1]/c', 'https://2130706433/c', 'https://169.254.169.254/latest', 'https://localhost/c',
      'https://[::ffff:10.0.0.1]/c', 'https://certificates.example:8443/c', 'https://certificates.example:22/c', 'https://8.8.8.8:80/c',
    ]) {
      for (const body of [{ application: shop.application, product: item({}) }, { product: sheet, fields: {} }]) {
        const created = await create({ ...body, certificateUri: address })
        expect([verdict(created), faults(created)], address).to.deep.equal(['422 VALIDATION_FAILED', ['certificateUri']])
      }
      const { told } = await importRows(shop, [itemRow(newSerial(), {}, { certificateUri: address })])
      expect(told, address).to.deep.equal(['0 url certificateUri'])
      const changed = await shop.api.patch(`/v1/dpp/passports/${(await newProduct(shop)).id}`, { certificateUri: address })
      expect([verdict(changed), faults(changed)], address).to.deep.equal(['422 VALIDATION_FAILED', ['certificateUri']])
    }
    expect((await create({ application: shop.application, product: item({}), certificateUri: 'https://8.8.8.8:443/c' })).status).to.equal(201)
  })
})

describe('A page of a passport', () => {
  it('leads nowhere by an address that was stored before it was refused', async () => {
    const shop = await newShop()
    const { id } = await newProduct(shop, { name: 'Bag' }, { data: { site: 'https://a.example/' } })
    await publish(shop, id)
    const { db } = await operator()
    const product = { idGranularity: 'item', name: 'Bag\u202egnp.exe', itemNumber: newSerial() }
    const links = ['javascript:alert(1)', 'https://bank.example@evil.example/', 'https://evil.example\\.bank.example/', 'data:text/html,x']
    await db('passports').where({ id }).update({
      product: { ...product, relatedDocument: links.map((linkURL) => ({ linkURL, linkName: 'Guide' })), productImage: { linkURL: links[1] } },
      data: JSON.stringify({ ...Object.fromEntries(links.map((link, at) => [`link${at}`, link])), 'co\u200blor': 'red' }),
    })
    await db('applications').where({ id: shop.application }).update({ website_url: 'javascript:alert(1)' })
    const { text } = await client().get(`/p/${id}`, { unjudged: true })
    const led = [...text.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, address]) => address ?? '')
    expect(led).to.not.be.empty
    for (const address of led) expect(address).to.not.match(/^(?:javascript|data):|@evil|\\/)
    expect(text).to.contain('Bag[U+202E]gnp.exe').and.to.contain('co[U+200B]lor').and.to.not.contain('\u202e').and.to.not.contain('\u200b')
  })
})

describe('Names that pages use as headings and labels', () => {
  const hiding = ['\u202e', '\u202a', '\u2066', '\u2069', '\u200e', '\u200f', '\ufeff', '\u200b', '\u2060', '\u0000', '\u0007', '\u009b', '\u00ad', '\u{e0041}', '\n', '\t', '\u2028']
  let shop: Shop
  before(async () => { shop = await newShop() })

  const makers = (name: string): [path: string, make: () => Promise<Answer>][] => [
    ['name', () => shop.api.post('/v1/applications', { name })],
    ['theme.title', () => shop.api.post('/v1/applications', { name: 'Shop', theme: { title: name } })],
    ['name', () => shop.api.post('/v1/dpp/products', { application: shop.application, network: 'EthereumAnvil', name })],
    ['passportsFields[0].label', () => shop.api.post('/v1/dpp/products', { application: shop.application, network: 'EthereumAnvil', name: 'S', passportsFields: [{ name: 'a', type: 'string', label: name }] })],
    ['passportsFields[0].fields[0].name', () => shop.api.post('/v1/dpp/products', {
      application: shop.application, network: 'EthereumAnvil', name: 'S', passportsFields: [{ name: 'a', type: 'object', fields: [{ name, type: 'string' }] }],
    })],
    ['product.name', () => shop.api.post('/v1/dpp/passports', { application: shop.application, product: { idGranularity: 'item', name, itemNumber: randomUUID() } })],
    ['product.itemNumber', () => shop.api.post('/v1/dpp/passports', { application: shop.application, product: { idGranularity: 'item', name: 'Bag', itemNumber: `${name}${randomUUID()}` } })],
    ['name', () => shop.api.post('/v1/import/mappers', { application: shop.application, name: `${name}${randomUUID()}`, type: 'file', format: 'csv', rows: [{ destination: 'product.name', kind: 'field', source: 'a' }] })],
  ]

  it('hold nothing that hides or turns what is read', async () => {
    for (const sign of hiding) {
      for (const [path, make] of makers(`Ba${sign}g`)) {
        // A cell of a spreadsheet may have them; pages show them as blanks.
        if (path === 'product.name' && /[\n\t]/.test(sign)) continue
        const answer = await make()
        // The specification has 400 for every fault of a mapper.
        expect([answer.status === 400 ? answer.body['instance'] : answer.status, [...new Set(faults(answer))]], `${path} ${JSON.stringify(sign)} ${answer.text}`)
          .to.deep.equal([answer.status === 400 ? '/v1/import/mappers' : 422, [path]])
      }
    }
  })

  it('are of any script, with the joiners that it needs', async () => {
    for (const name of ['Sac à main', 'حقيبة', 'می\u200cخواهم', 'क्\u200dष', '日本 鞄', 'Bag 👩\u200d👧', ' Bag', 'a-b/c "d" <e>']) {
      for (const [path, make] of makers(name)) expect((await make()).status, `${path} ${name}`).to.equal(201)
    }
    for (const [path, make] of makers('a\u200db')) expect((await make()).status, path).to.be.oneOf([400, 422])
  })
})
