import { expect } from 'chai'
import { insertListedPassports } from '../../../support/rows/dpp/passport-lists.ts'
import { buildApplication, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { encodeValue, listFaults, listPassports } from './rows.ts'

const at = (second: number) => `2026-03-01T10:00:${String(second).padStart(2, '0')}.000Z`

/** Six passports; tests name them by their places. */
const references = ['Bag-1', '50%_off', 'back\\slash', 'ÉCLAT d’été', null, 'bag-2'] as const

describe('Lists: filters', () => {
  let shop: Shop
  let sheet: string
  let second: string
  let ids: string[]

  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
    second = await buildApplication(shop.organization)
    await insertListedPassports(
      (await getOperator()).db,
      { ...shop, sheet },
      references.map((reference, place) => ({
        reference,
        createdAt: at(place),
        updatedAt: at(10 + place),
        status: place < 3 ? 'draft' : place < 5 ? 'published' : 'archived',
        source: place === 1 ? 'import' : 'manual',
        email: place === 0 ? 'Ann@Example.com' : null,
        ...(place === 5 && { application: second }),
      })),
    )
    ids = (await listPassports(shop.api, 'sorters[0][field]=createdAt')).data.map(({ id }) => id)
  })

  /** Places of the rows that a query finds, the oldest first. */
  async function found(query: string): Promise<number[]> {
    const { data, total } = await listPassports(shop.api, `${query}&sorters[0][field]=createdAt&sorters[0][order]=asc`)
    expect(total).to.equal(data.length)
    return data.map(({ id }) => ids.indexOf(id))
  }
  const ask = (query: string) => shop.api.get(`/v1/dpp/passports?${query}`)
  const json = (filters: unknown) => `filters=${encodeValue(filters)}`

  it('are the same in all three spellings', async () => {
    const spellings = [
      'filters[status][eq]=draft',
      'filters%5Bstatus%5D%5Beq%5D=draft',
      'filters[0][field]=status&filters[0][operator]=eq&filters[0][value]=draft',
      'filters[7][value]=draft&filters[7][operator]=eq&filters[7][field]=status',
      json([{ field: 'status', operator: 'eq', value: 'draft' }]),
      json({ status: { eq: 'draft' } }),
      json({ 0: { field: 'status', operator: 'eq', value: 'draft' } }),
    ]
    for (const spelling of spellings) expect(await found(spelling), spelling).to.deep.equal([0, 1, 2])
  })

  it('may be spelled in several ways at a time, in any order, and all of them apply', async () => {
    const parts = [
      json([{ field: 'status', operator: 'ne', value: 'published' }]),
      `filters[createdAt][gte]=${encodeValue(at(1))}`,
      'filters[3][field]=application.id&filters[3][operator]=eq',
      `filters[3][value]=${shop.application}`,
      json([{ field: 'source', operator: 'eq', value: 'manual' }]),
    ]
    for (const order of [parts, [...parts].reverse(), [parts[1], parts[0], parts[4], parts[2], parts[3]]]) {
      expect(await found(order.join('&'))).to.deep.equal([2])
    }
  })

  it('apply both when the same one comes twice', async () => {
    expect(await found('filters[status][ne]=draft&filters[status][ne]=published')).to.deep.equal([5])
    expect(await found('filters[status][eq]=draft&filters[status][eq]=published')).to.deep.equal([])
    expect(await found('filters[status][eq]=draft&filters[status][eq]=draft')).to.deep.equal([0, 1, 2])
    expect(await found(json({ status: { ne: ['draft', 'published'] } }))).to.deep.equal([5])
  })

  it('compare instants with bounds in and out', async () => {
    const bound = encodeValue(at(2))
    expect(await found(`filters[createdAt][gt]=${bound}`)).to.deep.equal([3, 4, 5])
    expect(await found(`filters[createdAt][gte]=${bound}`)).to.deep.equal([2, 3, 4, 5])
    expect(await found(`filters[createdAt][lt]=${bound}`)).to.deep.equal([0, 1])
    expect(await found(`filters[createdAt][lte]=${bound}`)).to.deep.equal([0, 1, 2])
    expect(
      await found(`filters[createdAt][gt]=${encodeValue(at(1))}&filters[updatedAt][lt]=${encodeValue(at(14))}`),
    ).to.deep.equal([2, 3])
    expect(await found('filters[createdAt][gte]=2026-03-01T10:00:04Z')).to.deep.equal([4, 5])
    expect(await found('filters[createdAt][lte]=2026-03-01T10:00:01.999999999Z')).to.deep.equal([0, 1])
    expect(await found('filters[createdAt][gte]=2026-03-01T10:00:04.000000001Z')).to.deep.equal([5])
  })

  it('compare identifiers and enumerated words exactly, texts as they are written', async () => {
    expect(await found(`filters[id][eq]=${ids[3]?.toUpperCase()}`)).to.deep.equal([3])
    expect(await found(`filters[application.id][eq]=${second}`)).to.deep.equal([5])
    expect(await found('filters[status][ne]=draft')).to.deep.equal([3, 4, 5])
    expect(await found('filters[reference][eq]=bag-1')).to.deep.equal([])
    expect(await found('filters[reference][eq]=Bag-1')).to.deep.equal([0])
    expect(await found('filters[allowedClaimEmail][eq]=ANN@example.COM')).to.deep.equal([0])
  })

  it('find a substring whatever its case, and every sign stands for itself', async () => {
    for (const [text, places] of [
      ['BAG', [0, 5]],
      ['%', [1]],
      ['_', [1]],
      ['0%_O', [1]],
      ['\\', [2]],
      ['k\\S', [2]],
      ['%%', []],
      ['éclat D', [3]],
      ['’ÉTÉ', [3]],
      ["'", []],
      ['"', []],
      ['', [0, 1, 2, 3, 5]],
      ['bag-1 ', []],
    ] as const)
      expect(await found(`filters[reference][contains]=${encodeValue(text)}`), text).to.deep.equal(places)
  })

  it('ask whether there is a value, and ignore one of their own', async () => {
    expect(await found('filters[structureJob][null]=true')).to.have.length(6)
    expect(await found('filters[structureJob][null]')).to.have.length(6)
    expect(await found('filters[structureJob][nnull]=anything&filters[status][eq]=draft')).to.deep.equal([])
    expect(await found(json([{ field: 'certifyJob', operator: 'null' }]))).to.have.length(6)
    expect(await found(json([{ field: 'certifyJob', operator: 'null', value: { a: 1 } }]))).to.have.length(6)
  })

  it('group by or and and, in brackets and in JSON', async () => {
    const brackets =
      'filters[0][operator]=or&filters[0][value][0][field]=status&filters[0][value][0][operator]=eq&filters[0][value][0][value]=archived'
      + '&filters[0][value][1][field]=reference&filters[0][value][1][operator]=contains&filters[0][value][1][value]=bag'
    expect(await found(brackets)).to.deep.equal([0, 5])
    expect(await found(`${brackets}&filters[status][eq]=draft`)).to.deep.equal([0])
    const draft = { field: 'status', operator: 'eq', value: 'draft' }
    const imported = { field: 'source', operator: 'eq', value: 'import' }
    const nested = [
      {
        operator: 'or',
        value: [
          { operator: 'and', value: [draft, imported] },
          { field: 'status', operator: 'eq', value: 'archived' },
        ],
      },
    ]
    expect(await found(json(nested))).to.deep.equal([1, 5])
    expect(
      await found(
        'filters[0][operator]=or&filters[0][value][status][eq]=archived&filters[0][value][source][eq]=import',
      ),
    ).to.deep.equal([1, 5])
  })

  it('nest to a depth of five groups and no deeper', async () => {
    const nest = (depth: number): unknown =>
      depth === 0
        ? { field: 'status', operator: 'eq', value: 'archived' }
        : { operator: depth % 2 ? 'or' : 'and', value: [nest(depth - 1)] }
    expect(await found(json([nest(5)]))).to.deep.equal([5])
    const deep = await ask(json([nest(6)]))
    expect(listFaults(deep)).to.deep.equal([
      'INVALID_FILTER',
      'filters[0].value[0].value[0].value[0].value[0].value[0] too_deep',
    ])
    const inBrackets = (depth: number) => {
      const place = `filters[0]${'[value][0]'.repeat(depth)}`
      const groups = Array.from({ length: depth }, (_, level) => `filters[0]${'[value][0]'.repeat(level)}[operator]=or`)
      return [...groups, `${place}[field]=status`, `${place}[operator]=eq`, `${place}[value]=archived`].join('&')
    }
    expect(await found(inBrackets(5))).to.deep.equal([5])
    expect(formatVerdict(await ask(inBrackets(6)))).to.equal('400 INVALID_FILTER')
    expect(formatVerdict(await ask(inBrackets(40)))).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await ask(json(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)))).to.equal('400 INVALID_FILTER')
  })

  it('are fifty at most', async () => {
    const leaves = (count: number) =>
      Array.from({ length: count }, () => ({ field: 'status', operator: 'ne', value: 'claimed' }))
    expect(await found(json(leaves(50)))).to.have.length(6)
    expect(listFaults(await ask(json(leaves(51))))).to.deep.equal(['INVALID_FILTER', 'filters[50].field max_items'])
    expect(await found(json([{ operator: 'or', value: leaves(49) }, ...leaves(1)]))).to.have.length(6)
    expect(formatVerdict(await ask(`${json(leaves(50))}&filters[status][ne]=claimed`))).to.equal('400 INVALID_FILTER')
    expect(formatVerdict(await ask(json({ status: { ne: Array.from({ length: 400 }, () => 'claimed') } })))).to.equal(
      '400 INVALID_FILTER',
    )
  })
})
