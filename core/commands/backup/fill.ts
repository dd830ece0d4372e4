import type { Client } from 'pg'
import { copyPieces } from '../../database/copy.ts'
import { restoreTable } from '../../database/restore-state.ts'
import { hitFaultPoint } from '../../kernel/process/fault-points.ts'
import { ArchiveError, type ArchiveEnd, type ArchiveReader } from './archive.ts'
import type { RestoredFiles } from './files.ts'
import { quoteName, quoteTable, readBackupTables, type BackupTable } from './tables.ts'

/** The targets of an archive's parts: a connection for each role, and the files of a data folder. */
export interface RestoreTargets {
  main: Client
  signer: Client
  files: RestoredFiles
}

/**
 * Fills empty tables and a data folder from an archive. First the files get their names, then the signer's rows are
 * committed, then all other rows are committed together with the mark that everything is there. Until that last commit,
 * a restore starts from the beginning.
 * @throws ArchiveError
 */
export async function fillInstance(
  archive: ArchiveReader,
  { main, signer, files }: RestoreTargets,
): Promise<ArchiveEnd> {
  const [mainTables, signerTables] = [await readBackupTables(main, 'public'), await readBackupTables(signer, 'signer')]
  await beginFilling(main, mainTables)
  await beginFilling(signer, signerTables)
  for (const month of archive.head.months) await main.query('select make_events_month($1::date)', [month])
  for await (const { part, content } of archive.parts()) {
    if (part.kind === 'file') await files.write(part.path, content)
    else if (part.schema === 'signer') await fillTable(signer, signerTables, part, content)
    else await fillTable(main, mainTables, part, content)
    hitFaultPoint('restore.part')
  }
  const end = archive.end()
  for (const { schema, name, value } of end.sequences) {
    await (schema === 'signer' ? signer : main).query('select setval($1::regclass, $2::bigint)', [
      quoteTable({ schema, name }),
      value,
    ])
  }
  await files.commit()
  hitFaultPoint('restore.files')
  await finishFilling(signer, signerTables)
  hitFaultPoint('restore.signer')
  await main.query(`update public.${restoreTable} set filled = true`)
  await finishFilling(main, mainTables)
  await main.query('analyze')
  return end
}

async function fillTable(
  client: Client,
  tables: readonly BackupTable[],
  part: BackupTable,
  content: AsyncIterable<Buffer>,
): Promise<void> {
  const table = tables.find(({ schema, name }) => schema === part.schema && name === part.name)
  const unknown = part.columns.filter((column) => !table?.columns.includes(column))
  if (!table || unknown.length > 0) {
    throw new ArchiveError(
      `The backup has what the schema has not (${part.schema}.${part.name} ${unknown.join(', ')}). Nothing was restored`,
    )
  }
  try {
    await copyPieces(client, `${quoteTable(table)} (${part.columns.map(quoteName).join(', ')})`, content)
  } catch (cause) {
    // These classes of codes, data and constraints, mean that rows are wrong. No other error is the archive's fault.
    if (!/^2[23]/.test((cause as { code?: string }).code ?? '')) throw cause
    throw new ArchiveError(
      `The rows of ${part.name} cannot be stored: ${(cause as Error).message}. Nothing was restored`,
    )
  }
}

/**
 * Begins a transaction that fills tables. The rows already contain what triggers made, so user triggers are disabled.
 * Rows that migrations inserted are removed.
 */
async function beginFilling(client: Client, tables: readonly BackupTable[]): Promise<void> {
  await client.query('begin')
  for (const table of tables) await client.query(`alter table ${quoteTable(table)} disable trigger user`)
  if (tables.length > 0) await client.query(`truncate ${tables.map(quoteTable).join(', ')}`)
}

async function finishFilling(client: Client, tables: readonly BackupTable[]): Promise<void> {
  for (const table of tables) await client.query(`alter table ${quoteTable(table)} enable trigger user`)
  await client.query('commit')
}
