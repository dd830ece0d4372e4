import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { ImportJob, ImportReport } from '../../../../core/features/imports/index.ts'
import type { Passport } from '../../../../core/features/dpp/index.ts'
import { getBody, getRows } from '../../dpp/passports/fixtures.ts'
import type { Shop } from '../../../support/world.ts'
import { sendFile } from '../intake/intake.maker.ts'

/** An import that has ended; its errors as `line code path`. */
export interface EndedImport {
  job: ImportJob
  counts: ImportReport['counts']
  errors: ImportReport['errors']
  errorLines: string[]
}

/** Sends rows as JSON and waits for the end. */
export async function runImport(
  shop: Shop,
  rows: readonly unknown[],
  query: Record<string, string> = {},
): Promise<EndedImport> {
  return waitForImport(shop, await startImport(shop, rows, query))
}

/** @returns the id of the import */
export async function startImport(
  shop: Shop,
  rows: readonly unknown[],
  query: Record<string, string> = {},
): Promise<string> {
  const started = await sendFile(shop, JSON.stringify(rows), { query, type: 'application/json' })
  expect(started.status, started.text).to.equal(202)
  return String(started.body.id)
}

/** Waits for an import and reads its whole report. */
export async function waitForImport({ api }: Shop, id: string, timeoutMs = 60_000): Promise<EndedImport> {
  const job = await until(api, id, timeoutMs)
  const errors: ImportReport['errors'] = []
  for (let page: number | null = 1; ;) {
    const answer = await api.get(`/v1/imports/${id}/report?pageSize=100&currentPage=${page}`)
    expect(answer.status, answer.text).to.equal(200)
    const report = getBody<ImportReport>(answer)
    errors.push(...report.errors)
    page = report.nextPage
    if (page !== null) continue
    return {
      job,
      counts: report.counts,
      errors,
      errorLines: errors.map(({ line, code, path }) => `${line} ${code} ${path}`.trim()),
    }
  }
}

async function until(api: Shop['api'], id: string, maxWaitMs: number): Promise<ImportJob> {
  for (const deadline = Date.now() + maxWaitMs; ;) {
    const answer = await api.get(`/v1/imports/${id}`)
    expect(answer.status, answer.text).to.equal(200)
    const job = getBody<ImportJob>(answer)
    if (job.status !== 'pending') return job
    if (Date.now() > deadline) throw new Error(`import ${id} is still pending`)
    await sleep(50)
  }
}

/** The passport of a reference. */
export async function findByReference({ api }: Shop, reference: string): Promise<Passport> {
  const [found] = getRows(await api.get(`/v1/dpp/passports?filters[reference][eq]=${encodeURIComponent(reference)}`))
  if (!found) throw new Error(`no passport has the reference ${reference}`)
  return found
}

/** An item of the product flow. */
export const createItemRow = (reference: string, product: object = {}, more: object = {}) => ({
  reference,
  product: { name: 'Bag', idGranularity: 'item', itemNumber: reference, ...product },
  ...more,
})
