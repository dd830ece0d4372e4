import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { migrateSchema } from '../../../core/commands/migrate.ts'
import { connectDatabase } from '../../../core/database/connection.ts'
import { listMigrationFiles, type MigrationFile } from '../../../core/database/migrations.ts'
import { runAdmin } from '../../support/admin-command.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { finalChecksums } from '../../support/database/landed-migrations.ts'
import { removeFolder, createTemporaryFolder } from '../../support/folders.ts'
import { startPlatform } from '../../support/own-platform.ts'

describe('Migrations', function () {
  this.timeout(120_000)
  let server: DatabaseServer
  let folder: string
  before(async () => {
    server = await startDatabaseServer()
  })
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tessera-test-migrations-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  after(() => server?.stop())

  /** Writes migrations of SQL into the folder. @param texts by name */
  async function write(texts: Record<string, string>, head = ''): Promise<MigrationFile[]> {
    for (const [name, sql] of Object.entries(texts)) {
      writeFileSync(join(folder, `${name}.ts`), `${head}\nexport const up = (knex) => knex.raw(\`${sql}\`)\n`)
    }
    return listMigrationFiles(folder)
  }

  async function withDatabase<T>(work: (db: Knex, url: string) => Promise<T>): Promise<T> {
    const { url } = await server.createDatabase()
    const db = connectDatabase({ url, name: 'tests', maxConnections: 2 })
    return work(db, url).finally(() => db.destroy())
  }

  const rejection = (promise: Promise<unknown>) =>
    promise.then(
      () => {
        throw new Error('Nothing was refused')
      },
      (cause: Error) => cause,
    )
  const namesIn = async (db: Knex) =>
    (await db('knex_migrations').orderBy('id').select<{ name: string }[]>('name')).map(({ name }) => name)

  it('run without a statement timeout, whatever the database has set', () =>
    withDatabase(async (db, url) => {
      await db.raw(
        `do $$ begin execute format('alter database %I set statement_timeout = 50', current_database()); end $$`,
      )
      await migrateSchema(
        url,
        await write({
          '001_slow':
            "select pg_sleep(0.2); create table limits as select current_setting('statement_timeout') as statement",
        }),
      )
      expect(await db('limits').first()).to.deep.equal({ statement: '0' })
    }))

  it('keep those before a failed one, which is applied once it is corrected', () =>
    withDatabase(async (db, url) => {
      const texts = {
        '001_one': 'create table one ()',
        '002_two': 'create table two (); select 1 / 0',
        '003_three': 'create table three ()',
      }
      expect((await rejection(migrateSchema(url, await write(texts)))).message).to.contain('division by zero')
      expect(await namesIn(db)).to.deep.equal(['001_one'])
      expect(await db.schema.hasTable('two')).to.equal(false)
      writeFileSync(join(folder, '004_two.ts'), `export const up = (knex) => knex.raw('create table two ()')`)
      rmSync(join(folder, '002_two.ts'))
      expect(await migrateSchema(url, await listMigrationFiles(folder))).to.deep.equal(['003_three', '004_two'])
      expect(await migrateSchema(url, await listMigrationFiles(folder))).to.deep.equal([])
      expect(await db('knex_migrations').orderBy('id').select('name', 'batch'), 'with the run of each').to.deep.equal([
        { name: '001_one', batch: 1 },
        { name: '003_three', batch: 2 },
        { name: '004_two', batch: 2 },
      ])
    }))

  it('begin with a repair, whatever its number', () =>
    withDatabase(async (db, url) => {
      await write({ '002_repair': 'create table repaired ()' }, 'export const repairs = true')
      const files = await write({ '001_one': 'create table one ()', '003_three': 'create table three ()' })
      await migrateSchema(url, files)
      expect(await namesIn(db)).to.deep.equal(['002_repair', '001_one', '003_three'])
    }))

  it('builds indexes beside writers and beside a second start that waits', () =>
    withDatabase(async (db, url) => {
      await migrateSchema(
        url,
        await write({ '001_rows': 'create table rows as select n from generate_series(1, 1000) n' }),
      )
      const builder = new URL('../../../core/database/migrations.ts', import.meta.url).href
      writeFileSync(
        join(folder, '002_index.ts'),
        `
      import { buildIndexConcurrently } from '${builder}'
      export const transaction = false
      export const up = (knex) => buildIndexConcurrently(knex, 'rows_n', 'on rows (n)')`,
      )
      // What a build that was cut short leaves.
      await db.raw('create index rows_n on rows (n)')
      const writer = await db.transaction()
      await writer.raw('insert into rows values (0)')
      const files = await listMigrationFiles(folder)
      const starts = Promise.all([migrateSchema(url, files), migrateSchema(url, files)])
      const isBuilding = async () =>
        (
          await db.raw<{ rowCount: number }>(
            `select from pg_stat_progress_create_index where command = 'CREATE INDEX CONCURRENTLY'`,
          )
        ).rowCount > 0
      const isDropping = async () =>
        (
          await db.raw<{ rowCount: number }>(
            `select from pg_stat_activity where query ~ '^drop index concurrently' and wait_event_type = 'Lock'`,
          )
        ).rowCount > 0
      while (!(await isBuilding()) && !(await isDropping()));
      await writer.raw('insert into rows values (-1)')
      await writer.commit()
      expect((await starts).flat()).to.deep.equal(['002_index'])
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `select indisvalid as valid, indisunique as unique from pg_index where indexrelid = 'rows_n'::regclass`,
      )
      expect(rows).to.deep.equal([{ valid: true, unique: false }])
    }))

  it('refuse one by name that changed after it was applied, before anything else', () =>
    withDatabase(async (db, url) => {
      await migrateSchema(url, await write({ '001_one': 'create table one ()' }))
      const files = await write({ '001_one': 'create table one (n int)', '002_two': 'create table two ()' })
      const { message, name } = await rejection(migrateSchema(url, files))
      expect(name).to.equal('MigrationError')
      expect(message).to.match(
        /^Migration 001_one is not the one that this database was made with \(its file was [0-9a-f]{12} and is [0-9a-f]{12}\)/,
      )
      expect(await namesIn(db)).to.deep.equal(['001_one'])
    }))

  it('refuse one by name that this version does not know', () =>
    withDatabase(async (_db, url) => {
      await migrateSchema(url, await write({ '001_one': 'create table one ()', '002_newer': 'create table two ()' }))
      rmSync(join(folder, '002_newer.ts'))
      expect((await rejection(migrateSchema(url, await listMigrationFiles(folder)))).message).to.contain(
        'The database has migration 002_newer',
      )
    }))

  it('keep the checksums that they were released with', async () => {
    const today = Object.fromEntries(
      (await listMigrationFiles()).map(({ name, checksum }) => [name, checksum.slice(0, 16)]),
    )
    expect(Object.entries(finalChecksums).filter(([name, sum]) => today[name] !== sum)).to.deep.equal([])
    expect(Object.keys(finalChecksums).length).to.be.above(30)
  })

  it('start, API, worker and `admin migrate` refuse a database with another one by name', async () => {
    const dataDir = createTemporaryFolder()
    try {
      const platform = await startPlatform({ dataDir, giveUp: () => undefined })
      const db = connectDatabase({ url: platform.database, name: 'tests', maxConnections: 1 })
      await db('knex_migrations').where({ name: '017_open' }).update({ checksum: 'another' })
      await db.destroy()
      const expectedMessage = 'Migration 017_open is not the one that this database was made with'
      const command = await runAdmin(dataDir, 'migrate')
      expect(command.code).to.equal(1)
      expect(command.err).to.match(new RegExp(`^${expectedMessage}[^\\n]*\\n$`))
      const firstLines = platform.lines.length
      for (const name of ['server', 'worker'] as const) process.kill(platform.children[name].pid ?? 0, 'SIGTERM')
      const isLogged = (name: string) =>
        platform.lines.slice(firstLines).some((line) => line.startsWith(name) && line.includes(expectedMessage))
      for (const name of ['server', 'worker'])
        while (!isLogged(name))
          await new Promise((resolve) => {
            setTimeout(resolve, 50)
          })
      await platform.stop()
      expect((await rejection(startPlatform({ dataDir }))).message).to.contain(expectedMessage)
    } finally {
      await removeFolder(dataDir)
    }
  })
})
