import type { Knex } from 'knex'
import type { DryRun } from '../../../kernel/dry-run.ts'
import { readPassportLabels } from '../passports/index.ts'
import { readSheetNames } from '../sheets/index.ts'

/**
 * Returns passports by the names that people know them by: the name of the product or sheet, with the reference, else
 * the number of the item, batch or model ("Weekend bag, BAG-0001"). They keep the order of `ids`; a passport that is
 * gone is left out.
 */
export async function namePassports(trx: Knex, ids: readonly string[]): Promise<DryRun['samples']> {
  if (ids.length === 0) return []
  const labels = await readPassportLabels(trx, ids)
  const sheetNames = await readSheetNames(
    trx,
    labels.flatMap(({ sheet }) => sheet ?? []),
  )
  return labels.map(({ id, sheet, productName, reference, number }) => {
    const parts = [productName ?? sheetNames.get(sheet ?? ''), reference ?? number]
    return { id, name: parts.filter((part) => part !== null && part !== undefined).join(', ') || id }
  })
}
