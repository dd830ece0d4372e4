import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { readByCopy } from '../../database/copy.out.ts'
import { formatUnfinishedReason, findUnfinishedRestore } from '../../database/restore-state.ts'
import { isLocked } from '../../start/lock.ts'
import { ArchiveError, writeArchive, type ArchiveHead, type ArchiveWriter, type Sequence } from './archive.ts'
import { withConnection, withDatabase } from './connections.ts'
import { readChainState, writeFiles } from './files.ts'
import { readNeededKeys } from './keys.ts'
import { quoteName, quoteTable, readBackupTables, readSequences } from './tables.ts'

/** The result of a backup. */
export interface BackupReport {
  file: string
  at: string
  bytes: number
  rows: number
  files: number
  /** Ids of the keys that the backup needs. The keys themselves have to be transferred separately. */
  keys: { platform: string[]; signer: string[] }
  seconds: number
}

/**
 * Writes one archive of an instance, which may be running: both schemas at one moment, the stored files, and the
 * development chain as it was shortly before that moment. The archive contains no key.
 * @throws ArchiveError if the file already exists, or if the instance cannot be backed up completely
 */
export async function createBackup(env: NodeJS.ProcessEnv, file: string): Promise<BackupReport> {
  const startedAt = performance.now()
  const archive = await writeArchive(file)
  try {
    const { report, end } = await withDatabase(env, false, async ({ settings, url, signerUrl }) => {
      const chain = await readChainState(settings.dataDir, isLocked(settings.dataDir))
      return withConnection(url, (main) =>
        withConnection(signerUrl, async (signer) => {
          await beginTogether(main, signer)
          await assertWholeInstance(main, signer)
          const {
            rows: [now],
          } = await main.query<{ at: Date }>('select now() as at')
          const at = (now?.at ?? new Date()).toISOString()
          const keys = await readNeededKeys(main, signer, settings)
          await archive.writeFrame({
            kind: 'tessera-backup',
            format: 1,
            id: randomUUID(),
            at,
            keys,
            migrations: await readMigrations(main),
            months: await readMonths(main),
          })
          const schemas: [Client, string][] = [
            [main, 'public'],
            [signer, 'signer'],
          ]
          const counted = { tables: 0, rows: 0, sequences: [] as Sequence[] }
          for (const [client, schema] of schemas) {
            for (const table of await readBackupTables(client, schema)) {
              counted.rows += await writeTable(archive, client, table)
              counted.tables++
            }
            counted.sequences.push(...(await readSequences(client, schema)))
          }
          const files = await writeFiles(archive, settings.dataDir, chain)
          const { rows, tables, sequences } = counted
          return { report: { at, rows, files, keys }, end: { sequences, tables, rows, files } }
        }),
      )
    })
    const bytes = await archive.finish(end)
    return { file, bytes, ...report, seconds: Math.round(performance.now() - startedAt) / 1000 }
  } catch (cause) {
    await archive.abandon()
    throw cause
  }
}

/** Begins transactions in which both connections see the database at one moment. Source: PostgreSQL, section 9.28.5. */
async function beginTogether(main: Client, signer: Client): Promise<void> {
  const begin = 'begin transaction isolation level repeatable read, read only'
  await main.query(begin)
  const {
    rows: [taken],
  } = await main.query<{ snapshot: string }>('select pg_export_snapshot() as snapshot')
  await signer.query(begin)
  await signer
    .query(`set transaction snapshot ${signer.escapeLiteral(taken?.snapshot ?? '')}`)
    .catch((cause: Error) => {
      throw new ArchiveError(
        `SIGNER_DATABASE_URL leads to another database than DATABASE_URL, so that both cannot be read at one moment: ${cause.message}`,
      )
    })
}

/**
 * Throws if the instance is incomplete; a restore of the backup would otherwise be the first to show the gap.
 * @throws ArchiveError
 */
async function assertWholeInstance(main: Client, signer: Client): Promise<void> {
  const half = await findUnfinishedRestore(async <Row>(sql: string) => (await main.query(sql)).rows as Row[])
  if (half) throw new ArchiveError(formatUnfinishedReason(half))
  const {
    rows: [found],
  } = await main.query<{ there: boolean }>(`select exists (
    select from pg_attribute where attrelid = to_regclass('knex_migrations') and attname = 'checksum') as there`)
  if (!found?.there)
    throw new ArchiveError(
      'The database has no tables of this version: start it once, or run `npm run --silent admin -- migrate`',
    )
  const {
    rows: [ofSigner],
  } = await signer.query<{ there: boolean; readable: boolean }>(`
    select exists (select from pg_tables where schemaname = 'signer' and tablename = 'keys') as there,
      coalesce(has_schema_privilege(to_regnamespace('signer'), 'usage'), false) as readable`)
  if (!ofSigner?.there || !ofSigner.readable) {
    throw new ArchiveError(
      'The tables of the signer are not here, or its role alone may read them: set SIGNER_DATABASE_URL to the address that the signer has as DATABASE_URL',
    )
  }
}

async function readMigrations(main: Client): Promise<ArchiveHead['migrations']> {
  const { rows } = await main.query<{ name: string; checksum: string | null }>(
    'select name, checksum from knex_migrations order by id',
  )
  return rows.map(({ name, checksum }) => ({ name, checksum: checksum ?? '' }))
}

async function readMonths(main: Client): Promise<string[]> {
  const { rows } = await main.query<{ month: string }>(`
    select replace(substring(relname from '^events_([0-9]{4}_[0-9]{2})$'), '_', '-') || '-01' as month
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'events'::regclass and relname ~ '^events_[0-9]{4}_[0-9]{2}$' order by 1`)
  return rows.map(({ month }) => month)
}

async function writeTable(
  archive: ArchiveWriter,
  client: Client,
  table: { schema: string; name: string; columns: string[] },
): Promise<number> {
  await archive.writeFrame({ kind: 'table', ...table })
  const columns = table.columns.map(quoteName).join(', ')
  const rows = await readByCopy(client, `select ${columns} from ${quoteTable(table)}`, archive.writeContent)
  await archive.endContent()
  return rows
}
