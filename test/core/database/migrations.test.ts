import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { migrate } from '../../../core/commands/migrate.ts'
import { connect } from '../../../core/database/connection.ts'
import { migrationFiles, type MigrationFile } from '../../../core/database/migrations.ts'
import { adminOn } from '../../support/admin.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database-server.ts'
import { finalChecksums } from '../../support/landed.ts'
import { removeFolder, startPlatform, temporaryFolder } from '../../support/platform.ts'

describe('Migrations', function () {
  this.timeout(120_000)
  let server: DatabaseServer
  let folder: string
  before(async () => { server = await startDatabaseServer() })
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'tessera-test-migrations-')) })
  afterEach(() => rmSync(folder, { recursive: true }))
  after(() => server?.stop())

  /** Writes migrations of SQL into the folder. @param texts by name */
  async function write(texts: Record<string, string>, head = ''): Promise<MigrationFile[]> {
    for (const [name, sql] of Object.entries(texts)) {
      writeFileSync(join(folder, `${name}.ts`), `${head}\nexport const up = (knex) => knex.raw(\`${sql}\`)\n`)
    }
    return migrationFiles(folder)
  }

  async function withDatabase<T>(work: (db: Knex, url: string) => Promise<T>): Promise<T> {
    const { url } = await server.database()
    const db = connect({ url, name: 'tests', max: 2 })
    return work(db, url).finally(() => db.destroy())
  }

  const rejection = (promise: Promise<unknown>) => promise.then(() => { throw new Error('Nothing was refused') }, (cause: Error) => cause)
  const namesIn = async (db: Knex) => (await db('knex_migrations').orderBy('id').select<{ name: string }[]>('name')).map(({ name }) => name)

  it('no limit of time ends a statement of theirs, whatever the database has by itself', () => withDatabase(async (db, url) => {
    await db.raw(`do $$ begin execute format('alter database %I set statement_timeout = 50', current_database()); end $$`)
    await migrate(url, await write({ '001_slow': 'select pg_sleep(0.2); create table limits as select current_setting(\'statement_timeout\') as statement' }))
    expect(await db('limits').first()).to.deep.equal({ statement: '0' })
  }))

  it('what failed leaves those before it, and is done when it is right', () => withDatabase(async (db, url) => {
    const texts = { '001_one': 'create table one ()', '002_two': 'create table two (); select 1 / 0', '003_three': 'create table three ()' }
    expect((await rejection(migrate(url, await write(texts)))).message).to.contain('division by zero')
    expect(await namesIn(db)).to.deep.equal(['001_one'])
    expect(await db.schema.hasTable('two')).to.equal(false)
    writeFileSync(join(folder, '004_two.ts'), `export const up = (knex) => knex.raw('create table two ()')`)
    rmSync(join(folder, '002_two.ts'))
    expect(await migrate(url, await migrationFiles(folder))).to.deep.equal(['003_three', '004_two'])
    expect(await migrate(url, await migrationFiles(folder))).to.deep.equal([])
  }))

  it('builds indexes beside writers and beside a second start that waits', () => withDatabase(async (db, url) => {
    await migrate(url, await write({ '001_rows': 'create table rows as select n from generate_series(1, 1000) n' }))
    const builder = new URL('../../../core/database/migrations.ts', import.meta.url).href
    writeFileSync(join(folder, '002_index.ts'), `
      import { buildIndexConcurrently } from '${builder}'
      export const transaction = false
      export const up = (knex) => buildIndexConcurrently(knex, 'rows_n', 'on rows (n)')`)
    // What a build that was cut short leaves.
    await db.raw('create index rows_n on rows (n)')
    const writer = await db.transaction()
    await writer.raw('insert into rows values (0)')
    const files = await migrationFiles(folder)
    const starts = Promise.all([migrate(url, files), migrate(url, files)])
    const isBuilding = async () => (await db.raw<{ rowCount: number }>(
      `select from pg_stat_progress_create_index where command = 'CREATE INDEX CONCURRENTLY'`)).rowCount > 0
    const isDropping = async () => (await db.raw<{ rowCount: number }>(
      `select from pg_stat_activity where query ~ '^drop index concurrently' and wait_event_type = 'Lock'`)).rowCount > 0
    while (!(await isBuilding()) && !(await isDropping()));
    await writer.raw('insert into rows values (-1)')
    await writer.commit()
    expect((await starts).flat()).to.deep.equal(['002_index'])
    const { rows } = await db.raw<{ rows: unknown[] }>(`select indisvalid as valid from pg_index where indexrelid = 'rows_n'::regclass`)
    expect(rows).to.deep.equal([{ valid: true }])
  }))

  it('one that changed after it was applied is refused by name, before anything else is done', () => withDatabase(async (db, url) => {
    await migrate(url, await write({ '001_one': 'create table one ()' }))
    const files = await write({ '001_one': 'create table one (n int)', '002_two': 'create table two ()' })
    const { message, name } = await rejection(migrate(url, files))
    expect(name).to.equal('MigrationError')
    expect(message).to.match(/^Migration 001_one is not the one that this database was made with/)
    expect(await namesIn(db)).to.deep.equal(['001_one'])
  }))

  it('one that this version does not know is refused by name', () => withDatabase(async (_db, url) => {
    await migrate(url, await write({ '001_one': 'create table one ()', '002_newer': 'create table two ()' }))
    rmSync(join(folder, '002_newer.ts'))
    expect((await rejection(migrate(url, await migrationFiles(folder)))).message).to.contain('The database has migration 002_newer')
  }))

  it('those that had landed when their checksums were kept are as they were', async () => {
    const today = Object.fromEntries((await migrationFiles()).map(({ name, checksum }) => [name, checksum.slice(0, 16)]))
    expect(Object.entries(finalChecksums).filter(([name, sum]) => today[name] !== sum)).to.deep.equal([])
    expect(Object.keys(finalChecksums).length).to.be.above(30)
  })

  it('start, API, worker and `admin migrate` refuse a database with another one by name', async () => {
    const dataDir = temporaryFolder()
    try {
      const platform = await startPlatform({ dataDir, giveUp: () => undefined })
      const db = connect({ url: platform.database, name: 'tests', max: 1 })
      await db('knex_migrations').where({ name: '017_open' }).update({ checksum: 'another' })
      await db.destroy()
      const told = 'Migration 017_open is not the one that this database was made with'
      const command = await adminOn(dataDir, 'migrate')
      expect(command.code).to.equal(1)
      expect(command.err).to.match(new RegExp(`^${told}[^\\n]*\\n$`))
      const firstLines = platform.lines.length
      for (const name of ['server', 'worker'] as const) process.kill(platform.children[name].pid ?? 0, 'SIGTERM')
      const isTold = (name: string) => platform.lines.slice(firstLines).some((line) => line.startsWith(name) && line.includes(told))
      for (const name of ['server', 'worker']) while (!isTold(name)) await new Promise((resolve) => { setTimeout(resolve, 50) })
      await platform.stop()
      expect((await rejection(startPlatform({ dataDir }))).message).to.contain(told)
    } finally {
      await removeFolder(dataDir)
    }
  })
})
