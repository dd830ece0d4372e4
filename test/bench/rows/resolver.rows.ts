import { tidyTables } from '../data.ts'
import { createInformativeFigure, type Figure } from '../figures.ts'
import { loadSidesInTurn } from '../load.ts'
import type { BenchSetup } from '../bench-setup.ts'

const gtin = '09520123456788'
const itemCount = 1_000

/**
 * Inserts published items of one model; only the model has the GTIN. Values: organization, application, GTIN, items.
 */
const insertStatement = `
  insert into passports (id, organization, application, network, status, product)
  select gen_random_uuid(), ?::uuid, ?::uuid, 'EthereumAnvil', 'published', case when n = 0
    then jsonb_build_object('idGranularity', 'model', 'name', 'Bag', 'modelNumber', 'M', 'gtin', ?::text)
    else jsonb_build_object('idGranularity', 'item', 'name', 'Bag', 'modelNumber', 'M', 'itemNumber', 'S' || n) end
  from generate_series(0, ?::int) n`

const createLink = (item: number) => `/01/${gtin}/21/S${item}`

/** Measures the redirect of an item's Digital Link, next to the public GET of a passport, in one process. */
export async function measureResolver(stand: BenchSetup): Promise<Figure[]> {
  const {
    db,
    facts: {
      creation: { application },
      organization,
      published,
    },
  } = stand
  const remove = () => db('passports').where({ application }).whereNotNull('product').delete()
  // An interrupted run may have left rows.
  await remove()
  try {
    await db.raw(insertStatement, [organization, application, gtin, itemCount])
    await tidyTables(db)
    const { url, pid } = await stand.api()
    await assertLeadsTo(stand, `${url}${createLink(itemCount)}`, `S${itemCount}`)
    const sides = [
      published.map((id) => `/v1/dpp/passports/${id}`),
      published.map((_, at) => createLink(1 + (at % itemCount))),
    ].map((paths) => ({ url, pid, requests: paths.map((path) => ({ method: 'GET' as const, path })) }))
    const [readLoad, resolvedLoad] = await loadSidesInTurn(
      sides,
      { connections: 32, seconds: stand.seconds },
      stand.scratch,
    )
    if (!readLoad || !resolvedLoad) throw new Error('A side was not measured')
    const what = 'GS1 Digital Link of an item that has its GTIN from its model'
    const baseline = (value: number) => ({ name: 'GET of a passport', value })
    return [
      createInformativeFigure({
        row: 'resolve',
        what,
        unit: 'requests/s',
        baseline: baseline(readLoad.perSecond),
        ours: resolvedLoad.perSecond,
      }),
      createInformativeFigure({
        row: 'resolve',
        what: 'the same, p99',
        unit: 'ms',
        baseline: baseline(readLoad.p99),
        ours: resolvedLoad.p99,
      }),
    ]
  } finally {
    await remove()
    await tidyTables(db)
  }
}

/**
 * Asserts that a link leads to the page of exactly this item.
 * @throws Error if not, because something else would be measured
 */
async function assertLeadsTo({ db }: BenchSetup, link: string, itemNumber: string): Promise<void> {
  const answer = await fetch(link, { redirect: 'manual' })
  await answer.body?.cancel()
  const location = answer.headers.get('location') ?? ''
  const id = location.split('/').at(-1) ?? ''
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `select from passports where id::text = ? and product ->> 'itemNumber' = ?`,
    [id, itemNumber],
  )
  if (answer.status !== 307 || rows.length !== 1) throw new Error(`${link} is answered ${answer.status} ${location}`)
}
