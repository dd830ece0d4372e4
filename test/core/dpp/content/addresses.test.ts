import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { createApiClient } from '../../../support/client.ts'
import { writeUncheckedWebsite } from '../../../support/rows/applications/unchecked-websites.ts'
import { writeUncheckedContent } from '../../../support/rows/dpp/passports.ts'
import { runImport, createItemRow } from '../../imports/engine/job.maker.ts'
import { getOperator } from '../../identity/people.ts'
import { listFaultPaths, createSerial, formatVerdict } from '../passports/fixtures.ts'
import { buildProductPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { publishPassports } from '../passports/products.ts'

/** What runs in a page, opens a file of the machine, or is read as another host than it shows. */
const harmful = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'vbscript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD4=',
  'file:///etc/passwd',
  'blob:https://a.example/1',
]
const disguised = [
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'javascript\u200b:alert(1)',
  'https://bank.example@evil.example/',
  'https://user:word@evil.example/',
  'https://@evil.example/',
  'https:\\\\evil.example/',
  'https://evil.example\\@bank.example/',
  'https:evil.example',
  'https:///evil.example',
  '//evil.example/',
  'https://e\u202evil.example/',
  'https://evil.example/a b',
  'https://evil.\u200bexample/',
  'filesystem:https://a.example/x',
  'view-source:https://a.example/',
  'intent://a#Intent;end',
  'about:blank',
  'ms-word:ofe|u|https://a.example/',
]
const schemes = fc.constantFrom(
  'javascript',
  'vbscript',
  'data',
  'file',
  'blob',
  'ftp',
  'ws',
  'intent',
  'about',
  'x-app',
)
const anyBad = fc.oneof(
  fc.constantFrom(...harmful, ...disguised),
  fc
    .tuple(schemes, fc.constantFrom('://a.example/', ':alert(1)', ':text/html,x', '://x'))
    .map(([scheme, rest]) => `${scheme}${rest}`),
  fc
    .tuple(
      fc.constantFrom('\u0000', '\t', '\n', ' ', '\\', '\u200e', '\u202e', '\ufeff', '\u2066', '\u0085', '<', '"'),
      fc.nat({ max: 15 }),
    )
    .map(([sign, at]) => `https://a.example/${'x'.repeat(5)}`.slice(0, 8 + (at % 8)) + sign + 'b.example/'),
)
const document = { linkName: 'Guide', mediaType: 'text/html', linkType: 'page' }

describe('Links in passports', () => {
  let shop: Shop
  let sheet: string
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop, {
      passportsFields: [
        { name: 'page', type: 'url' },
        { name: 'picture', type: 'image' },
        { name: 'note', type: 'string' },
        { name: 'more', type: 'json' },
      ],
      productFields: [{ name: 'home', type: 'url' }],
    })
  })

  const item = (more: object) => ({ name: 'Bag', idGranularity: 'item', itemNumber: randomUUID(), ...more })
  /** Bodies with an address at a place of a passport, and the path of that place. */
  const places = (address: string): [path: string, body: Record<string, unknown>][] => [
    [
      'product.relatedDocument[0].linkURL',
      { application: shop.application, product: item({ relatedDocument: [{ ...document, linkURL: address }] }) },
    ],
    [
      'product.productImage.linkURL',
      { application: shop.application, product: item({ productImage: { ...document, linkURL: address } }) },
    ],
    ['product.id', { application: shop.application, product: item({ id: address }) }],
    [
      'product.producedAtFacility.id',
      { application: shop.application, product: item({ producedAtFacility: { id: address, name: 'F' } }) },
    ],
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
    expect(
      [formatVerdict(answer), listFaultPaths(answer).includes(path)],
      `${path} ${JSON.stringify(address)} ${answer.text}`,
    ).to.deep.equal(['422 VALIDATION_FAILED', true])
  }

  it('are refused at their path where they run, open or hide something', async () => {
    for (const address of [...harmful, ...disguised]) {
      await Promise.all(places(address).map(([path, body]) => refused(path, body, address)))
    }
  })

  it('are refused in free values too where a reader could be made to run or open something', async () => {
    for (const address of [
      ...harmful,
      ' javascript:alert(1)',
      '\u0001javascript:alert(1)',
      'java\u200bscript:alert(1)',
      'javascript: alert(1)',
    ]) {
      await Promise.all(free(address).map(([path, body]) => refused(path, body, address)))
    }
    for (const text of [
      'JavaScript: The Good Parts',
      'Data: 12 May',
      'File: 7',
      'https://a.example/?q=javascript:alert(1)',
      'a data:b',
    ]) {
      for (const [path, body] of free(text)) expect((await create(body)).status, `${path} ${text}`).to.equal(201)
    }
  })

  it('are refused whatever scheme and character is in them', () =>
    fc.assert(
      fc.asyncProperty(anyBad, fc.nat({ max: 6 }), async (address, place) => {
        const [path, body] = places(address)[place] ?? ['', {}]
        await refused(path, body, address)
      }),
      { numRuns: 150 },
    ))

  it('are taken where they lead to a page, a picture or name something', async () => {
    for (const address of ['https://a.example/', 'https://a.example/b?c=d#e', 'https://a.example/%E2%80%AE']) {
      await Promise.all(
        places(address).map(async ([path, body]) => {
          const answer = await create(body)
          expect(answer.status, `${path} ${address} ${answer.text}`).to.equal(201)
        }),
      )
    }
    for (const id of ['urn:epc:id:sgtin:0614141.112345.400', 'did:web:a.example', 'mailto:a@b.example', 'tel:+391']) {
      expect((await create({ application: shop.application, product: item({ id }) })).status, id).to.equal(201)
      await refused(
        'product.productImage.linkURL',
        { application: shop.application, product: item({ productImage: { ...document, linkURL: id } }) },
        id,
      )
    }
    expect((await create({ product: sheet, fields: { picture: `ipfs://b${'a'.repeat(58)}/x.png` } })).status).to.equal(
      201,
    )
  })

  it('are refused by a change, an import, a preview, a credential that is built, a sheet and an application alike', async () => {
    const address = 'javascript:alert(1)'
    const described = await buildProductPassport(shop)
    const changed = await shop.api.patch(`/v1/dpp/passports/${described.id}`, {
      product: { relatedDocument: [{ ...document, linkURL: address }] },
    })
    expect([formatVerdict(changed), listFaultPaths(changed)]).to.deep.equal([
      '422 VALIDATION_FAILED',
      ['product.relatedDocument[0].linkURL'],
    ])
    const [, built] = places(address)[0] ?? []
    expect(formatVerdict(await shop.api.post('/v1/dpp/passports/build-vc', built))).to.equal('422 VALIDATION_FAILED')
    const { errorLines } = await runImport(shop, [
      createItemRow(createSerial(), { productImage: { ...document, linkURL: address } }),
      createItemRow(createSerial(), {}, { data: { x: address } }),
    ])
    expect(errorLines).to.deep.equal(['0 address product.productImage.linkURL', '1 address data.x'])
    const rows = [
      ['product.name', 'name'],
      ['product.itemNumber', 'sku'],
      ['product.relatedDocument[0].linkURL', 'url'],
      ['product.relatedDocument[0].linkName', 'name'],
    ].map(([destination, source]) => ({ destination, kind: 'field', source }))
    const preview = await shop.api.post('/v1/import/mappers/preview', {
      mapper: {
        application: shop.application,
        format: 'csv',
        rows: [...rows, { destination: 'product.idGranularity', kind: 'constant', value: 'item' }],
      },
      sample: `name,sku,url\nBag,${createSerial()},${address}\n`,
    })
    expect(preview.text).to.contain('linkURL').and.to.contain('"address"')
    const sheets = await shop.api.post('/v1/dpp/products', {
      application: shop.application,
      network: 'EthereumAnvil',
      name: 'S',
      productFields: [{ name: 'home', type: 'url' }],
      fields: { home: address },
    })
    expect([formatVerdict(sheets), listFaultPaths(sheets)]).to.deep.equal(['422 VALIDATION_FAILED', ['fields.home']])
    for (const url of [address, 'https://user@evil.example/', 'data:text/html,x']) {
      const made = await shop.api.post('/v1/applications', {
        name: 'Shop',
        websiteUrl: url,
        theme: { logoUrl: url, bgImageUrl: url },
      })
      expect([formatVerdict(made), new Set(listFaultPaths(made))], url).to.deep.equal([
        '422 VALIDATION_FAILED',
        new Set(['websiteUrl', 'theme.logoUrl', 'theme.bgImageUrl']),
      ])
    }
  })

  it('are public ones at port 443 in a certificate', async () => {
    for (const address of [
      'https://127.0.0.1/c',
      'https://10.1.2.3/c',
      'https://[::1]/c',
      'https://2130706433/c',
      'https://169.254.169.254/latest',
      'https://localhost/c',
      'https://[::ffff:10.0.0.1]/c',
      'https://certificates.example:8443/c',
      'https://certificates.example:22/c',
      'https://8.8.8.8:80/c',
    ]) {
      for (const body of [
        { application: shop.application, product: item({}) },
        { product: sheet, fields: {} },
      ]) {
        const created = await create({ ...body, certificateUri: address })
        expect([formatVerdict(created), listFaultPaths(created)], address).to.deep.equal([
          '422 VALIDATION_FAILED',
          ['certificateUri'],
        ])
      }
      const { errorLines } = await runImport(shop, [createItemRow(createSerial(), {}, { certificateUri: address })])
      expect(errorLines, address).to.deep.equal(['0 url certificateUri'])
      const changed = await shop.api.patch(`/v1/dpp/passports/${(await buildProductPassport(shop)).id}`, {
        certificateUri: address,
      })
      expect([formatVerdict(changed), listFaultPaths(changed)], address).to.deep.equal([
        '422 VALIDATION_FAILED',
        ['certificateUri'],
      ])
    }
    expect(
      (await create({ application: shop.application, product: item({}), certificateUri: 'https://8.8.8.8:443/c' }))
        .status,
    ).to.equal(201)
  })
})

describe('GET /p/{id}: links', () => {
  it('leads nowhere by an address that was stored before it was refused', async () => {
    const shop = await buildShop()
    const { id } = await buildProductPassport(shop, { name: 'Bag' }, { data: { site: 'https://a.example/' } })
    await publishPassports(shop, id)
    const { db } = await getOperator()
    const product = { idGranularity: 'item', name: 'Bag\u202egnp.exe', itemNumber: createSerial() }
    const links = [
      'javascript:alert(1)',
      'https://bank.example@evil.example/',
      'https://evil.example\\.bank.example/',
      'data:text/html,x',
    ]
    await writeUncheckedContent(db, id, {
      product: {
        ...product,
        relatedDocument: links.map((linkURL) => ({ linkURL, linkName: 'Guide' })),
        productImage: { linkURL: links[1] },
      },
      data: {
        ...Object.fromEntries(links.map((link, at) => [`link${at}`, link])),
        'co\u200blor': 'red',
      },
    })
    await writeUncheckedWebsite(db, shop.application, 'javascript:alert(1)')
    const { text } = await createApiClient().get(`/p/${id}`, { skipsDocumentCheck: true })
    const led = [...text.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, address]) => address ?? '')
    expect(led).to.not.be.empty
    for (const address of led) expect(address).to.not.match(/^(?:javascript|data):|@evil|\\/)
    expect(text)
      .to.contain('Bag[U+202E]gnp.exe')
      .and.to.contain('Co[U+200B]lor')
      .and.to.not.contain('\u202e')
      .and.to.not.contain('\u200b')
  })
})
