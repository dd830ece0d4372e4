import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Knex } from 'knex'
import { StartError } from '../kernel/process.ts'
import { unfinishedReason, unfinishedRestore } from './restoring.ts'

/** What a file of the migrations folder exports. */
export interface Migration {
  up(knex: Knex): Promise<void>
  /** False for what PostgreSQL refuses in a transaction, such as an index that is built concurrently. It has to bear being cut short. */
  transaction?: false
  /** Goes before all others that a database lacks, as it puts right what those build on. */
  repairs?: true
}

/** A file of the migrations folder by its name without the ending. */
export interface MigrationFile { name: string; path: string; checksum: string }

/** The schema of a database is not one that this version can work with. */
export class MigrationError extends StartError {
  override name = 'MigrationError'
}

const migrationsFolder = fileURLToPath(new URL('./migrations/', import.meta.url))

/** Reads which migrations there are, in the order of their numbers. */
export async function migrationFiles(folder = migrationsFolder): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{3}_\w+\.ts$/.test(name)).sort()
  return Promise.all(names.map(async (name) => {
    const path = join(folder, name)
    return { name: name.replace(/\.ts$/, ''), path, checksum: createHash('sha256').update(await readFile(path)).digest('hex') }
  }))
}

interface AppliedMigration { name: string; checksum: string | null }

/**
 * Applies what a database lacks, each migration in a transaction with its record, so that whatever ends this, the next
 * run goes on behind the last one that is done. @param restoring whether it is a restore that asks
 * @returns the names of what was applied @throws MigrationError when a migration that was applied is not the one of
 * today, or half a backup is in the database, before anything is changed
 */
export async function applyMigrations(db: Knex, files: readonly MigrationFile[], restoring = false): Promise<string[]> {
  if (!restoring) await refuseHalfRestored(db)
  await db.raw(recordTable)
  const applied = await appliedMigrations(db)
  refuse([...unknown(applied, files), ...changed(applied, files)])
  const known = new Set(applied.map(({ name }) => name))
  const missing = await Promise.all(files.filter(({ name }) => !known.has(name)).map(async (file) =>
    ({ file, migration: await import(pathToFileURL(file.path).href) as Migration })))
  const { rows: [last] } = await db.raw<{ rows: { batch: number }[] }>('select coalesce(max(batch), 0)::int as batch from knex_migrations')
  const batch = (last?.batch ?? 0) + 1
  const isRepair = ({ migration }: { migration: Migration }) => migration.repairs === true
  for (const { file, migration } of [...missing.filter(isRepair), ...missing.filter((one) => !isRepair(one))]) {
    const applyTo = async (knex: Knex) => {
      await migration.up(knex)
      await knex('knex_migrations').insert({ name: file.name, batch, migration_time: new Date(), checksum: file.checksum })
    }
    await (migration.transaction === false ? applyTo(db) : db.transaction(applyTo))
  }
  // Of before there were checksums: the repair has made of them what the files of today make.
  for (const { name } of applied.filter(({ checksum }) => checksum === null)) {
    await db('knex_migrations').where({ name }).update({ checksum: files.find((file) => file.name === name)?.checksum })
  }
  return missing.map(({ file }) => file.name)
}

async function refuseHalfRestored(db: Knex): Promise<void> {
  const state = await unfinishedRestore(async <Row>(sql: string) => (await db.raw<{ rows: Row[] }>(sql)).rows)
  if (state) refuse([unfinishedReason(state)])
}

/**
 * Refuses a database whose migrations are not those of today, or that has half a backup, for processes that migrate nothing themselves. One that
 * is away now is no reason, nor one that a newer version has migrated already. @throws MigrationError
 */
export async function refuseChangedMigrations(db: Knex): Promise<void> {
  try {
    await refuseHalfRestored(db)
    const { rows: [found] } = await db.raw<{ rows: { there: boolean }[] }>(`select exists (
      select from pg_attribute where attrelid = to_regclass('knex_migrations') and attname = 'checksum') as there`)
    if (found?.there) refuse(changed(await appliedMigrations(db), await migrationFiles()))
  } catch (cause) {
    if (cause instanceof MigrationError) throw cause
  }
}

const appliedMigrations = async (db: Knex): Promise<AppliedMigration[]> =>
  db('knex_migrations').orderBy('id').select<AppliedMigration[]>('name', 'checksum')

function changed(applied: readonly AppliedMigration[], files: readonly MigrationFile[]): string[] {
  return applied.flatMap(({ name, checksum }) => {
    const file = files.find((one) => one.name === name)
    if (!file || checksum === null || checksum === file.checksum) return []
    return [`Migration ${name} is not the one that this database was made with (its file was ${checksum.slice(0, 12)} and is ${
      file.checksum.slice(0, 12)}): a landed migration never changes, so restore the file and add another migration`]
  })
}

const unknown = (applied: readonly AppliedMigration[], files: readonly MigrationFile[]): string[] =>
  applied.filter(({ name }) => !files.some((file) => file.name === name)).map(({ name }) =>
    `The database has migration ${name}, which this version does not know: start the version that made it, or a newer one`)

function refuse(reasons: readonly string[]): void {
  if (reasons.length > 0) throw new MigrationError(reasons)
}

/** As knex made it, and what the file of each migration was. */
const recordTable = `
  create table if not exists knex_migrations (
    id serial primary key, name varchar(255), batch integer, migration_time timestamptz
  );
  alter table knex_migrations add column if not exists checksum text;
  drop table if exists knex_migrations_lock;
`

/**
 * Builds an index while others write, in a migration without a transaction. What a build that was cut short has left is
 * removed first. @param definition everything behind the name: `on <table> (<columns>) …`
 */
export async function buildIndexConcurrently(knex: Knex, name: string, definition: string, unique = false): Promise<void> {
  await knex.raw(`drop index concurrently if exists ${name}`)
  await knex.raw(`create ${unique ? 'unique ' : ''}index concurrently ${name} ${definition}`)
}
