import { most, ratio, type Figure } from './figures.ts'
import { loadInTurn } from './load.ts'
import type { Stand } from './stand.ts'

const list = '/v1/dpp/passports?sorters[0][field]=createdAt&sorters[0][order]=desc&pageSize=10'

/** Milliseconds that the middle request takes when it is alone, by path. */
async function middles(stand: Stand, sides: readonly { url: string; path: string }[]): Promise<number[]> {
  const headers = { 'X-Api-Key': stand.facts.apiKey }
  const asked = sides.map(({ url, path }) => ({ url, requests: [{ method: 'GET' as const, path, headers }] }))
  const answered = await loadInTurn(asked, { connections: 1, seconds: stand.options.quick ? 1 : 4 }, stand.scratch)
  return answered.map(({ p50 }) => p50)
}

export async function pagesRow(stand: Stand): Promise<Figure[]> {
  const { url } = await stand.api()
  const row = stand.facts.passports * 0.9
  const before = `${list}&currentPage=${row / 10 - 1}`
  const answer = await fetch(`${url}${before}`, { headers: { 'X-Api-Key': stand.facts.apiKey } })
  const { nextCursor } = (await answer.json()) as { nextCursor: string | null }
  if (nextCursor === null) throw new Error(`There is no row ${row}`)
  const paths = [list, `${list}&cursor=${nextCursor}`, `${list}&currentPage=${row / 10}`]
  const [first = 0, cursor = 0, number = 0] = await middles(
    stand,
    paths.map((path) => ({ url, path })),
  )
  const what = `row ${row.toLocaleString('en')}`
  const baseline = { name: 'page 1', value: first }
  return [
    ratio({ row: 'pages', what: `${what} by cursor`, unit: 'ms', baseline, ours: cursor, target: most(2) }),
    ratio({ row: 'pages', what: `${what} by page number`, unit: 'ms', baseline, ours: number, target: most(100) }),
  ]
}

export async function totalRow(stand: Stand): Promise<Figure[]> {
  const [api, raw] = [await stand.api(), await stand.raw()]
  const { passports, sheet } = stand.facts
  const path = `${list}&filters[product][eq]=${sheet}`
  const [ours = 0, capped = 0] = await middles(stand, [
    { url: api.url, path },
    { url: raw.url, path: `${path}&count=capped` },
  ])
  const what = `a page whose total is ${(passports * 0.9).toLocaleString('en')}`
  return [
    ratio({
      row: 'total',
      what,
      unit: 'ms',
      baseline: { name: 'raw, count capped at 10,000', value: capped },
      ours,
      target: most(1.5),
    }),
  ]
}
