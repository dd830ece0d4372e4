import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import pg from 'pg'
import { request } from 'undici'
import { connectDatabase } from '../../../core/database/connection.ts'
import { createApiClient } from '../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { countPassports, readPassportTotals } from '../../support/rows/dpp/counted-passports.ts'
import { keepImportedItems, warmLog, type CopiedImport } from '../../support/rows/imports/copied-imports.ts'
import { listImportErrors } from '../../support/rows/imports/errors.ts'
import { catalogueMapper, writeCatalogue, type BadRow } from '../../support/values/import-catalogue.ts'
import { keepFigures, roundToHundredths } from '../../figures/keep-figures.ts'

const rows = Number(process.env['TEST_ROWS'] ?? 1_000_000)
const models = Array.from({ length: 1_000 }, (_, at) => `M-${at}`)
const whole = rows >= 1_000_000
/** Milliseconds between two measurements. */
const rest = whole ? 60_000 : 5_000

/** Megabytes that a process has in memory; the most it ever had. */
function resident(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
  return { now: of('VmRSS'), peak: of('VmHWM') }
}

/**
 * Rows a second of a whole import, from the first slice to the end and from the first byte sent, beside COPY of the very
 * rows that it stored into the same tables, empty again, with nothing else going on. Both are done twice in turn: the
 * first round warms a server whose memory and files nobody has used yet, the second one counts, both are told. Each begins
 * after a rest: a virtual machine takes freed memory back within seconds and is slow to give it out again, so that
 * whoever came right after the other would have for nothing what that one has paid for, up to a third of its time.
 * TEST_ROWS chooses how many.
 */
describe(`Import job of ${rows.toLocaleString('en')} rows of 12 columns`, function () {
  this.timeout(3_600_000)
  let platform: OwnPlatform
  let database: pg.Client
  let application: string
  let idle: number
  let sent: Sent
  const rounds: { sent: Sent; copied: number }[] = []
  const figures: Record<string, unknown> = {}

  before(async () => {
    platform = await startPlatform({ durable: true, env: { LOG_LEVEL: 'warn' } })
    database = new pg.Client({ connectionString: platform.database })
    await database.connect()
    await warmLog(database)
    application = platform.application
    const made = models.map((modelNumber) => ({
      product: { name: `Model ${modelNumber}`, idGranularity: 'model', modelNumber },
    }))
    const api = createApiClient(platform.apiKey, platform.api)
    const query = new URLSearchParams({ entityName: 'DppPassport', application })
    const { body } = await api.post(`/v1/imports?${query}`, made)
    await ended(platform, String(body.id))
    await sleep(rest)
    idle = resident(platform.children.worker.pid ?? 0).now
  })
  after(async () => {
    await database?.end()
    await platform?.stop()
  })

  it('comes to its end, every bad row reported and no other', async () => {
    sent = await sendRows(platform)
    const { job, bad } = sent
    expect(job).to.deep.include({ status: 'completed', total: rows, failed: bad.length, completed: rows - bad.length })
    const db = connectDatabase({ url: platform.database, name: 'test', withoutTimeouts: true })
    const found = await listImportErrors(db, job.id)
    const made = {
      passports: await countPassports(db, { source: 'import' }),
      events: (await readPassportTotals(db)).events,
    }
    await db.destroy()
    const text = (list: readonly BadRow[]) => list.map(({ line, code, path }) => `${line} ${code} ${path}`)
    expect(text(found)).to.deep.equal(text(bad))
    expect(made).to.deep.equal({
      passports: rows - bad.length + models.length,
      events: rows - bad.length + models.length,
    })
  })

  it(`stores at least 0.80 of the rows a second of COPY${whole ? '' : ', when it is whole'}`, async () => {
    const kept = await keepImportedItems(database, join(platform.dataDir, 'ready'))
    rounds.push({ sent, copied: await copyAgain(kept) })
    await kept.emptyTables()
    await sleep(rest)
    const again = await sendRows(platform)
    expect(again.job).to.deep.include({ status: 'completed', total: rows, failed: sent.bad.length })
    rounds.push({ sent: again, copied: await copyAgain(kept) })
    const good = rows - sent.bad.length
    const each = rounds.map(({ sent: { rate, seconds }, copied }) => ({
      rowsPerSecond: Math.round(rate),
      copyRowsPerSecond: Math.round(good / copied),
      ratio: roundToHundredths((rate * copied) / good),
      ratioFromTheFirstByteSent: roundToHundredths(copied / seconds),
    }))
    const ratio = each[1]?.ratio ?? NaN
    Object.assign(figures, {
      residentIdle: roundToHundredths(idle),
      residentPeak: roundToHundredths(again.peak),
      residentAtEachTenth: sent.overTime,
      rows,
      columns: 12,
      megabytes: roundToHundredths(sent.bytes / 1024 / 1024),
      badRows: sent.bad.length,
      firstRound: each[0],
      ...each[1],
    })
    process.stdout.write(`      ${JSON.stringify(figures)}\n`)
    if (whole) expect(ratio).to.be.at.least(0.8)
  })

  it(`needs less than 200 MB${whole ? '' : ', when it is whole'}`, () => {
    if (whole) expect(Math.max(...rounds.map(({ sent: { peak } }) => peak))).to.be.below(200)
  })

  if (whole)
    it('is kept as a figure', () => {
      keepFigures('speed/import', {
        command: 'npm run test:long -- test/proof/large/import-million.long.ts',
        processors: cpus().length,
        ...figures,
      })
    })
})

interface Job {
  id: string
  status: string
  total: number
  completed: number
  failed: number
}

async function read({ api, apiKey }: OwnPlatform, id: string): Promise<Job> {
  const answer = await request(`${api}/v1/imports/${id}`, { headers: { 'x-api-key': apiKey } })
  return (await answer.body.json()) as Job
}

async function ended(platform: OwnPlatform, id: string, seen: (job: Job) => void = () => undefined): Promise<Job> {
  for (;;) {
    const job = await read(platform, id)
    seen(job)
    if (job.status !== 'pending') return job
    await sleep(100)
  }
}

type Sent = Awaited<ReturnType<typeof sendRows>>

/** Sends the file as a stream and follows it. `rate`: good rows a second from the first slice that was seen to the end. */
async function sendRows(platform: OwnPlatform) {
  const { api, apiKey, application } = platform
  const maker = createApiClient(apiKey, api)
  const mapper = await maker.post('/v1/import/mappers', {
    name: `catalogue ${Date.now()}`,
    application,
    type: 'file',
    format: 'csv',
    rows: catalogueMapper,
  })
  const { chunks, badRows } = writeCatalogue({ rows, models })
  let bytes = 0
  const body = Readable.from(
    (function* () {
      for (const chunk of chunks) {
        bytes += chunk.length
        yield chunk
      }
    })(),
  )
  const query = new URLSearchParams({ entityName: 'DppPassport', application, mapperId: String(mapper.body.id) })
  const began = performance.now()
  const answer = await request(`${api}/v1/imports?${query}`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'text/csv' },
    body,
  })
  const accepted = (await answer.body.json()) as Job
  expect(answer.statusCode, JSON.stringify(accepted)).to.equal(202)
  let first: { at: number; completed: number } | undefined
  const overTime: number[] = []
  const job = await ended(platform, accepted.id, ({ completed }) => {
    if (completed > 0) first ??= { at: performance.now(), completed }
    const tenth = Math.floor((10 * completed) / rows)
    overTime[tenth] ??= roundToHundredths(resident(platform.children.worker.pid ?? 0).now)
  })
  const now = performance.now()
  const { peak } = resident(platform.children.worker.pid ?? 0)
  const rate = first ? (job.completed - first.completed) / ((now - first.at) / 1_000) : NaN
  return { job, bad: badRows, bytes, peak, overTime, rate, seconds: (now - began) / 1_000 }
}

/** Copies what the import stored into the emptied tables. @returns seconds */
async function copyAgain(kept: CopiedImport): Promise<number> {
  await kept.emptyTables()
  await sleep(rest)
  return kept.copyBack()
}
