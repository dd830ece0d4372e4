import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { copyOut } from '../../database/copy.out.ts'
import { unfinishedReason, unfinishedRestore } from '../../database/restoring.ts'
import { isLocked } from '../../start/lock.ts'
import { ArchiveError, writeArchive, type ArchiveHead, type ArchiveWriter, type Sequence } from './archive.ts'
import { withConnection, withDatabase } from './connections.ts'
import { readChainState, writeFiles } from './files.ts'
import { neededKeys } from './keys.ts'
import { quoted, quotedTable, readBackupTables, readSequences } from './tables.ts'

/** What a backup told when it was done. */
export interface BackupReport {
  file: string
  at: string
  bytes: number
  rows: number
  files: number
  /** Ids of the keys that it needs; bring them along by another way. */
  keys: { platform: string[]; signer: string[] }
  seconds: number
}

/**
 * Writes one archive of an instance, which may be at work: both schemas as they are at one moment, kept files, and the
 * chain of development as it was saved before that moment. No key is in it. @throws ArchiveError when the file is there
 */
export async function backup(env: NodeJS.ProcessEnv, file: string): Promise<BackupReport> {
  const began = performance.now()
  const archive = await writeArchive(file)
  try {
    const { told, end } = await withDatabase(env, false, async ({ settings, url, signerUrl }) => {
      const chain = await readChainState(settings.dataDir, isLocked(settings.dataDir))
      return withConnection(url, (main) => withConnection(signerUrl, async (signer) => {
        await beginTogether(main, signer)
        await demandWhole(main, signer)
        const { rows: [now] } = await main.query<{ at: Date }>('select now() as at')
        const at = (now?.at ?? new Date()).toISOString()
        const keys = await neededKeys(main, signer, settings)
        await archive.frame({
          kind: 'tessera-backup', format: 1, id: randomUUID(), at, keys, migrations: await migrationsOf(main), months: await monthsOf(main),
        })
        const schemas: [Client, string][] = [[main, 'public'], [signer, 'signer']]
        const counted = { tables: 0, rows: 0, sequences: [] as Sequence[] }
        for (const [client, schema] of schemas) {
          for (const table of await readBackupTables(client, schema)) {
            counted.rows += await writeTable(archive, client, table)
            counted.tables++
          }
          counted.sequences.push(...await readSequences(client, schema))
        }
        const files = await writeFiles(archive, settings.dataDir, chain)
        const { rows, tables, sequences } = counted
        return { told: { at, rows, files, keys }, end: { sequences, tables, rows, files } }
      }))
    })
    const bytes = await archive.finish(end)
    return { file, bytes, ...told, seconds: Math.round(performance.now() - began) / 1000 }
  } catch (cause) {
    await archive.abandon()
    throw cause
  }
}

/** Both connections see the database as it is at one moment. Source: PostgreSQL, section 9.28.5. */
async function beginTogether(main: Client, signer: Client): Promise<void> {
  const begin = 'begin transaction isolation level repeatable read, read only'
  await main.query(begin)
  const { rows: [taken] } = await main.query<{ snapshot: string }>('select pg_export_snapshot() as snapshot')
  await signer.query(begin)
  await signer.query(`set transaction snapshot ${signer.escapeLiteral(taken?.snapshot ?? '')}`).catch((cause: Error) => {
    throw new ArchiveError(`SIGNER_DATABASE_URL leads to another database than DATABASE_URL, so that both cannot be read at one moment: ${cause.message}`)
  })
}

/** What is not a whole instance is not backed up: nobody would miss anything before it is restored. @throws ArchiveError */
async function demandWhole(main: Client, signer: Client): Promise<void> {
  const half = await unfinishedRestore(async <Row>(sql: string) => (await main.query(sql)).rows as Row[])
  if (half) throw new ArchiveError(unfinishedReason(half))
  const { rows: [found] } = await main.query<{ there: boolean }>(`select exists (
    select from pg_attribute where attrelid = to_regclass('knex_migrations') and attname = 'checksum') as there`)
  if (!found?.there) throw new ArchiveError('The database has no tables of this version: start it once, or run `npm run --silent admin -- migrate`')
  const { rows: [ofSigner] } = await signer.query<{ there: boolean; readable: boolean }>(`
    select exists (select from pg_tables where schemaname = 'signer' and tablename = 'keys') as there,
      coalesce(has_schema_privilege(to_regnamespace('signer'), 'usage'), false) as readable`)
  if (!ofSigner?.there || !ofSigner.readable) {
    throw new ArchiveError('The tables of the signer are not here, or its role alone may read them: set SIGNER_DATABASE_URL to the address that the signer has as DATABASE_URL')
  }
}

async function migrationsOf(main: Client): Promise<ArchiveHead['migrations']> {
  const { rows } = await main.query<{ name: string; checksum: string | null }>('select name, checksum from knex_migrations order by id')
  return rows.map(({ name, checksum }) => ({ name, checksum: checksum ?? '' }))
}

async function monthsOf(main: Client): Promise<string[]> {
  const { rows } = await main.query<{ month: string }>(`
    select replace(substring(relname from '^events_([0-9]{4}_[0-9]{2})$'), '_', '-') || '-01' as month
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'events'::regclass and relname ~ '^events_[0-9]{4}_[0-9]{2}$' order by 1`)
  return rows.map(({ month }) => month)
}

async function writeTable(
  archive: ArchiveWriter, client: Client, table: { schema: string; name: string; columns: string[] },
): Promise<number> {
  await archive.frame({ kind: 'table', ...table })
  const columns = table.columns.map(quoted).join(', ')
  const rows = await copyOut(client, `select ${columns} from ${quotedTable(table)}`, archive.content)
  await archive.endContent()
  return rows
}
