import { expect } from 'chai'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { insertListedPassports } from '../../../support/rows/dpp/passport-lists.ts'
import { buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { encodeValue, listFaults, listPassports } from './rows.ts'

describe('Lists: refused filters', () => {
  let shop: Shop

  before(async () => {
    shop = await buildShop()
    await insertListedPassports(
      (await getOperator()).db,
      { ...shop, sheet: await buildSheet(shop) },
      Array.from({ length: 6 }, (_, at) => ({ createdAt: `2026-03-01T10:00:0${at}.000Z`, reference: `r-${at}` })),
    )
  })

  const found = async (query: string) => (await listPassports(shop.api, query)).data
  const ask = (query: string) => shop.api.get(`/v1/dpp/passports?${query}`)
  const json = (filters: unknown) => `filters=${encodeValue(filters)}`

  it('are blamed each at its own place, all at once', async () => {
    const wrong = [
      { field: 'tokenId', operator: 'eq', value: 'x' },
      { field: 'status', operator: 'contains', value: 'draft' },
      { field: 'status', operator: 'eq', value: 'minted' },
      { field: 'id', operator: 'eq', value: 5 },
      { field: 'createdAt', operator: 'gt', value: '2026-02-30T00:00:00Z' },
      { operator: 'xor', value: [] },
      { operator: 'or', value: [] },
      { operator: 'or', value: [{ field: 'nonsense' }] },
      { field: 'status', operator: 'eq', value: 'draft', extra: 1 },
      'text',
      null,
      { field: ['status'], operator: 'eq', value: 'draft' },
      { field: 'reference', operator: 'eq', value: ['a'] },
    ]
    const answer = await ask(`${json(wrong)}&filters[nonsense][eq]=1&filters[status][gt]=draft&filters[status]=draft`)
    expect(listFaults(answer)).to.deep.equal(
      [
        'INVALID_FILTER',
        'filters[0].field unknown_field',
        'filters[1].operator unknown_operator',
        'filters[2].value type',
        'filters[3].value type',
        'filters[4].value type',
        'filters[5].operator unknown_operator',
        'filters[6].value min_items',
        'filters[7].value[0].field unknown_field',
        'filters[8].extra unknown_member',
        'filters[9] type',
        'filters[10] type',
        'filters[11].field unknown_field',
        'filters[12].value type',
        'filters[nonsense][eq] unknown_field',
        'filters[status][gt] unknown_operator',
      ].toSpliced(1, 0, 'filters[status] malformed'),
    )
    expect(answer.body['detail']).to.be.a('string')
  })

  it('take no instant that is none', async () => {
    for (const instant of [
      '2026-03-01',
      '2026-03-01T10:00:00',
      '2026-03-01T10:00:00+01:00',
      '2026-03-01 10:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-03-01T24:00:00Z',
      '2026-03-01T10:00:61Z',
      '0000-01-01T00:00:00Z',
      '99999-01-01T00:00:00Z',
      'now',
      '',
      '2026-03-01T10:00:00Z\n',
      '2026-02-29T00:00:00Z',
    ])
      expect(formatVerdict(await ask(`filters[createdAt][gt]=${encodeValue(instant)}`)), instant).to.equal(
        '400 INVALID_FILTER',
      )
    expect(
      await found('filters[createdAt][gt]=0001-01-01T00:00:00Z&filters[createdAt][lt]=9999-12-31T23:59:59.999Z'),
    ).to.have.length(6)
    expect(await found('filters[createdAt][gt]=2024-02-29T00:00:00Z')).to.have.length(6)
  })

  it('refuse hostile names and values with 400, and never anything else', async () => {
    const hostile = [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      "status' or '1'='1",
      'status;drop table passports',
      'passports.status',
      'created_at',
      'status--',
      'a'.repeat(3_000),
      '[',
      ']',
      '][',
      '.',
      '',
      '*',
      '$1',
      '?',
      'status\n',
      'ｓtatus',
    ]
    for (const name of hostile) {
      for (const query of [
        `filters[${encodeValue(name)}][eq]=draft`,
        `filters[status][${encodeValue(name)}]=draft`,
        json([{ field: name, operator: 'eq', value: 'draft' }]),
        json([{ field: 'status', operator: name, value: 'draft' }]),
        json({ [name]: { eq: 'draft' } }),
        `filters[0][${encodeValue(name)}]=draft`,
      ]) {
        const { status, body } = await ask(query)
        expect([status, ['INVALID_FILTER', 'INVALID_REQUEST'].includes(String(body['code']))], query).to.deep.equal([
          400,
          true,
        ])
      }
      expect(formatVerdict(await ask(`sorters[0][field]=${encodeValue(name)}`)), name).to.equal('400 INVALID_SORTER')
    }
    for (const value of ["' or '1'='1", '\\', '%00', '$1', '?', '::text', 'a\u0001b', '\u202e', '1'.repeat(1_001)]) {
      const { status } = await ask(`filters[reference][contains]=${encodeValue(value)}`)
      expect(status, value).to.equal(value.length > 1_000 ? 400 : 200)
    }
  })

  it('refuse what is no text: NUL, half of a surrogate pair, bytes that are no UTF-8, raw letters, numbers past the range', async () => {
    for (const value of ['%00', '%ff', '%ED%A0%80', '%C0%80', '%', '%2', '%zz']) {
      expect(formatVerdict(await ask(`filters[reference][contains]=${value}`)), value).to.equal('400 INVALID_REQUEST')
    }
    for (const value of ['"\\u0000"', '"\\ud800"', '1e400', '-0', '{}', '[]', 'true', 'null']) {
      expect(
        formatVerdict(await ask(`filters=${encodeValue(`[{"field":"reference","operator":"eq","value":${value}}]`)}`)),
        value,
      ).to.equal('400 INVALID_FILTER')
    }
  })

  it('are refused before anything is read, for an excessive query', async () => {
    expect(
      (
        await shop.api.get(`/v1/dpp/passports?filters[status][eq]=${'x'.repeat(1024 * 1024)}`, {
          skipsDocumentCheck: true,
        })
      ).status,
    ).to.equal(431)
    expect(formatVerdict(await ask(Array.from({ length: 501 }, () => 'a=1').join('&')))).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await ask(`filters${'[a]'.repeat(25)}=1`))).to.equal('400 INVALID_REQUEST')
  })

  it('cannot be both a value and a group', async () => {
    expect(formatVerdict(await ask('filters[0]=1&filters[0][field]=status'))).to.equal('400 INVALID_FILTER')
    expect(formatVerdict(await ask('filters[status][eq]=draft&filters[status][eq][x]=1'))).to.equal(
      '400 INVALID_FILTER',
    )
    expect(formatVerdict(await ask('filters[]=1'))).to.equal('400 INVALID_FILTER')
    expect(
      formatVerdict(
        await ask('filters[0][field]=status&filters[0][field]=id&filters[0][operator]=eq&filters[0][value]=draft'),
      ),
    ).to.equal('400 INVALID_FILTER')
    expect(await found('filters=&sorters=')).to.have.length(6)
  })

  it('are refused with an unknown parameter, at its name', async () => {
    for (const [query, name] of [
      ['status=draft', 'status'],
      ['filter[status]=draft', 'filter[status]'],
      ['pageSize[x]=1', 'pageSize[x]'],
      ['=1', 'query'],
      ['PageSize=1', 'PageSize'],
    ] as const) {
      const answer = await ask(query)
      expect(formatVerdict(answer), query).to.equal('400 INVALID_REQUEST')
      if (name !== 'query') expect(listFaults(answer)[1]).to.equal(`${name} unknown_member`)
    }
  })
})
