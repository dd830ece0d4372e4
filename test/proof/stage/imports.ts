import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { connectDatabase } from '../../../core/database/connection.ts'
import { createApiClient } from '../../support/client.ts'
import { startPlatform, type OwnPlatformOptions } from '../../support/own-platform.ts'
import { readImportCounts, type ImportCounts } from '../../support/rows/imports/import-sums.ts'
import { catalogueMapper, writeCatalogue } from '../../support/values/import-catalogue.ts'

/** What has to be found after an import of a catalogue, whatever happened on the way. */
export const createWholeImport = (rows: number, bad: number): ImportCounts => ({
  status: 'completed',
  total: rows,
  completed: rows - bad,
  failed: bad,
  slices: { total: rows, completed: rows - bad, failed: bad },
  passports: rows - bad,
  doubled: 0,
  untold: 0,
  counted: rows - bad,
  errors: bad,
  unstructured: 0,
  structured: rows - bad,
  pieces: 0,
})

/** A platform whose worker can be armed while it runs. */
export async function openImporter(options: OwnPlatformOptions = {}) {
  const platform = await startPlatform({
    env: { TESSERA_FAULT: 'none' },
    keeperDelays: { maxMs: 100 },
    ...options,
  })
  const db = connectDatabase({ url: platform.database, name: 'test', maxConnections: 2, withoutTimeouts: true })
  const api = createApiClient(platform.apiKey, platform.api)
  return {
    platform,
    api,
    db,
    stop: async () => {
      await db.destroy()
      await platform.stop()
    },
  }
}
export type Importer = Awaited<ReturnType<typeof openImporter>>

export interface SentImport {
  job: string
  application: string
  bad: number
}

let catalogues = 0

/** Sends a catalogue to an application of its own. */
export async function sendCatalogue({ api }: Importer, rows: number): Promise<SentImport> {
  const named = await api.post('/v1/applications', {
    name: `Catalogue ${++catalogues}`,
    features: ['dpp'],
    defaultNetwork: 'EthereumAnvil',
  })
  expect(named.status, named.text).to.equal(201)
  const application = String(named.body.id)
  const mapper = await api.post('/v1/import/mappers', {
    name: 'catalogue',
    application,
    type: 'file',
    format: 'csv',
    rows: catalogueMapper,
  })
  expect(mapper.status, mapper.text).to.equal(201)
  const { chunks, badRows } = writeCatalogue({ rows, prefix: `k${catalogues}-`, seed: catalogues })
  const raw = Buffer.concat([...chunks])
  const query = new URLSearchParams({ entityName: 'DppPassport', application, mapperId: String(mapper.body.id) })
  const sent = await api.post(`/v1/imports?${query}`, undefined, { raw, headers: { 'content-type': 'text/csv' } })
  expect(sent.status, sent.text).to.equal(202)
  return { job: String(sent.body.id), application, bad: badRows.length }
}

/** Follows an import to its end. @returns every progress that was seen */
export async function followImport({ api }: Importer, job: string): Promise<number[]> {
  const seen: number[] = []
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(20)) {
    const { status, body } = await api.get(`/v1/imports/${job}`)
    if (status !== 200) continue
    seen.push(Number(body.progress))
    if (String(body.status) !== 'pending') return seen
  }
  throw new Error(`import ${job} did not end`)
}

/** Where a worker dies, and how often it came by before. */
export interface ImportKillPlace {
  name: string
  point: string
  nth: number
}

export const importKillPlaces: readonly ImportKillPlace[] = [
  { name: 'before the commit of the first slice', point: 'import.storing', nth: 1 },
  { name: 'before the commit of a later slice', point: 'import.storing', nth: 3 },
  { name: 'after a commit', point: 'import.stored', nth: 2 },
  { name: 'before the end', point: 'import.ending', nth: 1 },
]

/** Kills the worker at a place of an import. */
export async function strikeImport(importer: Importer, place: ImportKillPlace, rows: number) {
  const {
    platform: { children, lines },
  } = importer
  const { pid } = children.worker
  const from = lines.length
  children.worker.arm(`${place.point}:${place.nth}`)
  const sent = await sendCatalogue(importer, rows)
  const progress = await followImport(importer, sent.job)
  const struck = lines.slice(from).some((line) => line.includes('"struck"') && line.includes(place.point))
  await children.worker.ready()
  return {
    struck: struck && children.worker.pid !== pid,
    progress,
    bad: sent.bad,
    found: await readImportCounts(importer.db, sent),
  }
}

/** Whether numbers never fall. */
export const isRising = (numbers: readonly number[]) =>
  numbers.every((number, at) => at === 0 || number >= (numbers[at - 1] ?? 0))
