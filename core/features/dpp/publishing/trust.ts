import type { Knex } from 'knex'
import { enrolPassports, recordEventsByIds } from '../passports/index.ts'

/**
 * Enrols published models for tracking, each once, in the caller's transaction, and records their events.
 * @returns the ids of the enrolled models
 */
export async function enrolModels(trx: Knex, ids: readonly string[]): Promise<string[]> {
  const enrolled = await enrolPassports(trx, ids)
  await recordEventsByIds(trx, 'update', enrolled)
  return enrolled
}
