import { compareBodies, createCreateRequest } from '../bodies.ts'
import { removeCreated } from '../data.ts'
import { atLeast, atMost, createRatioFigure, createInformativeFigure, type Figure } from '../figures.ts'
import { loadSidesInTurn, type HttpRequest, type WeighedLoad } from '../load.ts'
import type { BenchSetup } from '../bench-setup.ts'

/** The connections of the load generator. */
const connections = 32
/** The number of requests whose answers are compared before the load. */
const comparedRequests = 40

interface MeasuredPair {
  ours: WeighedLoad
  raw: WeighedLoad
}

/** Measures our API and the raw server under the same load, after their answers were compared. */
async function measureAgainstRaw(stand: BenchSetup, requests: readonly HttpRequest[]): Promise<MeasuredPair> {
  const [api, raw] = [await stand.api(), await stand.raw()]
  const sides = [
    { url: api.url, pid: api.pid, requests },
    { url: raw.url, pid: raw.pid, requests },
  ] as const
  const some = requests.slice(0, comparedRequests)
  await compareBodies({ ...sides[0], requests: some }, { ...sides[1], requests: some })
  const [ours, other] = await loadSidesInTurn(sides, { connections, seconds: stand.seconds }, stand.scratch)
  if (!ours || !other) throw new Error('A side was not measured')
  return { ours, raw: other }
}

/** Measures our API, and the raw server with a prepared statement for each page, under the same load. */
async function measureAgainstPreparedPages(stand: BenchSetup, requests: readonly HttpRequest[]): Promise<MeasuredPair> {
  const [api, raw] = [await stand.api(), await stand.raw()]
  const [ours, other] = await loadSidesInTurn(
    [
      { url: api.url, pid: api.pid, requests },
      { url: raw.url, pid: raw.pid, requests: requests.map((one) => ({ ...one, path: `${one.path}&plan=kept` })) },
    ],
    { connections, seconds: stand.seconds },
    stand.scratch,
  )
  if (!ours || !other) throw new Error('A side was not measured')
  return { ours, raw: other }
}

/**
 * Creates figures of requests per second, and of processor time per request, which other work on the machine changes
 * little.
 */
function createHttpFigures(row: string, what: string, { ours, raw }: MeasuredPair, target: number): Figure[] {
  const name = 'raw'
  const busy = { baseline: { name, value: raw.perSecond }, ours: ours.perSecond }
  const cost = { baseline: { name, value: raw.spent }, ours: ours.spent }
  return [
    createRatioFigure({ row, what, unit: 'requests/s', ...busy, target: atLeast(target) }),
    createInformativeFigure({ row, what: 'the same, processor time of the process for each', unit: 'µs', ...cost }),
  ]
}

export async function measureGet(stand: BenchSetup): Promise<Figure[]> {
  const answered = await measureAgainstRaw(
    stand,
    stand.facts.published.map((id) => ({ method: 'GET', path: `/v1/dpp/passports/${id}` })),
  )
  const { ours, raw } = answered
  return [
    ...createHttpFigures('get', 'public GET of one passport', answered, 0.8),
    createRatioFigure({
      row: 'get',
      what: 'the same, p99',
      unit: 'ms',
      baseline: { name: 'raw', value: raw.p99 },
      ours: ours.p99,
      target: atMost(2),
    }),
  ]
}

export async function measureList(stand: BenchSetup): Promise<Figure[]> {
  const sort = 'sorters[0][field]=createdAt&sorters[0][order]=desc'
  const requests = ['draft', 'published', 'claimed', 'archived'].flatMap((status) =>
    [1, 2, 3, 4, 5].map((page) => ({
      method: 'GET' as const,
      path: `/v1/dpp/passports?filters[status][eq]=${status}&${sort}&pageSize=10&currentPage=${page}`,
      headers: { 'X-Api-Key': stand.facts.apiKey },
    })),
  )
  const what = `list, 10 of ${stand.facts.passports.toLocaleString('en')}, filter + sort, with a key`
  const figures = createHttpFigures('list', what, await measureAgainstRaw(stand, requests), 0.8)
  // With the offset as a parameter, PostgreSQL plans each request again; a statement for each page is planned only
  // once.
  const kept = await measureAgainstPreparedPages(stand, requests)
  const baseline = { name: 'raw, a statement a page', value: kept.raw.perSecond }
  return [
    ...figures,
    createInformativeFigure({
      row: 'list',
      what: 'the same, beside raw with a statement for each page',
      unit: 'requests/s',
      baseline,
      ours: kept.ours.perSecond,
    }),
  ]
}

export async function measureCreate(stand: BenchSetup): Promise<Figure[]> {
  const { db, facts } = stand
  try {
    const answered = await measureAgainstRaw(stand, [createCreateRequest(facts)])
    return createHttpFigures(
      'create',
      'create a passport: key, validation, tenancy, event, one transaction',
      answered,
      0.6,
    )
  } finally {
    await removeCreated(db, facts)
  }
}
