/**
 * A restore leaves this table in a database from its first change to its last: whatever ends it, nothing starts on half
 * of an instance, and the same restore knows where to go on. It is no part of the schema, of archives or of migrations.
 */
export const restoreTable = 'restore_under_way'

/** What is restored, and how far it came. `filled` is written in the transaction that stores the rows. */
export interface RestoreState { archive: string; file: string; began: Date; filled: boolean }

/** Asks for rows, whichever driver does. */
type Ask = <Row>(sql: string) => Promise<Row[]>

/** The restore that has begun in this database and has not ended. */
export async function unfinishedRestore(ask: Ask): Promise<RestoreState | undefined> {
  const [found] = await ask<{ there: boolean }>(`select to_regclass('public.${restoreTable}') is not null as there`)
  if (!found?.there) return undefined
  return (await ask<RestoreState>(`select archive, file, began, filled from public.${restoreTable}`))[0]
}

/** What everybody but that restore is told. */
export const unfinishedReason = ({ file, began }: RestoreState): string =>
  `The restore of ${file} into this database, begun at ${began.toISOString()}, has not ended: run it again with that file, or choose an empty database`
