import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { ImportJob, ImportReport } from '../../../core/features/imports/imports.schema.ts'
import type { Passport } from '../../../core/features/dpp/passports.schema.ts'
import { bodyOf, rowsOf, type Shop } from '../passports/fixtures.ts'
import { sendFile } from './intake.maker.ts'

/** An import that has ended; its errors as `line code path`. */
export interface Done { job: ImportJob; counts: ImportReport['counts']; errors: ImportReport['errors']; told: string[] }

/** Sends rows as JSON and waits for the end. */
export async function importRows(shop: Shop, rows: readonly unknown[], query: Record<string, string> = {}): Promise<Done> {
  return endOf(shop, await startRows(shop, rows, query))
}

/** @returns the id of the import */
export async function startRows(shop: Shop, rows: readonly unknown[], query: Record<string, string> = {}): Promise<string> {
  const started = await sendFile(shop, JSON.stringify(rows), { query, type: 'application/json' })
  expect(started.status, started.text).to.equal(202)
  return String(started.body.id)
}

/** Waits for an import and reads its whole report. */
export async function endOf({ api }: Shop, id: string, patience = 60_000): Promise<Done> {
  const job = await until(api, id, patience)
  const errors: ImportReport['errors'] = []
  for (let page: number | null = 1; ;) {
    const answer = await api.get(`/v1/imports/${id}/report?pageSize=100&currentPage=${page}`)
    expect(answer.status, answer.text).to.equal(200)
    const report = bodyOf<ImportReport>(answer)
    errors.push(...report.errors)
    page = report.nextPage
    if (page !== null) continue
    return { job, counts: report.counts, errors, told: errors.map(({ line, code, path }) => `${line} ${code} ${path}`.trim()) }
  }
}

async function until(api: Shop['api'], id: string, patience: number): Promise<ImportJob> {
  for (const deadline = Date.now() + patience; ;) {
    const answer = await api.get(`/v1/imports/${id}`)
    expect(answer.status, answer.text).to.equal(200)
    const job = bodyOf<ImportJob>(answer)
    if (job.status !== 'pending') return job
    if (Date.now() > deadline) throw new Error(`import ${id} is still pending`)
    await sleep(50)
  }
}

/** The passport of a reference. */
export async function byReference({ api }: Shop, reference: string): Promise<Passport> {
  const [found] = rowsOf(await api.get(`/v1/dpp/passports?filters[reference][eq]=${encodeURIComponent(reference)}`))
  if (!found) throw new Error(`no passport has the reference ${reference}`)
  return found
}

/** An item of the product flow. */
export const itemRow = (reference: string, product: object = {}, more: object = {}) => ({
  reference, product: { name: 'Bag', idGranularity: 'item', itemNumber: reference, ...product }, ...more,
})
