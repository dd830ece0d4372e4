import type { Statement } from '../../../core/database/connection.ts'
import { sheetPassportStatement } from '../../../core/features/dpp/passports/store/passports.store.insert.ts'
import { createHeldBlockSql, createUseSql } from '../../../core/meters/index.ts'

/**
 * Creates the statement with which the API creates a passport of a sheet, without the use of a unit: it neither holds a
 * block nor records anything.
 */
export function createUnmeteredStatement(): Statement {
  const replacements = [
    [createHeldBlockSql('$12::bigint'), 'select $12::bigint as id'],
    [`, used as (${createUseSql('$12::bigint', '1', 'made')})`, ''],
  ] as const
  const text = replacements.reduce((before, [part, other]) => {
    if (!before.includes(part)) throw new Error('The statement uses its unit in another way')
    return before.replace(part, () => other)
  }, sheetPassportStatement.text)
  return { name: 'bench_without_units', text }
}
