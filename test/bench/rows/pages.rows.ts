import { atMost, createRatioFigure, type Figure } from '../figures.ts'
import { loadSidesInTurn } from '../load.ts'
import type { BenchSetup } from '../bench-setup.ts'

const listPath = '/v1/dpp/passports?sorters[0][field]=createdAt&sorters[0][order]=desc&pageSize=10'

/** Measures the median time of single requests in milliseconds, by path. */
async function measureMedianMs(stand: BenchSetup, sides: readonly { url: string; path: string }[]): Promise<number[]> {
  const headers = { 'X-Api-Key': stand.facts.apiKey }
  const requestsBySide = sides.map(({ url, path }) => ({ url, requests: [{ method: 'GET' as const, path, headers }] }))
  const answered = await loadSidesInTurn(
    requestsBySide,
    { connections: 1, seconds: stand.options.quick ? 1 : 4 },
    stand.scratch,
  )
  return answered.map(({ p50 }) => p50)
}

export async function measurePages(stand: BenchSetup): Promise<Figure[]> {
  const { url } = await stand.api()
  const row = stand.facts.passports * 0.9
  const before = `${listPath}&currentPage=${row / 10 - 1}`
  const answer = await fetch(`${url}${before}`, { headers: { 'X-Api-Key': stand.facts.apiKey } })
  const { nextCursor } = (await answer.json()) as { nextCursor: string | null }
  if (nextCursor === null) throw new Error(`There is no row ${row}`)
  const paths = [listPath, `${listPath}&cursor=${nextCursor}`, `${listPath}&currentPage=${row / 10}`]
  const [first = 0, cursor = 0, number = 0] = await measureMedianMs(
    stand,
    paths.map((path) => ({ url, path })),
  )
  const what = `row ${row.toLocaleString('en')}`
  const baseline = { name: 'page 1', value: first }
  return [
    createRatioFigure({
      row: 'pages',
      what: `${what} by cursor`,
      unit: 'ms',
      baseline,
      ours: cursor,
      target: atMost(2),
    }),
    createRatioFigure({
      row: 'pages',
      what: `${what} by page number`,
      unit: 'ms',
      baseline,
      ours: number,
      target: atMost(100),
    }),
  ]
}

export async function measureTotal(stand: BenchSetup): Promise<Figure[]> {
  const [api, raw] = [await stand.api(), await stand.raw()]
  const { passports, sheet } = stand.facts
  const path = `${listPath}&filters[product][eq]=${sheet}`
  const [ours = 0, capped = 0] = await measureMedianMs(stand, [
    { url: api.url, path },
    { url: raw.url, path: `${path}&count=capped` },
  ])
  const what = `a page whose total is ${(passports * 0.9).toLocaleString('en')}`
  return [
    createRatioFigure({
      row: 'total',
      what,
      unit: 'ms',
      baseline: { name: 'raw, count capped at 10,000', value: capped },
      ours,
      target: atMost(1.5),
    }),
  ]
}
