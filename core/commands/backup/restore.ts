import type { Client } from 'pg'
import { openSignerStore } from '../../chains/signer/store.ts'
import { createContext } from '../../app/context.ts'
import { isConnectionLost } from '../../database/connection.ts'
import { listMigrationFiles, type MigrationFile } from '../../database/migrations.ts'
import { restoreTable, formatUnfinishedReason, findUnfinishedRestore } from '../../database/restore-state.ts'
import { armFaultPoint, hitFaultPoint } from '../../kernel/process/fault-points.ts'
import { StartError } from '../../kernel/process/process.ts'
import type { Settings } from '../../app/settings.ts'
import { migrateSchema } from '../migrate.ts'
import { eraseListedPersons } from '../persons/erase.listed.ts'
import { readErased } from '../persons/erased.list.ts'
import { ArchiveError, checkArchive, readArchive, type ArchiveHead } from './archive.ts'
import { readPresentSettings, withConnection, withDatabase, type OperatorDatabase } from './connections.ts'
import { assertAllowedPath, createRestoredFiles, hasChain } from './files.ts'
import { fillInstance } from './fill.ts'
import { assertKeysPresent } from './keys.ts'
import { findTablesWithRows } from './tables.ts'

/** The result of a restore. */
export interface RestoreReport {
  file: string
  at: string
  rows: number
  files: number
  /**
   * Number of entries in the list of erased persons of DATA_DIR, and number of persons found by it and erased again.
   */
  listed: number
  erased: number
  /** Ids of the keys that the signer needs and that are not known here. */
  signerKeysNeeded: string[]
  seconds: number
}

/**
 * Fills an empty instance from an archive, completely or not at all. Creates the schema that the archive was made with,
 * fills it, migrates it to the newest schema, and again erases the persons on the list of erased persons. Nothing may
 * run on the instance. If the restore is interrupted, nothing starts on the instance until the restore has been run
 * again; see `restoreTable`.
 * @throws ArchiveError if the archive is damaged, the instance is not empty, or keys are missing
 */
export async function restoreBackup(env: NodeJS.ProcessEnv, file: string): Promise<RestoreReport> {
  const startedAt = performance.now()
  const { head, end } = await checkArchive(file, (part) => {
    if (part.kind === 'file') assertAllowedPath(part.path)
  })
  const migrations = await selectMigrations(head, file)
  const presentSettings = readPresentSettings(env)
  const signerKeysNeeded = assertKeysPresent(head.keys, presentSettings)
  armFaultPoint(presentSettings.faultPoint)
  return withDatabase(env, true, (database) =>
    withConnection(database.url, async (main) => {
      await lockIdleDatabase(main)
      if (!(await assertEmptyInstance(database, main, head, migrations)))
        await fillFromArchive(file, head, { database, main, migrations })
      hitFaultPoint('restore.filled')
      await migrateSchema(database.url, undefined, true)
      const persons = await eraseAgainFromList({ ...database.settings, databaseUrl: database.url })
      hitFaultPoint('restore.erased')
      await main.query(`drop table public.${restoreTable}`)
      const seconds = Math.round(performance.now() - startedAt) / 1000
      return { file, at: head.at, rows: end.rows, files: end.files, ...persons, signerKeysNeeded, seconds }
    }),
  )
}

/**
 * Selects the migrations that the archive was made with. A released migration never changes, so the archive's are among
 * the present ones.
 * @throws ArchiveError if one of them is unknown
 */
async function selectMigrations({ migrations }: ArchiveHead, file: string): Promise<MigrationFile[]> {
  const today = await listMigrationFiles()
  const unknown = migrations.filter(
    ({ name, checksum }) => !today.some((one) => one.name === name && one.checksum === checksum),
  )
  if (unknown.length > 0) {
    throw new ArchiveError(
      `${file} was made with migrations that this version does not have (${unknown.map(({ name }) => name).join(', ')}): restore it with the version that made it, or a newer one`,
    )
  }
  const names = new Set(migrations.map(({ name }) => name))
  return today.filter(({ name }) => names.has(name))
}

/** Locks the database for this restore. @throws ArchiveError if processes work on the database */
async function lockIdleDatabase(main: Client): Promise<void> {
  const {
    rows: [lock],
  } = await main.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lockNumber}) as taken`)
  if (!lock?.taken) throw new ArchiveError('Another restore into this database is under way')
  const { rows } = await main.query<{ name: string }>(`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'tessera%' order by 1`)
  if (rows.length === 0) return
  throw new ArchiveError(
    `Processes work on the database (${rows.map(({ name }) => name).join(', ')}): stop them, then restore`,
  )
}

/** A fixed number for the advisory lock of restores. */
const lockNumber = 7_364_204

/**
 * Throws unless the instance is empty, or has only what an interrupted run of this same restore put there.
 * @returns whether all rows are already there
 * @throws ArchiveError
 */
async function assertEmptyInstance(
  { settings, signerUrl }: OperatorDatabase,
  main: Client,
  head: ArchiveHead,
  migrations: readonly MigrationFile[],
): Promise<boolean> {
  const begun = await findUnfinishedRestore(async <Row>(sql: string) => (await main.query(sql)).rows as Row[])
  if (begun?.filled && begun.archive !== head.id) throw new ArchiveError(formatUnfinishedReason(begun))
  if (begun?.filled) return true
  const place = settings.production ? 'The database' : `DATA_DIR ${settings.dataDir}`
  const refused = (what: string) =>
    new ArchiveError(
      `${place} is not empty (${what}): a backup is restored into an instance that has never been started, or choose another DATA_DIR`,
    )
  // An earlier restore that was interrupted leaves only the signer's rows and a chain, which are replaced.
  const found = begun ? undefined : await findContent({ settings, signerUrl }, main)
  if (found !== undefined) throw refused(found)
  const names = new Set(migrations.map(({ name }) => name))
  const {
    rows: [made],
  } = await main.query<{ there: boolean }>(`select to_regclass('knex_migrations') is not null as there`)
  const applied = made?.there ? (await main.query<{ name: string }>('select name from knex_migrations')).rows : []
  if (applied.some(({ name }) => !names.has(name))) throw refused('its schema is newer than that of the backup')
  return false
}

/** Describes the content of an instance. @returns undefined if the instance is empty */
async function findContent(
  { settings, signerUrl }: Pick<OperatorDatabase, 'settings' | 'signerUrl'>,
  main: Client,
): Promise<string | undefined> {
  const filled = [
    ...(await findTablesWithRows(main, 'public')),
    ...(await withConnection(signerUrl, (signer) => findTablesWithRows(signer, 'signer'))),
  ]
  if (filled.length > 0) return `${filled.slice(0, 5).join(', ')} ${filled.length === 1 ? 'has' : 'have'} rows`
  return hasChain(settings.dataDir) ? 'it has a chain' : undefined
}

interface RestoreContext {
  database: OperatorDatabase
  main: Client
  migrations: readonly MigrationFile[]
}

/** Restores all rows, in one transaction for each role, and all files. A failure undoes everything. */
async function fillFromArchive(
  file: string,
  head: ArchiveHead,
  { database, main, migrations }: RestoreContext,
): Promise<void> {
  const { settings, url, signerUrl } = database
  const files = createRestoredFiles(settings.dataDir)
  await markRestore(main, head, file)
  const archive = await readArchive(file)
  try {
    await migrateSchema(url, migrations, true)
    await (await openSignerStore(signerUrl)).close()
    await withConnection(url, (own) =>
      withConnection(signerUrl, (signer) => fillInstance(archive, { main: own, signer, files })),
    )
  } catch (cause) {
    await files.abandon().catch(() => undefined)
    // If the database is gone, or one of the two commits succeeded, the mark stays and the next start reports it.
    const left = await findContent(database, main).catch(() => 'it cannot be told')
    if (left === undefined) await main.query(`drop table public.${restoreTable}`)
    throw explainFailure(cause, left === undefined)
  } finally {
    archive.close()
  }
}

/** The error codes of a full disk. Source: PostgreSQL, appendix A, class 53; errno(3). */
const fullDiskCodes = new Set(['53100', 'ENOSPC', 'EDQUOT'])

/** Converts a failure that an operator can correct to an error whose message is a sentence. */
function explainFailure(cause: unknown, isEmpty: boolean): unknown {
  if (!(cause instanceof Error) || cause instanceof StartError) return cause
  const { code = '', message } = cause as NodeJS.ErrnoException
  const outcome = isEmpty ? 'Nothing was restored' : 'What was begun has to be run again'
  const last = message.split(' - ').at(-1) ?? ''
  if (fullDiskCodes.has(code)) return new ArchiveError(`The disk is full: ${last}. ${outcome}`)
  if (isConnectionLost(cause)) return new ArchiveError(`The database server ended: ${last}. ${outcome}`)
  return cause
}

/** Records in the database which restore begins, before anything else is changed. */
async function markRestore(main: Client, head: ArchiveHead, file: string): Promise<void> {
  await main.query(`
    begin;
    create table if not exists public.${restoreTable} (archive text not null, file text not null, began timestamptz not null, filled boolean not null);
    delete from public.${restoreTable};
    insert into public.${restoreTable} values (${main.escapeLiteral(head.id)}, ${main.escapeLiteral(file)}, now(), false);
    commit`)
}

async function eraseAgainFromList(settings: Settings): Promise<{ listed: number; erased: number }> {
  const { context, close } = await createContext({ ...settings, redisUrl: undefined, logLevel: 'silent' }, 'restore')
  try {
    return { listed: readErased(settings).size, ...(await eraseListedPersons(context)) }
  } finally {
    await close()
  }
}
