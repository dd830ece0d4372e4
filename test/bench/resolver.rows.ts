import { tidy } from './data.ts'
import { told, type Figure } from './figures.ts'
import { loadInTurn } from './load.ts'
import type { Stand } from './stand.ts'

const gtin = '09520123456788'
const items = 1_000

/** Published items of one model, which has the GTIN for all of them. Values: organization, application, GTIN, items. */
const insert = `
  insert into passports (id, organization, application, network, status, product)
  select gen_random_uuid(), ?::uuid, ?::uuid, 'EthereumAnvil', 'published', case when n = 0
    then jsonb_build_object('idGranularity', 'model', 'name', 'Bag', 'modelNumber', 'M', 'gtin', ?::text)
    else jsonb_build_object('idGranularity', 'item', 'name', 'Bag', 'modelNumber', 'M', 'itemNumber', 'S' || n) end
  from generate_series(0, ?::int) n`

const linkOf = (item: number) => `/01/${gtin}/21/S${item}`

/** Where the Digital Link of an item leads, beside the public GET of a passport, in one process. */
export async function resolveRow(stand: Stand): Promise<Figure[]> {
  const { db, facts: { creation: { application }, organization, published } } = stand
  const remove = () => db('passports').where({ application }).whereNotNull('product').delete()
  // What a run that was broken off has left.
  await remove()
  try {
    await db.raw(insert, [organization, application, gtin, items])
    await tidy(db)
    const { url, pid } = await stand.api()
    await leadsTo(stand, `${url}${linkOf(items)}`, `S${items}`)
    const sides = [published.map((id) => `/v1/dpp/passports/${id}`), published.map((_, at) => linkOf(1 + at % items))]
      .map((paths) => ({ url, pid, requests: paths.map((path) => ({ method: 'GET' as const, path })) }))
    const [read, led] = await loadInTurn(sides, { connections: 32, seconds: stand.seconds }, stand.scratch)
    if (!read || !led) throw new Error('A side was not measured')
    const what = 'GS1 Digital Link of an item that has its GTIN from its model'
    const baseline = (value: number) => ({ name: 'GET of a passport', value })
    return [
      told({ row: 'resolve', what, unit: 'requests/s', baseline: baseline(read.perSecond), ours: led.perSecond }),
      told({ row: 'resolve', what: 'the same, p99', unit: 'ms', baseline: baseline(read.p99), ours: led.p99 }),
    ]
  } finally {
    await remove()
    await tidy(db)
  }
}

/** @throws Error where a link does not lead to the page of that very item: what was measured would be something else */
async function leadsTo({ db }: Stand, link: string, itemNumber: string): Promise<void> {
  const answer = await fetch(link, { redirect: 'manual' })
  await answer.body?.cancel()
  const location = answer.headers.get('location') ?? ''
  const id = location.split('/').at(-1) ?? ''
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `select from passports where id::text = ? and product ->> 'itemNumber' = ?`, [id, itemNumber])
  if (answer.status !== 307 || rows.length !== 1) throw new Error(`${link} is answered ${answer.status} ${location}`)
}
