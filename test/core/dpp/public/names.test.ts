import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Answer } from '../../../support/client.ts'
import { listFaultPaths } from '../passports/fixtures.ts'
import { buildShop, type Shop } from '../../../support/world.ts'

describe('GET /p/{id}: names in headings and labels', () => {
  const hiding = [
    '\u202e',
    '\u202a',
    '\u2066',
    '\u2069',
    '\u200e',
    '\u200f',
    '\ufeff',
    '\u200b',
    '\u2060',
    '\u0000',
    '\u0007',
    '\u009b',
    '\u00ad',
    '\u{e0041}',
    '\n',
    '\t',
    '\u2028',
  ]
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const makers = (name: string): [path: string, make: () => Promise<Answer>][] => [
    ['name', () => shop.api.post('/v1/applications', { name })],
    ['theme.title', () => shop.api.post('/v1/applications', { name: 'Shop', theme: { title: name } })],
    [
      'name',
      () => shop.api.post('/v1/dpp/products', { application: shop.application, network: 'EthereumAnvil', name }),
    ],
    [
      'passportsFields[0].label',
      () =>
        shop.api.post('/v1/dpp/products', {
          application: shop.application,
          network: 'EthereumAnvil',
          name: 'S',
          passportsFields: [{ name: 'a', type: 'string', label: name }],
        }),
    ],
    [
      'passportsFields[0].fields[0].name',
      () =>
        shop.api.post('/v1/dpp/products', {
          application: shop.application,
          network: 'EthereumAnvil',
          name: 'S',
          passportsFields: [{ name: 'a', type: 'object', fields: [{ name, type: 'string' }] }],
        }),
    ],
    [
      'product.name',
      () =>
        shop.api.post('/v1/dpp/passports', {
          application: shop.application,
          product: { idGranularity: 'item', name, itemNumber: randomUUID() },
        }),
    ],
    [
      'product.itemNumber',
      () =>
        shop.api.post('/v1/dpp/passports', {
          application: shop.application,
          product: { idGranularity: 'item', name: 'Bag', itemNumber: `${name}${randomUUID()}` },
        }),
    ],
    [
      'name',
      () =>
        shop.api.post('/v1/import/mappers', {
          application: shop.application,
          name: `${name}${randomUUID()}`,
          type: 'file',
          format: 'csv',
          rows: [{ destination: 'product.name', kind: 'field', source: 'a' }],
        }),
    ],
  ]

  it('hold nothing that hides or turns what is read', async () => {
    for (const sign of hiding) {
      for (const [path, make] of makers(`Ba${sign}g`)) {
        // A cell of a spreadsheet may have them; pages show them as blanks.
        if (path === 'product.name' && /[\n\t]/.test(sign)) continue
        const answer = await make()
        // The specification has 400 for every fault of a mapper.
        expect(
          [answer.status === 400 ? answer.body['instance'] : answer.status, [...new Set(listFaultPaths(answer))]],
          `${path} ${JSON.stringify(sign)} ${answer.text}`,
        ).to.deep.equal([answer.status === 400 ? '/v1/import/mappers' : 422, [path]])
      }
    }
  })

  it('are of any script, with the joiners that it needs', async () => {
    for (const name of [
      'Sac à main',
      'حقيبة',
      'می\u200cخواهم',
      'क्\u200dष',
      '日本 鞄',
      'Bag 👩\u200d👧',
      ' Bag',
      'a-b/c "d" <e>',
    ]) {
      for (const [path, make] of makers(name)) expect((await make()).status, `${path} ${name}`).to.equal(201)
    }
    for (const [path, make] of makers('a\u200db')) expect((await make()).status, path).to.be.oneOf([400, 422])
  })
})
