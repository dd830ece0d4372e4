/**
 * Name of the table that a database has from the first to the last change of a restore. After an interruption, nothing
 * starts on a half restored instance, and the same restore can continue. The table is not part of the schema, of
 * archives or of migrations.
 */
export const restoreTable = 'restore_under_way'

/** The state of a restore: its archive and progress. `filled` is written in the transaction that stores the rows. */
export interface RestoreState {
  archive: string
  file: string
  began: Date
  filled: boolean
}

/** A function that runs a query through any driver. */
type QueryRows = <Row>(sql: string) => Promise<Row[]>

/** Finds the restore that has begun in this database and has not ended. */
export async function findUnfinishedRestore(queryRows: QueryRows): Promise<RestoreState | undefined> {
  const [found] = await queryRows<{ there: boolean }>(
    `select to_regclass('public.${restoreTable}') is not null as there`,
  )
  if (!found?.there) return undefined
  return (await queryRows<RestoreState>(`select archive, file, began, filled from public.${restoreTable}`))[0]
}

/** Formats the message for everyone except that restore. */
export const formatUnfinishedReason = ({ file, began }: RestoreState): string =>
  `The restore of ${file} into this database, begun at ${began.toISOString()}, has not ended: run it again with that file, or choose an empty database`
