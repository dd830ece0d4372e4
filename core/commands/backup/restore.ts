import type { Client } from 'pg'
import { openStore } from '../../chains/signer/store.ts'
import { contextOf } from '../../context.ts'
import { migrationFiles, type MigrationFile } from '../../database/migrations.ts'
import { restoreTable, unfinishedReason, unfinishedRestore } from '../../database/restoring.ts'
import { armFault, faultPoint } from '../../kernel/fault.ts'
import { StartError } from '../../kernel/process.ts'
import type { Settings } from '../../settings.ts'
import { migrate } from '../migrate.ts'
import { eraseListed } from '../persons/erase.listed.ts'
import { readErased } from '../persons/erased.list.ts'
import { ArchiveError, checkArchive, readArchive, type ArchiveHead } from './archive.ts'
import { settingsThere, withConnection, withDatabase, type OperatorDatabase } from './connections.ts'
import { demandPath, filesInto, hasChain } from './files.ts'
import { fillAll } from './fill.ts'
import { demandKeys } from './keys.ts'
import { tablesWithRows } from './tables.ts'

/** What a restore told when it was done. */
export interface RestoreReport {
  file: string
  at: string
  rows: number
  files: number
  /** Entries of the list of erased persons in DATA_DIR, and persons who were found by it and are erased again. */
  listed: number
  erased: number
  /** Ids of keys that the signer needs and that are not known here. */
  signerKeysNeeded: string[]
  seconds: number
}

/**
 * Fills an empty instance from an archive, all of it or nothing: makes the schema that the archive was made with, fills
 * it, brings it to today's, and erases again who is on the list of erased persons. Nothing may run on the instance.
 * Whatever ends it, nothing starts on what is there until it has been run again: see `restoreTable`.
 * @throws ArchiveError when the archive is damaged, the instance is not empty, or keys are missing
 */
export async function restore(env: NodeJS.ProcessEnv, file: string): Promise<RestoreReport> {
  const began = performance.now()
  const { head, end } = await checkArchive(file, (part) => { if (part.kind === 'file') demandPath(part.path) })
  const migrations = await migrationsFor(head, file)
  const there = settingsThere(env)
  const signerKeysNeeded = demandKeys(head.keys, there)
  armFault(there.faultPoint)
  return withDatabase(env, true, (database) => withConnection(database.url, async (main) => {
    await demandAlone(main)
    if (!await demandEmpty(database, main, head, migrations)) await fill(file, head, { database, main, migrations })
    faultPoint('restore.filled')
    await migrate(database.url, undefined, true)
    const persons = await eraseAgain({ ...database.settings, databaseUrl: database.url })
    faultPoint('restore.erased')
    await main.query(`drop table public.${restoreTable}`)
    const seconds = Math.round(performance.now() - began) / 1000
    return { file, at: head.at, rows: end.rows, files: end.files, ...persons, signerKeysNeeded, seconds }
  }))
}

/** The migrations that the archive was made with. A landed migration never changes, so they are among those of today. */
async function migrationsFor({ migrations }: ArchiveHead, file: string): Promise<MigrationFile[]> {
  const today = await migrationFiles()
  const unknown = migrations.filter(({ name, checksum }) => !today.some((one) => one.name === name && one.checksum === checksum))
  if (unknown.length > 0) {
    throw new ArchiveError(`${file} was made with migrations that this version does not have (${unknown.map(({ name }) => name).join(', ')}): restore it with the version that made it, or a newer one`)
  }
  const names = new Set(migrations.map(({ name }) => name))
  return today.filter(({ name }) => names.has(name))
}

/** Holds the database for this restore, and refuses one that processes work on. @throws ArchiveError */
async function demandAlone(main: Client): Promise<void> {
  const { rows: [lock] } = await main.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lockNumber}) as taken`)
  if (!lock?.taken) throw new ArchiveError('Another restore into this database is under way')
  const { rows } = await main.query<{ name: string }>(`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'tessera%' order by 1`)
  if (rows.length === 0) return
  throw new ArchiveError(`Processes work on the database (${rows.map(({ name }) => name).join(', ')}): stop them, then restore`)
}

/** A fixed number for the advisory lock of restores. */
const lockNumber = 7_364_202

/**
 * Demands an instance that has nothing, or what this very restore has put there before it was cut short.
 * @returns whether its rows are all there already @throws ArchiveError
 */
async function demandEmpty(
  { settings, signerUrl }: OperatorDatabase, main: Client, head: ArchiveHead, migrations: readonly MigrationFile[],
): Promise<boolean> {
  const begun = await unfinishedRestore(async <Row>(sql: string) => (await main.query(sql)).rows as Row[])
  if (begun?.filled && begun.archive !== head.id) throw new ArchiveError(unfinishedReason(begun))
  if (begun?.filled) return true
  const place = settings.production ? 'The database' : `DATA_DIR ${settings.dataDir}`
  const refused = (what: string) => new ArchiveError(`${place} is not empty (${what}): a backup is restored into an instance that has never been started, or choose another DATA_DIR`)
  // Of an earlier restore that did not come to its end there is nothing but the signer's rows and a chain, which give way.
  const found = begun ? undefined : await whatIsThere({ settings, signerUrl }, main)
  if (found !== undefined) throw refused(found)
  const names = new Set(migrations.map(({ name }) => name))
  const { rows: [made] } = await main.query<{ there: boolean }>(`select to_regclass('knex_migrations') is not null as there`)
  const applied = made?.there ? (await main.query<{ name: string }>('select name from knex_migrations')).rows : []
  if (applied.some(({ name }) => !names.has(name))) throw refused('its schema is newer than that of the backup')
  return false
}

/** Tells what an instance has; undefined where it is empty. */
async function whatIsThere({ settings, signerUrl }: Pick<OperatorDatabase, 'settings' | 'signerUrl'>, main: Client): Promise<string | undefined> {
  const filled = [
    ...await tablesWithRows(main, 'public'),
    ...await withConnection(signerUrl, (signer) => tablesWithRows(signer, 'signer')),
  ]
  if (filled.length > 0) return `${filled.slice(0, 5).join(', ')} ${filled.length === 1 ? 'has' : 'have'} rows`
  return hasChain(settings.dataDir) ? 'it has a chain' : undefined
}

interface Surroundings { database: OperatorDatabase; main: Client; migrations: readonly MigrationFile[] }

/** All rows in a transaction of each role, and all files; what fails takes back all of it. */
async function fill(file: string, head: ArchiveHead, { database, main, migrations }: Surroundings): Promise<void> {
  const { settings, url, signerUrl } = database
  const files = filesInto(settings.dataDir)
  await mark(main, head, file)
  const archive = await readArchive(file)
  try {
    await migrate(url, migrations, true)
    await (await openStore(signerUrl)).close()
    await withConnection(url, (own) => withConnection(signerUrl, (signer) => fillAll(archive, { main: own, signer, files })))
  } catch (cause) {
    await files.abandon().catch(() => undefined)
    // Where the database is gone by now, or one of both commits came through, the mark stays and the next start says so.
    const left = await whatIsThere(database, main).catch(() => 'it cannot be told')
    if (left === undefined) await main.query(`drop table public.${restoreTable}`)
    throw explained(cause, left === undefined)
  } finally {
    archive.close()
  }
}

/** Source: PostgreSQL, appendix A, class 53; errno(3). */
const fullDisk = new Set(['53100', 'ENOSPC', 'EDQUOT'])
/** A server that ended, by the words of the driver and of the system. Source: PostgreSQL, appendix A, classes 08 and 57. */
const lostServer = /^(08|57P)|^(ECONNRESET|ECONNREFUSED|EPIPE)$/

/** What an operator can put right is said in a sentence. */
function explained(cause: unknown, isEmpty: boolean): unknown {
  if (!(cause instanceof Error) || cause instanceof StartError) return cause
  const { code = '', message } = cause as NodeJS.ErrnoException
  const outcome = isEmpty ? 'Nothing was restored' : 'What was begun has to be run again'
  const last = message.split(' - ').at(-1) ?? ''
  if (fullDisk.has(code)) return new ArchiveError(`The disk is full: ${last}. ${outcome}`)
  if (lostServer.test(code) || /^Connection terminated/.test(message)) return new ArchiveError(`The database server ended: ${last}. ${outcome}`)
  return cause
}

/** Says in the database what begins here, before anything else is changed. */
async function mark(main: Client, head: ArchiveHead, file: string): Promise<void> {
  await main.query(`
    begin;
    create table if not exists public.${restoreTable} (archive text not null, file text not null, began timestamptz not null, filled boolean not null);
    delete from public.${restoreTable};
    insert into public.${restoreTable} values (${main.escapeLiteral(head.id)}, ${main.escapeLiteral(file)}, now(), false);
    commit`)
}

async function eraseAgain(settings: Settings): Promise<{ listed: number; erased: number }> {
  const { context, close } = await contextOf({ ...settings, redisUrl: undefined, logLevel: 'silent' }, 'restore')
  try {
    return { listed: readErased(settings).size, ...await eraseListed(context) }
  } finally {
    await close()
  }
}
