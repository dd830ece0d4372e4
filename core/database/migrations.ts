import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Knex } from 'knex'
import { StartError } from '../kernel/process/process.ts'
import { formatUnfinishedReason, findUnfinishedRestore } from './restore-state.ts'

/** The exports of a file of the migrations folder. */
export interface Migration {
  up(knex: Knex): Promise<void>
  /**
   * False for a migration that PostgreSQL refuses in a transaction, such as a concurrent index build. It must be
   * repeatable after an interruption.
   */
  transaction?: false
  /** Whether the migration runs before all others that are missing, because it repairs what they build on. */
  repairs?: true
}

/** A file of the migrations folder; its name has no extension. */
export interface MigrationFile {
  name: string
  path: string
  checksum: string
}

/** Thrown if this version cannot work with the schema of the database. */
export class MigrationError extends StartError {
  override name = 'MigrationError'
}

const migrationsFolder = fileURLToPath(new URL('./migrations/', import.meta.url))

/** Lists the migration files in the order of their numbers. */
export async function listMigrationFiles(folder = migrationsFolder): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{3}_\w+\.ts$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      return {
        name: name.replace(/\.ts$/, ''),
        path,
        checksum: createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      }
    }),
  )
}

interface AppliedMigration {
  name: string
  checksum: string | null
}

/**
 * Applies the missing migrations, each in one transaction with its record, so that a run that was interrupted is
 * continued after the last completed migration. @param restoring whether a restore calls this function
 * @returns the names of the applied migrations
 * @throws MigrationError, before anything is changed, if an applied migration is unknown or differs from its present
 * file, or if the database has an unfinished restore
 */
export async function applyMigrations(db: Knex, files: readonly MigrationFile[], restoring = false): Promise<string[]> {
  if (!restoring) await assertNoUnfinishedRestore(db)
  await db.raw(migrationTableSql)
  const applied = await listAppliedMigrations(db)
  assertNoReasons([...describeUnknownMigrations(applied, files), ...describeChangedMigrations(applied, files)])
  const known = new Set(applied.map(({ name }) => name))
  const missing = await Promise.all(
    files
      .filter(({ name }) => !known.has(name))
      .map(async (file) => ({ file, migration: (await import(pathToFileURL(file.path).href)) as Migration })),
  )
  const {
    rows: [last],
  } = await db.raw<{ rows: { batch: number }[] }>('select coalesce(max(batch), 0)::int as batch from knex_migrations')
  const batch = (last?.batch ?? 0) + 1
  const isRepair = ({ migration }: { migration: Migration }) => migration.repairs === true
  for (const { file, migration } of [...missing.filter(isRepair), ...missing.filter((one) => !isRepair(one))]) {
    const applyTo = async (knex: Knex) => {
      await migration.up(knex)
      await knex('knex_migrations').insert({
        name: file.name,
        batch,
        migration_time: new Date(),
        checksum: file.checksum,
      })
    }
    await (migration.transaction === false ? applyTo(db) : db.transaction(applyTo))
  }
  // These migrations were applied before checksums were recorded. The repair migration has brought them to the state
  // that the present files create.
  for (const { name } of applied.filter(({ checksum }) => checksum === null)) {
    await db('knex_migrations')
      .where({ name })
      .update({ checksum: files.find((file) => file.name === name)?.checksum })
  }
  return missing.map(({ file }) => file.name)
}

async function assertNoUnfinishedRestore(db: Knex): Promise<void> {
  const state = await findUnfinishedRestore(async <Row>(sql: string) => (await db.raw<{ rows: Row[] }>(sql)).rows)
  if (state) assertNoReasons([formatUnfinishedReason(state)])
}

/**
 * Refuses a database with changed migrations or an unfinished restore, for processes that do not migrate. A database
 * that does not answer is accepted; so is one that a newer version has migrated. @throws MigrationError
 */
export async function assertMigrationsUnchanged(db: Knex): Promise<void> {
  try {
    await assertNoUnfinishedRestore(db)
    const {
      rows: [found],
    } = await db.raw<{ rows: { there: boolean }[] }>(`select exists (
      select from pg_attribute where attrelid = to_regclass('knex_migrations') and attname = 'checksum') as there`)
    if (found?.there)
      assertNoReasons(describeChangedMigrations(await listAppliedMigrations(db), await listMigrationFiles()))
  } catch (cause) {
    if (cause instanceof MigrationError) throw cause
  }
}

const listAppliedMigrations = async (db: Knex): Promise<AppliedMigration[]> =>
  db('knex_migrations').orderBy('id').select<AppliedMigration[]>('name', 'checksum')

function describeChangedMigrations(applied: readonly AppliedMigration[], files: readonly MigrationFile[]): string[] {
  return applied.flatMap(({ name, checksum }) => {
    const file = files.find((one) => one.name === name)
    if (!file || checksum === null || checksum === file.checksum) return []
    return [
      `Migration ${name} is not the one that this database was made with (its file was ${checksum.slice(0, 12)} and is ${file.checksum.slice(
        0,
        12,
      )}): a landed migration never changes, so restore the file and add another migration`,
    ]
  })
}

const describeUnknownMigrations = (applied: readonly AppliedMigration[], files: readonly MigrationFile[]): string[] =>
  applied
    .filter(({ name }) => !files.some((file) => file.name === name))
    .map(
      ({ name }) =>
        `The database has migration ${name}, which this version does not know: start the version that made it, or a newer one`,
    )

function assertNoReasons(reasons: readonly string[]): void {
  if (reasons.length > 0) throw new MigrationError(reasons)
}

/** SQL of the table that knex created, with an additional checksum of each migration's file. */
const migrationTableSql = `
  create table if not exists knex_migrations (
    id serial primary key, name varchar(255), batch integer, migration_time timestamptz
  );
  alter table knex_migrations add column if not exists checksum text;
  drop table if exists knex_migrations_lock;
`

/**
 * Builds an index without blocking writes, in a migration without a transaction. First removes what an interrupted
 * build has left. @param definition everything after the name: `on <table> (<columns>) …`
 */
export async function buildIndexConcurrently(
  knex: Knex,
  name: string,
  definition: string,
  unique = false,
): Promise<void> {
  await knex.raw(`drop index concurrently if exists ${name}`)
  await knex.raw(`create ${unique ? 'unique ' : ''}index concurrently ${name} ${definition}`)
}
