import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { migrateSchema } from '../../../core/commands/migrate.ts'
import { connectDatabase } from '../../../core/database/connection.ts'
import { listMigrationFiles } from '../../../core/database/migrations.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { root } from '../../support/earlier-commit.ts'
import { listLandedCommits, createLandedFiles, computeShortChecksum } from '../../support/database/landed-migrations.ts'
import { migrateWithoutChecksums } from '../../support/database/migrations.ts'
import { describeSchema } from '../../support/database/schema.ts'

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 1 << 26 })

describe('Migrations: a database brought through every earlier commit', function () {
  this.timeout(1_800_000)
  let server: DatabaseServer
  let landed: Awaited<ReturnType<typeof createLandedFiles>>
  const commits = listLandedCommits()

  before(async () => {
    server = await startDatabaseServer()
    landed = await createLandedFiles()
  })
  after(async () => {
    landed?.remove()
    await server?.stop()
  })

  it('knows the migrations of every commit', async () => {
    const today = new Map((await listMigrationFiles()).map(({ name, checksum }) => [name, checksum.slice(0, 16)]))
    const kept = new Set(commits.map(({ files }) => JSON.stringify(Object.entries(files).sort())))
    const sums = new Map<string, string>()
    const unknown: string[] = []
    for (const commit of git('rev-list', 'HEAD').toString().trim().split('\n')) {
      const listed = git('ls-tree', commit, 'core/database/migrations/').toString().trim().split('\n').filter(Boolean)
      const files = listed
        .map((line): [string, string] => {
          const [blob = '', path = ''] = [line.split(/\s+/)[2], line.split('\t')[1]]
          if (!sums.has(blob)) sums.set(blob, computeShortChecksum(git('cat-file', 'blob', blob)))
          return [path.replace(/^.*\/|\.ts$/g, ''), sums.get(blob) ?? '']
        })
        .sort()
      const isOfToday = files.every(([name, sum]) => today.get(name) === sum)
      if (!isOfToday && !kept.has(JSON.stringify(files))) unknown.push(commit)
    }
    expect(unknown).to.deep.equal([])
  })

  it('has the schema of a fresh database after all commits from any one on', async () => {
    const { url: freshUrl } = await server.createDatabase()
    await migrateSchema(freshUrl)
    const freshDb = connectDatabase({ url: freshUrl, name: 'tests', maxConnections: 1 })
    const fresh = await describeSchema(freshDb)
    await freshDb.destroy()
    for (const [first, { commit }] of commits.entries()) {
      // Two of the edits made later commits fail on such a database, which then stayed as it was until it was repaired.
      const { url } = await server.createDatabase()
      const db = connectDatabase({ url, name: 'tests', maxConnections: 1 })
      try {
        for (const each of commits.slice(first))
          await migrateWithoutChecksums(db, landed.listFilesOfCommit(each)).catch((cause: Error) => {
            if (!/"jobs_leased" already exists|function passport_gtin\(jsonb\) does not exist/.test(cause.message))
              throw cause
          })
        await migrateSchema(url)
        expect(await describeSchema(db), commit).to.deep.equal(fresh)
      } finally {
        await db.destroy()
      }
    }
  })
})
