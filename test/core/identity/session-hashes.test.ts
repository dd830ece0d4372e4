import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { migrate } from '../../../core/commands/migrate.ts'
import { connect } from '../../../core/database/connection.ts'
import type { Part } from '../../../core/embedded/part.ts'
import { startPostgres } from '../../../core/embedded/postgres.ts'
import { migrationsBefore } from '../../support/migrations.ts'
import { removeFolder, temporaryFolder } from '../../support/platform.ts'
import { operatorOf } from './people.ts'

describe('Migration 027 on a database where people are signed in', function () {
  this.timeout(120_000)
  let dataDir: string
  let database: Part
  let db: Knex
  before(async () => {
    dataDir = temporaryFolder()
    database = await startPostgres({ dataDir, durable: false, giveUp: (cause) => { throw cause } })
    db = connect({ url: database.url, name: 'tests', max: 2 })
    await db.migrate.latest({ migrationSource: migrationsBefore('027') })
  })
  after(async () => {
    await db?.destroy()
    await database?.stop()
    await removeFolder(dataDir)
  })

  it('keeps them signed in, and leaves no token that a copy of the database could use', async () => {
    const user = randomUUID()
    const token = 'abcdefghijklmnopqrstuvwxyzABCDEF'
    const spent = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef'
    await db('users').insert({ id: user, email: 'ada@people.example', email_verified: true })
    for (const [text, life] of [[token, '1 day'], [spent, '-1 second']] as const) {
      await db('sessions').insert({ id: randomUUID(), token: text, user_id: user, kind: 'member', expires_at: db.raw('now() + ?::interval', [life]) })
    }
    expect(await migrate(database.url)).to.include('027_credentials')
    const { context, close } = await operatorOf(database.url)
    try {
      const callerBy = async (bearer: string) => (await context.identity.authenticate({ authorization: `Bearer ${bearer}` })).caller
      expect(await callerBy(token)).to.include({ kind: 'member', user })
      expect((await callerBy(spent)).kind).to.equal('anonymous')
      const stored = await db('sessions').pluck<string[]>('token')
      expect(stored).to.have.length(2).and.not.to.include(token)
      for (const text of stored) expect((await callerBy(text)).kind).to.equal('anonymous')
    } finally {
      await close()
    }
  })
})
