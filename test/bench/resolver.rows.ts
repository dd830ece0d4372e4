import { tidy } from './data.ts'
import { told, type Figure } from './figures.ts'
import { loadInTurn } from './load.ts'
import type { Stand } from './stand.ts'

const gtin = '09520123456788'
const items = 1_000

/** Published items of one model, which has the GTIN for all of them. */
const insert = `
  insert into passports (id, organization, application, network, status, product)
  select gen_random_uuid(), ?, ?, 'EthereumAnvil', 'published', case when n = 0
    then jsonb_build_object('idGranularity', 'model', 'name', 'Bag', 'modelNumber', 'M', 'gtin', ?::text)
    else jsonb_build_object('idGranularity', 'item', 'name', 'Bag', 'modelNumber', 'M', 'itemNumber', 'S' || n) end
  from generate_series(0, ?) n`

/** Where the Digital Link of an item leads, beside the public GET of a passport, in one process. */
export async function resolveRow(stand: Stand): Promise<Figure[]> {
  const { db, facts: { creation: { application }, organization, published } } = stand
  await db.raw(insert, [organization, application, gtin, items])
  try {
    await tidy(db)
    const { url, pid } = await stand.api()
    const sides = [published.map((id) => `/v1/dpp/passports/${id}`), published.map((_, at) => `/01/${gtin}/21/S${1 + at % items}`)]
      .map((paths) => ({ url, pid, requests: paths.map((path) => ({ method: 'GET' as const, path })) }))
    const [read, led] = await loadInTurn(sides, { connections: 32, seconds: stand.seconds }, stand.scratch)
    if (!read || !led) throw new Error('A side was not measured')
    const what = 'GS1 Digital Link of an item that has its GTIN from its model'
    const name = 'GET of a passport'
    return [
      told({ row: 'resolve', what, unit: 'requests/s', baseline: { name, value: read.perSecond }, ours: led.perSecond }),
      told({ row: 'resolve', what: 'the same, p99', unit: 'ms', baseline: { name, value: read.p99 }, ours: led.p99 }),
    ]
  } finally {
    await db('passports').where({ application }).whereNotNull('product').delete()
    await tidy(db)
  }
}
