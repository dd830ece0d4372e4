import type { Knex } from 'knex'
import { findGtin } from '../../content/index.ts'
import type { Finding } from '../answers.types.ts'
import { createFinding } from '../readiness.table.ts'
import { isGtinOfAnother } from '../../gs1/index.ts'

/**
 * Checks whether another organization owns the product's GTIN; then whoever scans the GTIN is led to that
 * organization's passports. This is no error, because a seller of another maker's products uses the maker's GTIN. The
 * finding does not name the owner.
 */
export async function checkGtinOwnership(
  db: Knex,
  organization: string,
  product: Record<string, unknown>,
): Promise<Finding[]> {
  if (!(await isGtinOfAnother(db, organization, findGtin(product)))) return []
  const path = findGtin({ gtin: product['gtin'] }) === null ? 'product.id' : 'product.gtin'
  return [
    createFinding(
      'gtin_of_another',
      path,
      'is a GTIN that another organization published first, so its codes lead there',
    ),
  ]
}
