import { expect } from 'chai'
import type { MapperRow } from '../../../../core/features/imports/index.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import type { Shop } from '../../../support/world.ts'
import { waitForImport, type EndedImport } from '../../imports/engine/job.maker.ts'
import { sendFile } from '../../imports/intake/intake.maker.ts'

export const entityName = 'AccountAssignment'

/** Sends assignments as JSON and waits for the end. */
export async function importAssignments(
  shop: Shop,
  rows: readonly unknown[],
  query: Record<string, string> = {},
): Promise<EndedImport> {
  const sent = await sendFile(shop, JSON.stringify(rows), {
    query: { entityName, ...query },
    type: 'application/json',
  })
  expect(sent.status, sent.text).to.equal(202)
  expect(sent.body['data']).to.include({ entityName })
  return waitForImport(shop, String(sent.body.id))
}

/** What a mapping makes of a table before it is imported. */
export interface TablePreview {
  mapping: MapperRow[]
  preview: { rows: number; failed: number; passports: object[]; records: object[]; errors: { line: number }[] }
  unclear: object[]
  unusedColumns: string[]
}

/** Previews a table of assignments. */
export async function previewTable({ api, application }: Shop, text: string): Promise<TablePreview> {
  const answer = await api.post('/v1/imports/table', { application, entityName, text, dryRun: true })
  expect(answer.status, answer.text).to.equal(200)
  return getBody<TablePreview>(answer)
}

/** Returns where the columns of a mapping go. */
export const getPlaces = (mapping: readonly MapperRow[]): Record<string, string> =>
  Object.fromEntries(mapping.map(({ source, destination }) => [String(source), destination]))

/** Creates a tier. @returns its id */
export async function createTier({ api, application }: Shop, name: string, requiredVisits: number): Promise<string> {
  const body = { application, name, requiredVisits, currencyToPointRatio: 1 }
  const made = await api.post('/v1/loyalty/reward-tiers', body)
  expect(made.status, made.text).to.equal(201)
  return String(made.body.id)
}
