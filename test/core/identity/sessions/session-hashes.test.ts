import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { migrateSchema } from '../../../../core/commands/migrate.ts'
import { connectDatabase } from '../../../../core/database/connection.ts'
import type { Part } from '../../../../core/embedded/part.ts'
import { startPostgres } from '../../../../core/embedded/postgres/postgres.ts'
import { createSourceBefore } from '../../../support/database/migrations.ts'
import { insertUser } from '../../../support/rows/identity/new-users.ts'
import { listStoredTokens } from '../../../support/rows/identity/session-tokens.ts'
import { insertPlainSession } from '../../../support/rows/identity/sessions.ts'
import { removeFolder, createTemporaryFolder } from '../../../support/folders.ts'
import { buildOperator } from '../people.ts'

describe('Migration 027: session tokens become hashes', function () {
  this.timeout(120_000)
  let dataDir: string
  let database: Part
  let db: Knex
  before(async () => {
    dataDir = createTemporaryFolder()
    database = await startPostgres({
      dataDir,
      durable: false,
      giveUp: (cause) => {
        throw cause
      },
    })
    db = connectDatabase({ url: database.url, name: 'tests', maxConnections: 2 })
    await db.migrate.latest({ migrationSource: createSourceBefore('027') })
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
    const email = 'ada@people.example'
    await insertUser(db, { id: user, email })
    await insertPlainSession(db, { user, token, lifeSeconds: 86_400 })
    await insertPlainSession(db, { user, token: spent, lifeSeconds: -1 })
    expect(await migrateSchema(database.url)).to.include('027_credentials')
    const { context, close } = await buildOperator(database.url)
    try {
      const callerBy = async (bearer: string) =>
        (await context.identity.authenticate({ authorization: `Bearer ${bearer}` })).caller
      expect(await callerBy(token)).to.include({ kind: 'member', user })
      expect((await callerBy(spent)).kind).to.equal('anonymous')
      const stored = await listStoredTokens(db, email)
      expect(stored).to.have.length(2).and.not.to.include(token)
      for (const text of stored) expect((await callerBy(text)).kind).to.equal('anonymous')
    } finally {
      await close()
    }
  })
})
