import { expect } from 'chai'
import fc from 'fast-check'
import type { Passport } from '../../../../core/features/dpp/index.ts'
import { insertListedPassports, type ListedPassport } from '../../../support/rows/dpp/passport-lists.ts'
import { buildApplication, buildBuyer, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { encodeValue, listPassports } from './rows.ts'

const seed = 20_260_301
const instants = Array.from({ length: 6 }, (_, at) => `2026-03-01T10:00:00.00${at}Z`)
const statuses = ['draft', 'published', 'claimed', 'archived']
const texts = ['', 'a', 'A', 'é', 'É', '%', '_', '\\', 'a%', 'b_A', '0', ' ', "'", '"', '&=+#', '[0]', '€']

interface Leaf {
  field: string
  operator: string
  value: string
}
interface Group {
  operator: 'and' | 'or'
  value: Node[]
}
type Node = Leaf | Group

const memberOf =
  (name: string) =>
  ({ product }: Passport) =>
    typeof product === 'string' ? null : ((product[name] as string | undefined) ?? null)

/** How a leaf is judged: by reading what the API shows of a row, without knowing of SQL. */
const valueOf: Record<string, (row: Passport) => string | null> = {
  id: ({ id }) => id,
  status: ({ status }) => status,
  source: ({ source }) => source,
  reference: ({ reference }) => reference ?? null,
  'application.id': ({ application }) => application.id,
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
  structureJob: ({ structureJob }) => (structureJob ? 'a job' : null),
  certifyJob: ({ certifyJob }) => (certifyJob ? 'a job' : null),
  'structureJob.status': ({ structureJob }) => structureJob?.status ?? null,
  'certifyJob.status': ({ certifyJob }) => certifyJob?.status ?? null,
  'mintedTo.id': ({ mintedTo }) => mintedTo?.id ?? null,
  product: ({ product }) => (typeof product === 'string' ? product : null),
  modelNumber: memberOf('modelNumber'),
  'product.idGranularity': memberOf('idGranularity'),
  'product.modelNumber': memberOf('modelNumber'),
  'product.batchNumber': memberOf('batchNumber'),
  'product.itemNumber': memberOf('itemNumber'),
  'product.name': memberOf('name'),
}

function holds(node: Node, row: Passport): boolean {
  if (!('field' in node))
    return node.operator === 'or'
      ? node.value.some((one) => holds(one, row))
      : node.value.every((one) => holds(one, row))
  const actual = valueOf[node.field]?.(row) ?? null
  switch (node.operator) {
    case 'null':
      return actual === null
    case 'nnull':
      return actual !== null
    case 'ne':
      return actual !== node.value
    case 'contains':
      return actual?.toLowerCase().includes(node.value.toLowerCase()) ?? false
    case 'gt':
      return actual !== null && actual > node.value
    case 'lt':
      return actual !== null && actual < node.value
    case 'gte':
      return actual !== null && actual >= node.value
    case 'lte':
      return actual !== null && actual <= node.value
    default:
      return actual === node.value
  }
}

const leafOf = (field: string, operators: string[], values: string[]) =>
  fc.record({ field: fc.constant(field), operator: fc.constantFrom(...operators), value: fc.constantFrom(...values) })

/** What trees are made of. */
interface Known {
  ids: string[]
  applications: string[]
  accounts: string[]
  sheet: string
}

const numbers = ['1', '2', 'é "x"']
const productLeaves = [
  leafOf('product.idGranularity', ['eq'], ['model', 'batch', 'item']),
  leafOf('product.name', ['contains'], texts),
  ...['modelNumber', 'product.modelNumber', 'product.batchNumber', 'product.itemNumber'].map((field) =>
    leafOf(field, ['eq'], numbers),
  ),
]

function treesOver({ ids, applications, accounts, sheet }: Known): fc.Arbitrary<Node[]> {
  const leaf = fc.oneof(
    leafOf('product', ['eq'], [sheet]),
    leafOf('mintedTo.id', ['eq'], accounts),
    ...productLeaves,
    leafOf('status', ['eq', 'ne'], statuses),
    leafOf('source', ['eq', 'ne'], ['manual', 'import', 'ecommerce']),
    leafOf('reference', ['eq', 'contains'], texts),
    leafOf('createdAt', ['gt', 'lt', 'gte', 'lte'], instants),
    leafOf('updatedAt', ['gt', 'lt', 'gte', 'lte'], instants),
    leafOf('application.id', ['eq'], applications),
    leafOf('id', ['eq'], ids),
    ...['structureJob', 'certifyJob'].flatMap((job) => [
      leafOf(job, ['null', 'nnull'], ['']),
      leafOf(`${job}.status`, ['eq'], ['pending', 'completed', 'failed']),
    ]),
  )
  const { node } = fc.letrec<{ node: Node; group: Group }>((tie) => ({
    node: fc.oneof({ maxDepth: 4, depthSize: 'small' }, leaf, tie('group')),
    group: fc.record({
      operator: fc.constantFrom('and' as const, 'or' as const),
      value: fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
    }),
  }))
  return fc.array(node, { maxLength: 4 }).filter((nodes) => leaves(nodes) <= 50 && depthOf(nodes) <= 5)
}

const leaves = (nodes: Node[]): number =>
  nodes.reduce((sum, node) => sum + ('field' in node ? 1 : leaves(node.value)), 0)
const depthOf = (nodes: Node[]): number =>
  Math.max(0, ...nodes.map((node) => ('field' in node ? 0 : 1 + depthOf(node.value))))

type Spelling = 'json' | 'brackets' | 'short'

/** One top-level filter as a piece of a query string. Groups have no short form of their own; their members may. */
function spelled(node: Node, at: number, spelling: Spelling): string {
  if (spelling === 'json') return `filters=${encodeValue([node])}`
  if (spelling === 'short' && 'field' in node)
    return `filters[${node.field}][${node.operator}]=${encodeValue(node.value)}`
  return inBrackets(node, `filters[${at}]`).join('&')
}

function inBrackets(node: Node, place: string): string[] {
  if ('field' in node)
    return [
      `${place}[field]=${node.field}`,
      `${place}[operator]=${node.operator}`,
      `${place}[value]=${encodeValue(node.value)}`,
    ]
  return [
    `${place}[operator]=${node.operator}`,
    ...node.value.flatMap((one, at) => inBrackets(one, `${place}[value][${at}]`)),
  ]
}

const sameReference = ({ reference }: ListedPassport, other: ListedPassport) =>
  reference !== null && reference === other.reference
const numbersOf = (row: ListedPassport) => {
  const { name: _, ...identity } = (row.product ?? {}) as { name?: string }
  return row.product ? JSON.stringify(identity) : null
}
const sameNumbers = (one: ListedPassport, other: ListedPassport) =>
  numbersOf(one) !== null && numbersOf(one) === numbersOf(other)

describe('Lists: random filters and orders', function () {
  this.timeout(240_000)
  let shop: Shop
  let rows: Passport[]
  let applications: string[]
  let accounts: string[]
  let sheet: string

  before(async () => {
    shop = await buildShop()
    applications = [shop.application, await buildApplication(shop.organization)]
    sheet = await buildSheet(shop)
    accounts = [(await buildBuyer(shop)).account, (await buildBuyer(shop)).account]
    const number = fc.option(fc.constantFrom(...numbers), { nil: undefined })
    const job = fc.option(fc.constantFrom('pending', 'completed', 'failed'))
    const product = fc.record({
      idGranularity: fc.constantFrom('model', 'batch', 'item'),
      name: fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
      modelNumber: number,
      batchNumber: number,
      itemNumber: number,
    })
    const row = fc.record<ListedPassport>({
      product: fc.option(product),
      structure: job,
      certify: job,
      mintedTo: fc.option(fc.constantFrom(...accounts)),
      application: fc.constantFrom(...applications),
      status: fc.constantFrom(...statuses),
      source: fc.constantFrom('manual', 'import', 'ecommerce'),
      reference: fc.option(
        fc
          .array(fc.constantFrom(...texts.filter((text) => text !== '')), { minLength: 1, maxLength: 4 })
          .map((parts) => parts.join('')),
      ),
      createdAt: fc.constantFrom(...instants),
      updatedAt: fc.constantFrom(...instants),
    })
    await insertListedPassports(
      (await getOperator()).db,
      { ...shop, sheet },
      fc.sample(
        fc.uniqueArray(row, {
          minLength: 80,
          maxLength: 90,
          comparator: (one, other) =>
            one.application === other.application && (sameReference(one, other) || sameNumbers(one, other)),
        }),
        { seed, numRuns: 1 },
      )[0] ?? [],
    )
    rows = (await listPassports(shop.api, 'pageSize=100')).data
    expect(rows.length).to.be.within(80, 90)
  })

  it('find what a plain reading of the rows finds, in every spelling', async () => {
    let matched = 0
    const trees = treesOver({ ids: [rows[0]?.id ?? '', rows[40]?.id ?? ''], applications, accounts, sheet })
    const cases = fc.record({
      nodes: trees,
      spellings: fc.array(fc.constantFrom<Spelling>('json', 'brackets', 'short'), { minLength: 4, maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ nodes, spellings }) => {
        const query = nodes.map((node, at) => spelled(node, at, spellings[at] ?? 'json')).join('&')
        const { data, total } = await listPassports(shop.api, `pageSize=100&${query}`)
        const wanted = rows.filter((row) => nodes.every((node) => holds(node, row))).map(({ id }) => id)
        if (wanted.length > 0 && wanted.length < rows.length) matched++
        expect(
          data.map(({ id }) => id),
          query,
        ).to.deep.equal(wanted)
        expect(total).to.equal(wanted.length)
      }),
      { seed, numRuns: 300 },
    )
    expect(matched, 'cases that neither find all nor nothing').to.be.greaterThan(100)
  })

  it('come in the order asked for, whichever way one pages', async () => {
    const sorter = fc.record({
      field: fc.constantFrom('id' as const, 'createdAt' as const, 'updatedAt' as const),
      order: fc.constantFrom('asc' as const, 'desc' as const),
    })
    const cases = fc.record({
      sorters: fc.array(sorter, { maxLength: 5 }),
      size: fc.integer({ min: 5, max: 60 }),
      byCursor: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ sorters, size, byCursor }) => {
        const order = sorters.length > 0 ? sorters : [{ field: 'createdAt' as const, order: 'desc' as const }]
        const keys = [...order, { field: 'id' as const, order: order.at(-1)?.order ?? 'desc' }]
        const wanted = rows
          .toSorted((a, b) => {
            for (const { field, order: way } of keys)
              if (a[field] !== b[field]) return (a[field] < b[field] ? -1 : 1) * (way === 'asc' ? 1 : -1)
            return 0
          })
          .map(({ id }) => id)
        const seen: string[] = []
        for (let page = 1, cursor: string | null = ''; cursor !== null; page++) {
          const where = page === 1 ? '' : byCursor ? `&cursor=${cursor}` : `&currentPage=${page}`
          const found = await listPassports(shop.api, `pageSize=${size}&sorters=${encodeValue(sorters)}${where}`)
          seen.push(...found.data.map(({ id }) => id))
          cursor = found.nextCursor
        }
        expect(seen, JSON.stringify(sorters)).to.deep.equal(wanted)
      }),
      { seed, numRuns: 60 },
    )
  })
})
