import { compareBodies } from '../bodies.ts'
import type { BenchOptions, BenchSetup } from '../bench-setup.ts'
import { atLeast, createRatioFigure, type Figure } from '../figures.ts'
import { loadSide, loadSidesInTurn, type HttpRequest } from '../load.ts'
import { startAccountsSetup, type AccountsData } from '../points/accounts.data.ts'

/** A list as both sides are asked for it. */
interface ComparedList {
  name: string
  ours: string
  raw: string
  /** Whether every account is read for it, so that few requests at a time are all that a machine can do. */
  readsAll?: boolean
}

interface ShownAccount {
  id: string
  [group: string]: unknown
}
interface ShownPage {
  data: ShownAccount[]
  nextCursor: string | null
}

const path = '/v1/accounts'
const sorters = [
  'updatedAt',
  'address',
  'loyalty.optimisticBalance',
  'loyalty.visits',
  'dpp.passportCount',
  'dpp.lastActivityAt',
]
/** The orders of which a page in the middle is read by its cursor. */
const laterPages = ['loyalty.optimisticBalance', 'dpp.lastActivityAt']

/** Measures the list of accounts with each filter and each order, next to a raw server, in the same run. */
export async function measureAccounts(options: BenchOptions): Promise<Figure[]> {
  const setup = await startAccountsSetup(options)
  try {
    const lists = await createLists(setup)
    await warmUp(setup, lists)
    const figures: Figure[] = []
    for (const list of lists) figures.push(await measureList(setup, list))
    return figures
  } finally {
    await setup.stop()
  }
}

/**
 * Loads both servers with the first lists without measuring. A fresh process compiles its code under load and answers
 * half as many requests meanwhile, which would be counted for the lists that come first.
 */
async function warmUp(setup: BenchSetup<AccountsData>, lists: readonly ComparedList[]): Promise<void> {
  const seconds = setup.options.quick ? 1 : 30
  for (const { ours, raw } of lists.slice(0, 2)) {
    for (const side of await createSides(setup, ours, raw))
      await loadSide(side, { connections: 32, seconds }, setup.scratch)
  }
}

async function createSides(setup: BenchSetup<AccountsData>, ours: string, raw: string) {
  const createSide = ({ url, pid }: { url: string; pid: number }, query: string) => ({
    url,
    pid,
    requests: [createRequest(setup, query)],
  })
  return [createSide(await setup.api(), ours), createSide(await setup.raw(), raw)] as const
}

async function measureList(
  setup: BenchSetup<AccountsData>,
  { name, ours, raw, readsAll = false }: ComparedList,
): Promise<Figure> {
  const sides = await createSides(setup, ours, raw)
  await compareBodies(...sides, ['total', 'totalIsEstimate'])
  const load = createLoad(setup, readsAll)
  const [own, other] = await loadSidesInTurn(sides, load, setup.scratch)
  if (!own || !other) throw new Error('A side was not measured')
  return createRatioFigure({
    row: 'accounts',
    what: `accounts, 10 of ${setup.facts.accounts.toLocaleString('en')}: ${name}`,
    unit: 'requests/s',
    baseline: { name: 'raw', value: other.perSecond },
    ours: own.perSecond,
    target: atLeast(0.8),
  })
}

/** Chooses the load of a list. One request that reads every account may take seconds, on a slow machine more than three. */
function createLoad({ options: { quick } }: BenchSetup<AccountsData>, readsAll: boolean) {
  if (readsAll) return { connections: 2, seconds: quick ? 3 : 8, warmUpSeconds: quick ? 3 : 8 }
  return { connections: 32, seconds: quick ? 1 : 2, turns: quick ? 3 : 7 }
}

const createRequest = ({ facts: { apiKey } }: BenchSetup<AccountsData>, query: string): HttpRequest => ({
  method: 'GET',
  path: `${path}?${query}`,
  headers: { 'X-Api-Key': apiKey },
})

async function createLists(setup: BenchSetup<AccountsData>): Promise<ComparedList[]> {
  const [account] = (await readPage(setup, `filters[id][eq]=${setup.facts.oldest[1]}`)).data
  if (!account) throw new Error('An account is not listed')
  return [
    { name: 'the newest', ours: '', raw: createRawQuery('newest') },
    ...createFiltered(account, setup.facts),
    ...sorters.map((field) => ({
      name: `sorter ${field}`,
      ours: createOrder(field),
      raw: createRawQuery(`sorter ${field}`),
    })),
    ...(await Promise.all(laterPages.map((field) => createLaterPage(setup, field)))),
  ]
}

/** Creates the lists with a filter each, by what an account in the middle has. */
function createFiltered(account: ShownAccount, { shop }: AccountsData): ComparedList[] {
  const user = account['user'] as Record<string, string>
  const filters: [name: string, operator: string, value: string][] = [
    ['id', 'eq', account.id],
    ['createdAt', 'gte', String(account['createdAt'])],
    ['updatedAt', 'gte', String(account['updatedAt'])],
    ['application.id', 'eq', shop],
    ['network', 'eq', 'EthereumAnvil'],
    ['address', 'eq', String(account['address'])],
    ['address', 'contains', String(account['address']).slice(2, 10)],
    ['user.name', 'eq', user['name'] ?? ''],
    ['user.name', 'contains', (user['name'] ?? '').slice(-8)],
    ['user.email', 'eq', user['email'] ?? ''],
    ['user.email', 'contains', (user['email'] ?? '').slice(2, 14)],
    ['user.phoneNumber', 'eq', user['phoneNumber'] ?? ''],
    ['user.phoneNumber', 'contains', (user['phoneNumber'] ?? '').slice(-6)],
    ['dpp.passportCount', 'eq', '3'],
  ]
  return filters.map(([field, operator, value]) => {
    const name = `filter ${field}${operator === 'contains' ? ' contains' : ''}`
    const ours = `filters[${field}][${operator}]=${encodeURIComponent(value)}`
    const readsAll = operator === 'contains' || field === 'user.name'
    return { name, ours, raw: createRawQuery(name, value), readsAll }
  })
}

/** Creates the list of a page in the middle, which begins behind the last row of the page before it. */
async function createLaterPage(setup: BenchSetup<AccountsData>, field: string): Promise<ComparedList> {
  const [group = '', member = ''] = field.split('.')
  // In the middle of those that have been active at all.
  const page = Math.floor(setup.facts.accounts / 50)
  const { data, nextCursor } = await readPage(setup, `${createOrder(field)}&currentPage=${page}`)
  const last = data.at(-1)
  if (!last || nextCursor === null) throw new Error(`There is no page ${page} by ${field}`)
  const key = (last[group] as Record<string, string>)[member] ?? ''
  return {
    name: `sorter ${field}, row ${(page * 10).toLocaleString('en')} by cursor`,
    ours: `${createOrder(field)}&cursor=${nextCursor}`,
    raw: createRawQuery(`sorter ${field}`, key, last.id),
  }
}

async function readPage(setup: BenchSetup<AccountsData>, query: string): Promise<ShownPage> {
  const { path: target, headers } = createRequest(setup, query)
  const answer = await fetch(`${(await setup.api()).url}${target}`, { ...(headers && { headers }) })
  if (!answer.ok) throw new Error(`${target}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as ShownPage
}

const createOrder = (field: string) => `sorters[0][field]=${field}&sorters[0][order]=desc`

const createRawQuery = (list: string, ...values: string[]) =>
  new URLSearchParams([['list', list], ...values.map((value): [string, string] => ['value', value])]).toString()
