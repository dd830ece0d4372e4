import { createNotFoundProblem } from '../../../core/kernel/problem.ts'
import type { Work } from '../../../core/kernel/work.ts'
import type { Parcel } from './parcels.schema.ts'

interface ParcelRow {
  id: string
  organization: string
  application: string
  grams: number
  weighed_at: Date | null
}

/** Reads a parcel of an organization. @throws NOT_FOUND for a parcel of another organization, too */
export async function readParcel({ trx }: Work, organization: string, id: string): Promise<Parcel> {
  const row = await trx<ParcelRow>('parcels').where({ organization, id }).first()
  if (!row) throw createNotFoundProblem()
  const { application, grams, weighed_at: weighedAt } = row
  return { id, application, grams, weighedAt: weighedAt?.toISOString() ?? null }
}
