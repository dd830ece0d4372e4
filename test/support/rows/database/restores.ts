import type { Knex } from 'knex'
import { restoreTable } from '../../../../core/database/restore-state.ts'

/** Checks whether the mark is there that a database has from the first to the last change of a restore. */
export async function hasRestoreMark(db: Knex): Promise<boolean> {
  const { rows } = await db.raw<{ rows: [{ there: boolean }] }>('select to_regclass(?) is not null as there', [
    `public.${restoreTable}`,
  ])
  return rows[0].there
}
