import type { Client } from 'pg'
import { copyPieces } from '../../database/copy.ts'
import { restoreTable } from '../../database/restoring.ts'
import { faultPoint } from '../../kernel/fault.ts'
import { ArchiveError, type ArchiveEnd, type ArchiveReader } from './archive.ts'
import type { ArrivingFiles } from './files.ts'
import { quoted, quotedTable, readBackupTables, type BackupTable } from './tables.ts'

/** Where the parts of an archive go: a connection of each role, and the files of a data folder. */
export interface Targets { main: Client; signer: Client; files: ArrivingFiles }

/**
 * Fills empty tables and a data folder from an archive. Files come to their names, then the signer's rows are committed,
 * then all others together with the word that everything is there: until then a restore begins anew. @throws ArchiveError
 */
export async function fillAll(archive: ArchiveReader, { main, signer, files }: Targets): Promise<ArchiveEnd> {
  const [mainTables, signerTables] = [await readBackupTables(main, 'public'), await readBackupTables(signer, 'signer')]
  await begin(main, mainTables)
  await begin(signer, signerTables)
  for (const month of archive.head.months) await main.query('select make_events_month($1::date)', [month])
  for await (const { part, content } of archive.parts()) {
    if (part.kind === 'file') await files.write(part.path, content)
    else if (part.schema === 'signer') await fillTable(signer, signerTables, part, content)
    else await fillTable(main, mainTables, part, content)
    faultPoint('restore.part')
  }
  const end = archive.end()
  for (const { schema, name, value } of end.sequences) {
    await (schema === 'signer' ? signer : main).query('select setval($1::regclass, $2::bigint)', [quotedTable({ schema, name }), value])
  }
  await files.settle()
  faultPoint('restore.files')
  await finish(signer, signerTables)
  faultPoint('restore.signer')
  await main.query(`update public.${restoreTable} set filled = true`)
  await finish(main, mainTables)
  await main.query('analyze')
  return end
}

async function fillTable(
  client: Client, tables: readonly BackupTable[], part: BackupTable, content: AsyncIterable<Buffer>,
): Promise<void> {
  const table = tables.find(({ schema, name }) => schema === part.schema && name === part.name)
  const unknown = part.columns.filter((column) => !table?.columns.includes(column))
  if (!table || unknown.length > 0) {
    throw new ArchiveError(`The backup has what the schema has not (${part.schema}.${part.name} ${unknown.join(', ')}). Nothing was restored`)
  }
  try {
    await copyPieces(client, `${quotedTable(table)} (${part.columns.map(quoted).join(', ')})`, content)
  } catch (cause) {
    // What is wrong with the rows, by the classes of data and of constraints; anything else is no fault of the archive.
    if (!/^2[23]/.test((cause as { code?: string }).code ?? '')) throw cause
    throw new ArchiveError(`The rows of ${part.name} cannot be stored: ${(cause as Error).message}. Nothing was restored`)
  }
}

/** What triggers made of the rows is among the rows. What migrations put into empty tables gives way. */
async function begin(client: Client, tables: readonly BackupTable[]): Promise<void> {
  await client.query('begin')
  for (const table of tables) await client.query(`alter table ${quotedTable(table)} disable trigger user`)
  if (tables.length > 0) await client.query(`truncate ${tables.map(quotedTable).join(', ')}`)
}

async function finish(client: Client, tables: readonly BackupTable[]): Promise<void> {
  for (const table of tables) await client.query(`alter table ${quotedTable(table)} enable trigger user`)
  await client.query('commit')
}
