import { compareBodies } from './bodies.ts'
import { removeCreated } from './data.ts'
import { least, most, ratio, told, type Figure } from './figures.ts'
import { loadInTurn, type HttpRequest, type Weighed } from './load.ts'
import type { Stand } from './stand.ts'

/** Connections of the generator. */
const connections = 32
/** How many of the requests are compared before the load. */
const compared = 40

interface Both {
  ours: Weighed
  raw: Weighed
}

/** Ours and the raw server under the same load, after both have answered the same. */
async function against(stand: Stand, requests: readonly HttpRequest[]): Promise<Both> {
  const [api, raw] = [await stand.api(), await stand.raw()]
  const sides = [
    { url: api.url, pid: api.pid, requests },
    { url: raw.url, pid: raw.pid, requests },
  ] as const
  const some = requests.slice(0, compared)
  await compareBodies({ ...sides[0], requests: some }, { ...sides[1], requests: some })
  const [ours, other] = await loadInTurn(sides, { connections, seconds: stand.seconds }, stand.scratch)
  if (!ours || !other) throw new Error('A side was not measured')
  return { ours, raw: other }
}

/** Ours, and the raw server with a statement of its own for each page, under the same load. */
async function againstKept(stand: Stand, requests: readonly HttpRequest[]): Promise<Both> {
  const [api, raw] = [await stand.api(), await stand.raw()]
  const [ours, other] = await loadInTurn([
    { url: api.url, pid: api.pid, requests },
    { url: raw.url, pid: raw.pid, requests: requests.map((one) => ({ ...one, path: `${one.path}&plan=kept` })) },
  ], { connections, seconds: stand.seconds }, stand.scratch)
  if (!ours || !other) throw new Error('A side was not measured')
  return { ours, raw: other }
}

/** Requests a second, and what each cost the process: the one that other work on the machine changes little. */
function figuresOf(row: string, what: string, { ours, raw }: Both, target: number): Figure[] {
  const name = 'raw'
  const busy = { baseline: { name, value: raw.perSecond }, ours: ours.perSecond }
  const cost = { baseline: { name, value: raw.spent }, ours: ours.spent }
  return [
    ratio({ row, what, unit: 'requests/s', ...busy, target: least(target) }),
    told({ row, what: 'the same, processor time of the process for each', unit: 'µs', ...cost }),
  ]
}

export async function getRow(stand: Stand): Promise<Figure[]> {
  const answered = await against(
    stand,
    stand.facts.published.map((id) => ({ method: 'GET', path: `/v1/dpp/passports/${id}` })),
  )
  const { ours, raw } = answered
  return [
    ...figuresOf('get', 'public GET of one passport', answered, 0.8),
    ratio({
      row: 'get',
      what: 'the same, p99',
      unit: 'ms',
      baseline: { name: 'raw', value: raw.p99 },
      ours: ours.p99,
      target: most(2),
    }),
  ]
}

export async function listRow(stand: Stand): Promise<Figure[]> {
  const sort = 'sorters[0][field]=createdAt&sorters[0][order]=desc'
  const requests = ['draft', 'published', 'claimed', 'archived'].flatMap((status) =>
    [1, 2, 3, 4, 5].map((page) => ({
      method: 'GET' as const,
      path: `/v1/dpp/passports?filters[status][eq]=${status}&${sort}&pageSize=10&currentPage=${page}`,
      headers: { 'X-Api-Key': stand.facts.apiKey },
    })),
  )
  const what = `list, 10 of ${stand.facts.passports.toLocaleString('en')}, filter + sort, with a key`
  const figures = figuresOf('list', what, await against(stand, requests), 0.8)
  // With the offset as a parameter PostgreSQL plans each request anew; a statement for each page it plans once.
  const kept = await againstKept(stand, requests)
  const baseline = { name: 'raw, a statement a page', value: kept.raw.perSecond }
  return [...figures, told({ row: 'list', what: 'the same, beside raw with a statement for each page', unit: 'requests/s', baseline, ours: kept.ours.perSecond })]
}

export async function createRow(stand: Stand): Promise<Figure[]> {
  const {
    facts: { apiKey, creation },
    db,
    facts,
  } = stand
  const body = JSON.stringify({
    product: creation.sheet,
    fields: { serialNumber: 'SN-1', color: 'red', size: 3, origin: { country: 'FR', year: 2026 } },
  })
  const headers = { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' }
  try {
    const answered = await against(stand, [{ method: 'POST', path: '/v1/dpp/passports', headers, body }])
    return figuresOf('create', 'create a passport: key, validation, tenancy, event, one transaction', answered, 0.6)
  } finally {
    await removeCreated(db, facts)
  }
}
