import { expect } from 'chai'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import { migrateSchema } from '../../../core/commands/migrate.ts'
import { connectDatabase } from '../../../core/database/connection.ts'
import { listMigrationFiles } from '../../../core/database/migrations.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { describeSchema } from '../../support/database/schema.ts'

describe('Migration 045: rebuilt indexes of lists', function () {
  this.timeout(120_000)
  let server: DatabaseServer
  before(async () => {
    server = await startDatabaseServer()
  })
  after(() => server?.stop())

  async function withDatabase<T>(work: (db: Knex, url: string) => Promise<T>): Promise<T> {
    const { url } = await server.createDatabase()
    const db = connectDatabase({ url, name: 'tests', maxConnections: 2 })
    return work(db, url).finally(() => db.destroy())
  }

  it('goes on where it was cut short, with what was written before and meanwhile', () =>
    withDatabase(async (db, url) => {
      const files = await listMigrationFiles()
      await migrateSchema(
        url,
        files.filter(({ name }) => name < '045' || name > '046'),
      )
      const event = (at: Date) => ({
        id: v7(),
        organization: v7(),
        application: v7(),
        application_name: 'A',
        subject: 'wallet',
        type: 'create',
        created_at: at,
      })
      const at = [new Date(), new Date(Date.now() + 40 * 86_400_000), new Date('2001-01-01')]
      await db('events').insert(at.map(event))
      // One index of all months had come to the first of them, the next one to none; of passports one was there beside the old one.
      const {
        rows: [first],
      } = await db.raw<{ rows: { name: string }[] }>(
        `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1`,
      )
      await db.raw(`create index events_by_created on only events (organization, created_at, id)`)
      await db.raw(`create index ${first?.name}_by_created on ${first?.name} (organization, created_at, id)`)
      await db.raw(`alter index events_by_created attach partition ${first?.name}_by_created`)
      await db.raw('create index events_by_kind on only events (organization, subject, type, created_at, id)')
      await db.raw('create index passports_by_created on passports (organization, created_at, id)')
      expect(await migrateSchema(url)).to.deep.equal(['045_indexes'])
      const schema = await describeSchema(db)
      expect(schema.filter((line) => line.startsWith('index ') && line.includes('valid false'))).to.deep.equal([])
      await withDatabase(async (freshDb, freshUrl) => {
        await migrateSchema(freshUrl)
        const fresh = await describeSchema(freshDb)
        const here = schema.filter((line) => !fresh.includes(line))
        const missing = fresh.filter((line) => !schema.includes(line))
        expect({ here, missing }).to.deep.equal({ here: [], missing: [] })
        expect(schema.length).to.equal(fresh.length)
      })
      await db.raw(`select make_events_month((now() + interval '7 months')::date)`)
      await db('events').insert(event(new Date(Date.now() + 210 * 86_400_000)))
      expect((await db('events').select('id')).length).to.equal(4)
    }))

  it('reads the newest rows of a list backwards from an index, without sorting', () =>
    withDatabase(async (db, url) => {
      await migrateSchema(url)
      const organization = v7()
      await db.raw(
        `insert into events (id, organization, application, application_name, subject, type, created_at)
      select gen_random_uuid(), ?, ?, 'A', 'wallet', 'create', now() - n * interval '1 s' from generate_series(1, 5000) n`,
        [organization, v7()],
      )
      await db.raw('analyze events')
      const { rows } = await db.raw<{ rows: { 'QUERY PLAN': string }[] }>(
        'explain select * from events where organization = ? order by created_at desc, id desc limit 11',
        [organization],
      )
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan)
        .to.contain('Index Scan Backward')
        .and.not.match(/-> +(Incremental )?Sort /)
    }))
})
