import type { Knex } from 'knex'
import { gtinOf } from '../gs1.ts'
import type { Finding } from '../open.types.ts'
import { finding } from '../readiness.table.ts'
import { isGtinOfAnother } from './owners.ts'

/**
 * Finds that the product's own GTIN was published first by another organization: who scans it is led to theirs. It is
 * no error, as who sells what another one makes uses the maker's GTIN. Whose it is is not told.
 */
export async function judgeOwnership(db: Knex, organization: string, product: Record<string, unknown>): Promise<Finding[]> {
  if (!await isGtinOfAnother(db, organization, gtinOf(product))) return []
  const path = gtinOf({ gtin: product['gtin'] }) === null ? 'product.id' : 'product.gtin'
  return [finding('gtin_of_another', path, 'is a GTIN that another organization published first, so its codes lead there')]
}
