import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import pg from 'pg'
import { createApiClient } from '../../support/client.ts'
import { startPlatform, type OwnPlatformOptions } from '../../support/own-platform.ts'
import { catalogueMapper, writeCatalogue } from '../../support/values/import-catalogue.ts'

/** What the database says of one import. */
export interface ImportCounts {
  status: string
  /** Rows that the job, and its slices together, count as found, as done, and as failed. */
  total: number
  completed: number
  failed: number
  slices: { total: number; completed: number; failed: number }
  passports: number
  /** References that more than one passport has, or that have not exactly one event of their creation. */
  doubled: number
  untold: number
  /** What lists count. */
  counted: number
  /** Errors in the report. */
  errors: number
  /** Passports that the structure job should know and does not, and what it counts. */
  unstructured: number
  structured: number
  /** Pieces of the file that are left. */
  pieces: number
}

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
  const database = new pg.Pool({ connectionString: platform.database, max: 2 })
  const api = createApiClient(platform.apiKey, platform.api)
  return {
    platform,
    api,
    database,
    stop: async () => {
      await database.end()
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

/** Counts what an import has made, where it is kept. */
export async function readImportCounts(
  { database }: Importer,
  { job, application }: SentImport,
): Promise<ImportCounts> {
  const {
    rows: [found],
  } = await database.query<ImportCounts>(
    `with mine as materialized (select * from passports where application = $2), create_events as (
       select passport_id as id, count(*) from events where application = $2 and type = 'create' and subject = 'dppPassport' group by 1)
     select status, total, completed, failed,
       (select json_build_object('total', sum(j.total), 'completed', sum(j.completed), 'failed', sum(j.failed))
        from imports i join jobs j on j.id = i.job where i.parent = $1) as slices,
       (select count(*)::int from mine) as passports,
       (select count(*)::int from (select from mine group by reference having count(*) > 1) as twice) as doubled,
       (select count(*)::int from mine left join create_events using (id) where create_events.count is distinct from 1) as untold,
       (select coalesce(sum(delta), 0)::int from passport_counts
        where dimension = 'application.id' and value = $2::uuid::text) as counted,
       (select count(*)::int from import_errors where job = $1) as errors,
       (select count(*)::int from mine where structure_job_status is distinct from 'completed'
          and not exists (select from structure_units u where u.passport = mine.id)) as unstructured,
       (select coalesce(sum(s.total), 0)::int from jobs s where s.id in (select structure_job from mine)) as structured,
       (select count(*)::int from import_pieces p join import_uploads u on u.id = p.upload where u.job = $1) as pieces
     from jobs where id = $1`,
    [job, application],
  )
  if (!found) throw new Error(`import ${job} is gone`)
  return found
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
    found: await readImportCounts(importer, sent),
  }
}

/** Whether numbers never fall. */
export const isRising = (numbers: readonly number[]) =>
  numbers.every((number, at) => at === 0 || number >= (numbers[at - 1] ?? 0))
