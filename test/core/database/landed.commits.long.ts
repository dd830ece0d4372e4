import { expect } from 'chai'
import { migrateSchema } from '../../../core/commands/migrate.ts'
import { connectDatabase } from '../../../core/database/connection.ts'
import type { MigrationFile } from '../../../core/database/migrations.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { listLandedCommits, createLandedFiles } from '../../support/database/landed-migrations.ts'
import { migrateWithoutChecksums } from '../../support/database/migrations.ts'
import { describeSchema } from '../../support/database/schema.ts'

describe('Migrations: databases of earlier commits', function () {
  this.timeout(300_000)
  let server: DatabaseServer
  let landed: Awaited<ReturnType<typeof createLandedFiles>>
  let fresh: string[]

  before(async () => {
    server = await startDatabaseServer()
    landed = await createLandedFiles()
    fresh = await schemaAfter()
    expect(fresh.length).to.be.above(400)
  })
  after(async () => {
    landed?.remove()
    await server?.stop()
  })

  /** The schema of a database that these commits migrated one after the other, and then the present one. */
  async function schemaAfter(...commits: MigrationFile[][]): Promise<string[]> {
    const { url } = await server.createDatabase()
    const db = connectDatabase({ url, name: 'tests', maxConnections: 1 })
    try {
      for (const files of commits) await migrateWithoutChecksums(db, files)
      await migrateSchema(url)
      return await describeSchema(db)
    } finally {
      await db.destroy()
    }
  }

  for (const commit of listLandedCommits()) {
    it(`migrate a database of commit ${commit.commit} to the schema of a fresh one`, async () => {
      expect(await schemaAfter(landed.listFilesOfCommit(commit))).to.deep.equal(fresh)
    })
  }

  it('keep the rows of repaired tables', async () => {
    const { url } = await server.createDatabase()
    const db = connectDatabase({ url, name: 'tests', maxConnections: 1 })
    const [id, at, later] = [
      '018f0000-0000-7000-8000-000000000001',
      '2026-01-05T00:00:00.000Z',
      '2026-01-06T00:00:00.000Z',
    ]
    try {
      const commit = listLandedCommits().find((one) => one.commit === '03cd971')
      if (!commit) throw new Error('The commit that made the tables of imports is not known')
      await migrateWithoutChecksums(db, landed.listFilesOfCommit(commit))
      await db('jobs').insert({ id, type: 'import', organization: id, total: 1, payload: {} })
      await db('imports').insert({
        job: id,
        organization: id,
        application: id,
        name: 'batch',
        source: 'upload',
        finished_at: later,
        created_at: at,
      })
      await db('import_uploads').insert({ id, organization: id, job: id, bytes: 7, created_at: at })
      await migrateSchema(url)
      const read = (table: string) => db(table).first<Record<string, Date>>()
      const [batch, upload] = [await read('imports'), await read('import_uploads')]
      expect(batch).to.deep.include({
        job: id,
        finished_at: new Date(later),
        created_at: new Date(at),
        line_from: null,
      })
      expect(upload).to.deep.include({ id, bytes: 7, created_at: new Date(at), draft: null })
    } finally {
      await db.destroy()
    }
  })
})
