import type { Knex } from 'knex'
import { findGtin } from '../../content/index.ts'
import type { Finding } from '../answers.types.ts'
import { createFinding } from '../readiness.table.ts'
import { findGtinsOfOthers } from '../../gs1/index.ts'
import type { Values } from './readiness.values.ts'

/** Reads which of the products' GTINs belong to another organization, in one statement. */
export function readGtinsOfOthers(
  db: Knex,
  organization: string,
  products: readonly Values[],
): Promise<ReadonlySet<string>> {
  const gtins = products.map((product) => findGtin(product)).filter((gtin) => gtin !== null)
  return findGtinsOfOthers(db, organization, [...new Set(gtins)])
}

/**
 * Finds that another organization owns the product's GTIN; then whoever scans the GTIN is led to that
 * organization's passports. This is no error, because a seller of another maker's products uses the maker's GTIN. The
 * finding does not name the owner.
 * @param gtinsOfOthers the result of `readGtinsOfOthers`
 */
export function validateGtinOwnership(product: Values, gtinsOfOthers: ReadonlySet<string>): Finding[] {
  if (!gtinsOfOthers.has(findGtin(product) ?? '')) return []
  const path = findGtin({ gtin: product['gtin'] }) === null ? 'product.id' : 'product.gtin'
  return [
    createFinding(
      'gtin_of_another',
      path,
      'is a GTIN that another organization published first, so its codes lead there',
    ),
  ]
}
